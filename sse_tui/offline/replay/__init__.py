"""Serving a recording again: what to answer to a request (`script`), and answering it at its pace (`server`)."""

from sse_tui.offline.replay.script import Script, ScriptedResponse
from sse_tui.offline.replay.server import ReplayServer

__all__ = ["ReplayServer", "Script", "ScriptedResponse"]

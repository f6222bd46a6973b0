"""Serving a recording again: the response to a request (`script`), and sending it at the recorded pace (`server`)."""

from sse_tui.offline.replay.script import Script, ScriptedResponse
from sse_tui.offline.replay.server import ReplayServer

__all__ = ["ReplayServer", "Script", "ScriptedResponse"]

"""Serving a recording again: what to answer to a request (`script`), and answering it at its pace (`server`)."""

from .script import Answer, Script
from .server import ReplayServer

__all__ = ["Answer", "ReplayServer", "Script"]

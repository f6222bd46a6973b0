"""sse-tui: chat with, inspect, break, record and replay streamed LLM output and server-sent events."""

__version__ = "0.1.0"

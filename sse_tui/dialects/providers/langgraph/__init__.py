"""LangGraph and LangServe, and LangChain's messages in them."""

from sse_tui.dialects.providers.langgraph.langgraph import LangGraph

__all__ = ["LangGraph"]

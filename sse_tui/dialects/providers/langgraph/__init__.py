"""LangGraph and LangServe, and LangChain's messages in them."""

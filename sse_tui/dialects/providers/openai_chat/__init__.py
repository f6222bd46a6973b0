"""OpenAI's chat completions."""

from sse_tui.dialects.providers.openai_chat.openai_chat import OpenAIChat

__all__ = ["OpenAIChat"]

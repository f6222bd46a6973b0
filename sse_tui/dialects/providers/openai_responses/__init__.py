"""OpenAI's Responses API."""

from sse_tui.dialects.providers.openai_responses.openai_responses import OpenAIResponses

__all__ = ["OpenAIResponses"]

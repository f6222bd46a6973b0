"""Google's Gemini."""

from sse_tui.dialects.providers.gemini.gemini import Gemini

__all__ = ["Gemini"]

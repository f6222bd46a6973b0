"""Token counts, which every provider names differently."""

from __future__ import annotations

from typing import Any

from sse_tui.dialects.base import Usage
from sse_tui.dialects.payload import count, members


def usage_of(tokens_in: Any, tokens_out: Any, reasoning: Any = None, cached: Any = None) -> tuple[Usage, ...]:
    """The counts in these members; none when neither the input nor the output is counted."""
    counted_in, counted_out = count(tokens_in), count(tokens_out)
    if counted_in is None and counted_out is None:
        return ()
    return (Usage(counted_in, counted_out, count(reasoning), count(cached)),)


def openai_usage(usage: dict[str, Any]) -> tuple[Usage, ...]:
    """The counts in a ``usage`` as OpenAI's chat, completions and assistants spell it, and everyone after them."""
    if not usage:
        return ()
    # The assistants spell it without the plural.
    details = usage.get("prompt_tokens_details") or usage.get("prompt_token_details")
    return usage_of(
        usage.get("prompt_tokens"),
        usage.get("completion_tokens"),
        members(usage.get("completion_tokens_details")).get("reasoning_tokens"),
        members(details).get("cached_tokens"),
    )

"""Token counts as OpenAI's chat, completions and assistants spell them, and everyone after them."""

from __future__ import annotations

from typing import Any

from sse_tui.dialects.base import Usage
from sse_tui.dialects.payload import count, members


def counted(usage: dict[str, Any]) -> Usage | None:
    """The counts in a ``usage`` object; None when it holds none."""
    tokens_in, tokens_out = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    if tokens_in is None and tokens_out is None:
        return None
    reasoning = count(members(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    # The assistants spell it without the plural.
    details = usage.get("prompt_tokens_details") or usage.get("prompt_token_details")
    return Usage(tokens_in, tokens_out, reasoning, count(members(details).get("cached_tokens")))

"""The request for a streamed chat completion, and what a recorded one asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sse_tui.dialects.base import Message, Prepared
from sse_tui.dialects.request import PARAMS, endpoint, last_of_role, mapped, members_of, post, turns

_NAMES = {name: name for name in PARAMS}


def prepare(base_url: str, model: str, messages: Sequence[Message], params: Mapping[str, Any]) -> Prepared:
    """POST to ``{base_url}/chat/completions``; a query in `base_url` (Azure's api-version) stays where it
    belongs.

    `params` are those of `PARAMS`, where None means "not sent", and "extra": a mapping merged into the body
    last, whose values replace what is there and whose None removes it. Raises `UsageError` on any other name.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": turns(messages),
        "stream": True,
        # Without it most servers send no token counts, and speed could only be guessed from the number of
        # chunks.
        "stream_options": {"include_usage": True},
        **mapped(params, _NAMES, "openai-chat"),
    }
    return post(endpoint(base_url, "chat/completions"), body, params)


def prompt_of(body: str) -> str | None:
    """The text of the last message of the user in a request body; None when there is none."""
    return last_of_role(members_of(body).get("messages"))

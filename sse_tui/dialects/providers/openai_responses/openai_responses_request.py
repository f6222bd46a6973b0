"""The request for a streamed response, and what a recorded one asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sse_tui.dialects.base import Message, Prepared
from sse_tui.dialects.request import endpoint, last_of_role, mapped, members_of, post, split_system, turns

_NAMES = {"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_output_tokens"}


def prepare(base_url: str, model: str, messages: Sequence[Message], params: Mapping[str, Any]) -> Prepared:
    """POST to ``{base_url}/responses``; the system prompt goes into ``instructions``.

    ``store`` is false: a conversation in a debugging tool has no business in the provider's storage. Resuming
    needs ``extra = {"background": true, "store": true}``.
    """
    system, rest = split_system(messages)
    body: dict[str, Any] = {"model": model, "input": turns(rest), "stream": True, "store": False}
    if system is not None:
        body["instructions"] = system
    body.update(mapped(params, _NAMES, "openai-responses"))
    return post(endpoint(base_url, "responses"), body, params)


def prompt_of(body: str) -> str | None:
    """The input when it is text, else the text of the user's last message in it."""
    given = members_of(body).get("input")
    return given if isinstance(given, str) else last_of_role(given)

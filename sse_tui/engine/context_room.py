"""What cannot fit a context, told by its size: before it is rendered or tokenized, which takes long for a large one."""

from __future__ import annotations

from sse_tui.engine.interface import EngineInfo
from sse_tui.errors import EngineError

_ESCAPED = 3
_OTHER_FIELDS = 2**20


def prompt_too_long(tokens: str, n_ctx: int) -> EngineError:
    """The error for a prompt of so many `tokens`, a number or an estimate in words."""
    return EngineError(
        "prompt-too-long",
        f"The prompt has {tokens} tokens; the context holds {n_ctx}, and the answer needs at least one of them.",
        "Shorten the conversation, or raise n_ctx in the [local] table of the configuration.",
    )


def require_room(info: EngineInfo, *, messages: int, size: int = 0) -> None:
    """Raise `EngineError` "prompt-too-long" when so many messages, of `size` bytes together, cannot fit the context.

    No token of the vocabulary is longer than `longest_token` bytes, and the chat template adds `message_tokens` or more
    to each message.
    """
    fewest = messages * info.message_tokens
    if info.longest_token:
        fewest += -(-size // info.longest_token)
    if fewest >= info.n_ctx:
        raise prompt_too_long(f"at least {fewest}", info.n_ctx)


def largest_body(info: EngineInfo) -> int | None:
    """The most bytes that a request may need for messages that fit the context, None where that is not known.

    JSON's escapes can make a text three times as long (``\\u00e9`` for the two bytes of "é"); the other fields,
    descriptions of tools for example, get a mebibyte.
    """
    return _OTHER_FIELDS + _ESCAPED * info.n_ctx * info.longest_token if info.longest_token else None

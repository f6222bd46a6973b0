"""What the payloads of a stream mean, by provider.

`create` gives a reader for one response, `detect` tells which one fits, `Answer` assembles what it reads.
"""

from __future__ import annotations

import difflib

from sse_tui.dialects.answer import Answer
from sse_tui.dialects.base import Dialect, Message, Prepared
from sse_tui.dialects.detect import Auto, Detection, detect
from sse_tui.dialects.generic import Generic
from sse_tui.dialects.openai_chat import OpenAIChat
from sse_tui.errors import UsageError

READERS: dict[str, type[Dialect]] = {dialect.name: dialect for dialect in (OpenAIChat, Generic)}


def names() -> list[str]:
    """What `create` accepts beside "auto", the most used first."""
    return list(READERS)


def dialect_class(name: str) -> type[Dialect]:
    """The dialect called `name`, or "auto". Raises `UsageError` that names the nearest one."""
    if name == Auto.name:
        return Auto
    try:
        return READERS[name]
    except KeyError:
        valid = [*READERS, Auto.name]
        near = difflib.get_close_matches(name.lower().replace("_", "-"), valid, n=1)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise UsageError(
            "unknown-dialect", f"There is no dialect {name!r}.", f"{hint}Valid names: {', '.join(valid)}."
        ) from None


def create(name: str) -> Dialect:
    """A reader for one response. Raises `UsageError` for a name that is not there."""
    return dialect_class(name)()


__all__ = [
    "READERS",
    "Answer",
    "Auto",
    "Detection",
    "Dialect",
    "Generic",
    "Message",
    "OpenAIChat",
    "Prepared",
    "create",
    "detect",
    "dialect_class",
    "names",
]

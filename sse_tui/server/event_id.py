"""Event ids, ``<stream>-<seq>``: unique over all streams, and enough to resume from."""

from __future__ import annotations

import re
import secrets
from typing import NamedTuple

_FORM = re.compile(r"([0-9a-f]{24})-(0|[1-9][0-9]{0,11})")


class EventId(NamedTuple):
    """The event of a stream with sequence number `seq`; -1 stands for its start."""

    stream: str
    seq: int

    def __str__(self) -> str:
        return f"{self.stream}-{self.seq}"


def new_stream() -> str:
    """A name for a stream that cannot be guessed (96 random bits)."""
    return secrets.token_hex(12)


def parse_event_id(text: str) -> EventId | None:
    """The event that `text` names, None when it is not one of our ids."""
    found = _FORM.fullmatch(text)
    return EventId(found[1], int(found[2])) if found else None

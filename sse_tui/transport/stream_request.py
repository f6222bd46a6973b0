"""What to ask for, and how long to wait for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class StreamRequest:
    """A request for an event stream. `headers` are the caller's own; those of the standard are added on sending.

    With `any_type` a 200 response of any media type is read as an event stream. `private` names headers, in lower case,
    that another origin does not get after a redirect, besides those whose names suggest a secret; `trusted` sends it
    everything, as curl's ``--location-trusted`` does.
    """

    method: str
    url: str
    headers: Sequence[tuple[str, str]] = field(default_factory=tuple)
    body: bytes | None = None
    dialect: str | None = None
    any_type: bool = False
    private: frozenset[str] = frozenset()
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Limits in seconds, None for no limit.

    `connect`: name resolution, TCP and TLS together. `first_byte`: from the end of sending the request to the first
    byte of the body. `idle`: between two reads of the body. `total`: the whole turn, reconnects and the waits before
    them included. `finish`: from the event that finished an answer, or the last one after it, to the end of the
    stream; the answer is whole, so that this limit is no error.
    """

    connect: float | None = 10.0
    first_byte: float | None = 120.0
    idle: float | None = 120.0
    total: float | None = None
    finish: float | None = 2.0

"""A turn as a conversation, in the order of what happens: what the client asks, what the server says, how it goes on.

    await conversation(
        Asks(),
        chunked(A, B, last=False),
        Closes("incomplete"),
        Waits(last_event_id="2"),
        Asks(last_event_id="2"),
        chunked(C, DONE),
        Closes("eof"),
        Ends("complete"),
        policy=QUICK, dialect=Marked(),
    )

Bytes and the other steps of `wire` are the server's, for the request before them. All other lines are expected, no
more and no fewer: a request without an `Asks` fails, as does one line too many. `Gets` alone may be left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from sse_tui.recording.records import Chunk, Close, Fault, Reconnect, Record, Request
from sse_tui.transport import Driver
from tests.transport.turns import Ran, run
from tests.transport.wire import HOLD, Seen, Step, Wire, wire


@dataclass(frozen=True)
class Asks:
    """A request arrives; None of `method`, `target` and `body` is not looked at."""

    last_event_id: str | None = None
    method: str | None = None
    target: str | None = None
    body: bytes | None = None


@dataclass(frozen=True)
class Misses:
    """An attempt that finds no server, because there is no script for it."""

    last_event_id: str | None = None


@dataclass(frozen=True)
class Gets:
    """The bytes of the body that were recorded on this connection."""

    body: bytes


@dataclass(frozen=True)
class Fires:
    """A fault; `did` and `at` are looked for in what is recorded."""

    plan: str
    at: str = ""
    did: str = ""


@dataclass(frozen=True)
class Closes:
    """The connection is over; `detail` is looked for in what is recorded."""

    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Waits:
    """The client announces another attempt; `ms` are the least and the most that it may wait."""

    last_event_id: str = ""
    attempt: int = 1
    ms: tuple[float, float] = (0, 1e9)


@dataclass(frozen=True)
class Ends:
    """The turn is over. `code` is that of its error, "" for none; `says` is looked for in its message.

    `why` is looked for in the reason for which there was no further attempt.
    """

    outcome: str
    code: str = ""
    says: str = ""
    why: str = ""


Expected: TypeAlias = Asks | Misses | Gets | Fires | Closes | Waits | Ends
Line: TypeAlias = Expected | Step


class Conversation(NamedTuple):
    """What happened, and the server's side of it."""

    ran: Ran
    server: Wire


async def conversation(
    *lines: Line, on: Callable[[Driver, Record], None] | None = None, **options: Any
) -> Conversation:
    """Play it, and compare what happens with the lines. `options` are those of `run`."""
    scripts: list[list[Step]] = []
    expected: list[Expected] = []
    for line in lines:
        if isinstance(line, Expected):
            expected.append(line)
            if isinstance(line, Asks):
                scripts.append([])
        else:
            scripts[-1].append(line)
    async with wire(*scripts) as server:
        ran = await run(server.url, on=on, **options)
        if any(script[-1:] == [HOLD] for script in scripts):
            await asyncio.wait_for(server.gone.wait(), 1)
    happened = list(_happened(ran, server))
    if not any(isinstance(line, Gets) for line in expected):
        happened = [line for line in happened if not isinstance(line, Gets)]
    likened = [_liken(line, got) for line, got in zip(happened, expected, strict=False)]
    assert likened + happened[len(expected) :] == expected
    return Conversation(ran, server)


def _happened(ran: Ran, server: Wire) -> Iterator[Expected]:
    """The turn as it was, in full."""
    requests = iter(server.seen)
    body = b""
    for record in ran.records:
        if isinstance(record, Chunk):
            body += record.data
            continue
        if body and isinstance(record, Close | Fault):
            yield Gets(body)
            body = b""
        if isinstance(record, Request):
            seen = next(requests, None)
            asked = dict(record.headers).get("Last-Event-ID") if seen is None else _last_event_id(seen)
            yield Asks(asked, seen.method, seen.target, seen.body) if seen is not None else Misses(asked)
        elif isinstance(record, Fault):
            yield Fires(record.plan, record.at, record.did)
        elif isinstance(record, Close):
            yield Closes(record.reason, record.detail)
        elif isinstance(record, Reconnect):
            yield Waits(record.last_event_id, record.attempt, (record.delay_ms, record.delay_ms))
    error = ran.driver.error
    yield Ends(
        ran.outcome, error.code if error else "", error.message if error else "", ran.driver.stop_reason
    )


def _last_event_id(seen: Seen) -> str | None:
    value = seen.header("last-event-id")
    return None if value is None else value.decode()


def _liken(happened: Expected, expected: Expected) -> Expected:
    """What happened, as `expected` puts it where that leaves something open."""
    if type(happened) is not type(expected):
        return happened
    changes: dict[str, Any] = {}
    for name in _SEARCHED.get(type(expected), ()):
        if getattr(expected, name) in getattr(happened, name):
            changes[name] = getattr(expected, name)
    if isinstance(expected, Asks):
        changes = {name: None for name in ("method", "target", "body") if getattr(expected, name) is None}
    if isinstance(expected, Waits) and isinstance(happened, Waits):
        least, most = expected.ms
        changes = {"ms": expected.ms} if least <= happened.ms[0] <= most else {}
    return replace(happened, **changes)


# Of an expected line: what is only looked for in what happened.
_SEARCHED: dict[type[Expected], tuple[str, ...]] = {
    Fires: ("at", "did"),
    Closes: ("detail",),
    Ends: ("says", "why"),
}

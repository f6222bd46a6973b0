"""Running a turn in a test: a small dialect, and everything the driver recorded."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sse_tui.dialects.base import Delta, Dialect, StreamFault, Text
from sse_tui.eventstream import Event
from sse_tui.faults import parse_plan
from sse_tui.recording.records import Chunk, Close, Reconnect, Record
from sse_tui.resume import Policy
from sse_tui.transport import Driver, SessionClock, StreamRequest, Timeouts

R = TypeVar("R")


class Plain(Dialect):
    """Data is text; knows no end."""

    name = "plain"

    def read(self, event: Event) -> Sequence[Delta]:
        return [Text(event.data)]

    @property
    def ended(self) -> bool:
        return False

    @property
    def complete(self) -> bool | None:
        return None


class Marked(Dialect):
    """``[DONE]`` ends it, ``FINISH`` makes it complete, ``ERROR`` tells of an error."""

    name = "marked"

    def __init__(self) -> None:
        self._ended = self._complete = False

    def read(self, event: Event) -> Sequence[Delta]:
        if event.data == "[DONE]":
            self._ended = True
        elif event.data == "FINISH":
            self._complete = True
        elif event.data == "ERROR":
            return [StreamFault("overloaded", 529, "try later")]
        return [Text(event.data)]

    @property
    def ended(self) -> bool:
        return self._ended

    @property
    def complete(self) -> bool | None:
        return self._complete


@dataclass
class Ran:
    driver: Driver
    records: list[Record]
    slept: list[float] = field(default_factory=list)

    def of(self, kind: type[R]) -> list[R]:
        return [record for record in self.records if isinstance(record, kind)]

    def body(self, conn: int | None = None) -> bytes:
        return b"".join(c.data for c in self.of(Chunk) if conn in (None, c.conn))

    @property
    def closes(self) -> list[str]:
        return [close.reason for close in self.of(Close)]

    @property
    def waits(self) -> list[Reconnect]:
        return self.of(Reconnect)

    @property
    def outcome(self) -> str:
        return self.driver.outcome


NEVER = Policy(kind="never")
QUICK = Policy(base_ms=1, floor_ms=1)


def make(url: str, slept: list[float] | None = None, **options: Any) -> Driver:
    """A driver with short limits; its sleeps are virtual and noted when `slept` is given."""
    request = StreamRequest(
        method=options.pop("method", "GET"),
        url=url,
        headers=options.pop("headers", ()),
        body=options.pop("body", None),
        any_type=options.pop("any_type", False),
        private=options.pop("private", frozenset()),
        trusted=options.pop("trusted", False),
    )
    plan = options.pop("plan", None)

    async def sleep(seconds: float) -> None:
        assert slept is not None
        slept.append(seconds)

    if slept is not None:
        options["sleep"] = sleep
    return Driver(
        request,
        dialect=options.pop("dialect", None) or Plain(),
        policy=options.pop("policy", NEVER),
        timeouts=options.pop("timeouts", Timeouts(connect=2, first_byte=2, idle=2)),
        clock=options.pop("clock", None) or SessionClock(),
        turn=1,
        next_conn=options.pop("next_conn", None) or itertools.count(1).__next__,
        plan=parse_plan(plan) if plan else None,
        rng=random.Random(1),
        **options,
    )


async def run(
    url: str,
    *,
    on: Callable[[Driver, Record], None] | None = None,
    virtual: bool = True,
    **options: Any,
) -> Ran:
    """Run a turn to its end; `on` sees each record as it comes."""
    slept: list[float] = []
    driver = make(url, slept if virtual else None, **options)
    records: list[Record] = []
    async with aclosing(driver.records()) as stream:
        async for record in stream:
            records.append(record)
            assert len(records) < 100_000
            if on is not None:
                on(driver, record)
    return Ran(driver, records, slept)

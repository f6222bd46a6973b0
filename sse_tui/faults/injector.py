"""A fault plan applied to the body of a connection: bytes in, what to do with them out. No I/O, no clock.

Positions are those of the client: a fault at event N fires right after the last byte of the N-th event that
the connection dispatched, to the byte, however the body was cut into reads. Each fault fires once; what has
not fired when a connection ends waits for the next one. Counts start anew with each connection.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sse_tui.eventstream import Event, EventTooLarge, Parser
from sse_tui.faults.plan import FaultSpec, Plan
from sse_tui.limits import MAX_EVENT_BYTES

_NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Forward:
    """These bytes reach the client."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Stall:
    """Stop reading for `seconds`, the connection open."""

    seconds: float
    fault: FaultSpec
    at: str
    did: str


@dataclass(frozen=True, slots=True)
class Cut:
    """Close the connection with a FIN; `dropped` bytes had been received and never reach the client."""

    fault: FaultSpec
    at: str
    dropped: int
    did: str


@dataclass(frozen=True, slots=True)
class Reset:
    """Close the connection with a RST; `dropped` as for `Cut`."""

    fault: FaultSpec
    at: str
    dropped: int
    did: str


Step: TypeAlias = Forward | Stall | Cut | Reset


@dataclass(slots=True)
class _Armed:
    fault: FaultSpec
    since: int


class Injector:
    """Call `open` for each connection, then `feed` with its reads and `due` when `next_deadline` has come.

    Times are nanoseconds of any one clock. After a `Cut` or a `Reset` the connection is over.
    """

    def __init__(self, plan: Plan | None = None, t: int = 0, limit: int = MAX_EVENT_BYTES) -> None:
        self._armed: list[_Armed] = []
        self._limit = limit
        self.open(t)
        if plan is not None:
            self.arm(plan, t)

    def arm(self, plan: Plan, t: int) -> None:
        """Add a plan's faults; time triggers count from now or from the connection's opening, the later."""
        self._armed.extend(_Armed(fault, t) for fault in plan.faults)

    def open(self, t: int, decode: Callable[[bytes], bytes] | None = None) -> None:
        """A connection opened: counts start at nothing.

        `decode` removes the content coding of a body that has one. Where an event ends in coded bytes cannot be
        told, so that a fault at an event then fires after the read that completed it.
        """
        self._opened = t
        self._decode = decode
        self._parser: Parser | None = Parser(self._limit)
        self._events = 0
        self._fed = 0
        # The client's position, and what tells how many events it has: those before the last read, ends
        # within it.
        self._position = 0
        self._dispatched = 0
        self._before = 0
        self._ends: list[int] = []

    @property
    def pending(self) -> tuple[FaultSpec, ...]:
        """Faults that have not fired."""
        return tuple(armed.fault for armed in self._armed)

    @property
    def next_deadline(self) -> int | None:
        """When a fault falls due by time alone; None when none will."""
        deadlines = [self._deadline(armed) for armed in self._armed]
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    def due(self, t: int, held: int = 0) -> list[Step]:
        """Faults whose time has come, without waiting for bytes.

        `held` of the last bytes fed have not reached the client yet (a stall keeps them back).
        """
        self._at(self._fed - held)
        return self._fire_due(t, unread=held)

    def closing(self, t: int) -> Cut | Reset | None:
        """A cut or reset that is to happen now, before there is a body to count in."""
        for armed in self._armed:
            if armed.fault.trigger == "now" and armed.fault.action != "stall" and armed.since <= t:
                self.open(t)
                self._armed.remove(armed)
                step = self._step(armed.fault, 0)
                assert isinstance(step, Cut | Reset)
                return step
        return None

    def feed(self, data: bytes, t: int) -> list[Step]:
        """Bytes of the body that were read: what of them reaches the client, and what happens in between."""
        start = self._fed
        self._at(start)
        steps = self._fire_due(t, unread=len(data))
        if _closes(steps):
            return steps
        events = self._count(data, start + len(data))
        forwarded = 0
        for position, armed in self._places(events, start, len(data)):
            if position > forwarded:
                steps.append(Forward(data[forwarded:position]))
                forwarded = position
            self._armed.remove(armed)
            self._at(start + position)
            steps.append(self._step(armed.fault, len(data) - position))
            if _closes(steps):
                return steps
        if forwarded < len(data):
            steps.append(Forward(data[forwarded:]))
        self._fed = start + len(data)
        return steps

    def _fire_due(self, t: int, unread: int) -> list[Step]:
        steps: list[Step] = []
        for armed in list(self._armed):
            deadline = self._deadline(armed)
            if deadline is not None and deadline <= t:
                self._armed.remove(armed)
                steps.append(self._step(armed.fault, unread))
                if _closes(steps):
                    break
        return steps

    def _at(self, position: int) -> None:
        """The client's position: after so many body bytes, and the events that end within them."""
        self._position = position
        self._dispatched = self._before + sum(end <= position for end in self._ends)

    def _deadline(self, armed: _Armed) -> int | None:
        if armed.fault.trigger == "now":
            return armed.since
        if armed.fault.trigger == "time":
            return max(armed.since, self._opened) + int(armed.fault.at or 0) * _NS_PER_MS
        return None

    def _count(self, data: bytes, end: int) -> list[tuple[int, Event]]:
        """The events that these bytes complete, each with its number on this connection."""
        self._before, self._ends = self._events, []
        if self._parser is None:
            return []
        try:
            items = self._parser.feed(data if self._decode is None else self._decode(data))
        except EventTooLarge:  # whoever reads the stream for its meaning reports it
            self._parser = None
            return []
        events = [item for item in items if isinstance(item, Event)]
        if self._decode is not None:
            events = [event._replace(end=end) for event in events]
        numbered = list(enumerate(events, self._events + 1))
        self._events += len(events)
        self._ends = [event.end for event in events]
        return numbered

    def _places(self, events: list[tuple[int, Event]], start: int, size: int) -> list[tuple[int, _Armed]]:
        """Where in this read faults fire, in order; faults at one place keep the order of the plan."""
        places: list[tuple[int, _Armed]] = []
        for armed in self._armed:
            position = _place(armed.fault, events, start, size)
            if position is not None:
                places.append((position, armed))
        return sorted(places, key=lambda place: place[0])

    def _step(self, fault: FaultSpec, unread: int) -> Step:
        at = f"byte {self._position}, event {self._dispatched}"
        after = f"after body byte {self._position}" if self._position else "before the first body byte"
        if fault.action == "stall":
            seconds = fault.duration_ms / 1000
            return Stall(seconds, fault, at, f"stopped reading for {seconds:g} s {after}")
        lost = f"; {unread} bytes already received were discarded" if unread else ""
        if fault.action == "reset":
            return Reset(fault, at, unread, f"reset the connection {after}{lost}")
        return Cut(fault, at, unread, f"closed the connection {after}{lost}")


def _place(fault: FaultSpec, events: list[tuple[int, Event]], start: int, size: int) -> int | None:
    """Offset in the read after which `fault` fires, None if it does not fire in this read."""
    if fault.trigger == "bytes":
        offset = int(fault.at or 0) - start
        return offset if 0 < offset <= size else None
    for number, event in events:
        if fault.trigger == "event" and number == fault.at:
            return event.end - start
        if fault.trigger == "text" and str(fault.at) in event.data:
            return event.end - start
    return None


def _closes(steps: list[Step]) -> bool:
    return bool(steps) and isinstance(steps[-1], Cut | Reset)

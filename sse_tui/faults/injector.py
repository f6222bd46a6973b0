"""A fault plan applied to the body of a connection: bytes in, what to do with them out. No I/O, no clock.

Positions are the client's: a fault at event N fires right after the last byte of the N-th event that the connection
dispatched, to the byte, however the body was cut into reads. Each fault fires once; one that has not fired when a
connection ends waits for the next. Counts start anew with each connection.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, NamedTuple, TypeAlias

from sse_tui.errors import StreamError
from sse_tui.eventstream import Event, Item
from sse_tui.faults.plan import FaultSpec, Plan
from sse_tui.text.wording import many

_NS_PER_MS = 1_000_000


class Parsed(NamedTuple):
    """The items that bytes of the body completed; after an `error` nothing more of the body can be read."""

    items: Sequence[Item]
    error: StreamError | None = None


# Parses the next bytes of a body. It is given each byte once, in order, and none that a cut discards.
ParseBody: TypeAlias = Callable[[bytes], Parsed]


@dataclass(frozen=True, slots=True)
class Forward:
    """These bytes reach the client, and with them the items that they complete, or the error in them."""

    data: bytes
    items: Sequence[Item] = ()
    error: StreamError | None = None
    closes: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Fired:
    """A fault that fires at the client's position `at`. `did` says what happens to the connection.

    A stall stops reading it for a while; a cut closes it with a FIN, a reset with a RST.
    """

    fault: FaultSpec
    at: str
    did: str

    @property
    def closes(self) -> bool:
        """Whether the connection is over."""
        return self.fault.action != "stall"


Step: TypeAlias = Forward | Fired


class _Armed(NamedTuple):
    fault: FaultSpec
    since: int


class Injector:
    """Call `open` for each connection, then `feed` with its reads and `due` when `next_deadline` has come.

    Times are nanoseconds on any one clock. After a fault that `closes` it the connection is over.
    """

    def __init__(self, plan: Plan | None = None, t: int = 0) -> None:
        self._armed: list[_Armed] = []
        self.open(t)
        if plan is not None:
            self.arm(plan, t)

    def arm(self, plan: Plan, t: int) -> None:
        """Add a plan's faults; time triggers count from now or from the connection's opening, the later."""
        self._armed.extend(_Armed(fault, t) for fault in plan.faults)

    def open(self, t: int, *, coded: bool = False) -> None:
        """A connection opened: all counts start at zero.

        `coded`: the body has a content coding. Items then count decoded bytes, and which coded byte completed an
        event is unknown, so a fault at an event fires after the read that completed it.
        """
        self._opened = t
        self._coded = coded
        self._fed = 0
        # The events of the connection: those before the last read, and where in the body those of that read end.
        # A stall holds some of them back, so that which the client has got depends on its position.
        self._before = 0
        self._ends: list[int] = []

    @property
    def idle(self) -> bool:
        """No fault is armed, so a read reaches the client as a whole, whatever is in it: see `pass_on`."""
        return not self._armed

    def pass_on(self, size: int) -> None:
        """A read of `size` bytes reaches the client as a whole; `count` the items that it completes."""
        self._fed += size
        self._before += len(self._ends)
        self._ends = []

    def count(self, items: Sequence[Item]) -> None:
        """Items that the last read completed."""
        self._count(items, self._fed)

    @property
    def next_deadline(self) -> int | None:
        """When a fault falls due by time alone; None when none will."""
        if not self._armed:  # nearly always
            return None
        deadlines = map(self._deadline, self._armed)
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    def due(self, t: int, held: int = 0) -> list[Step]:
        """Faults whose time has come, without waiting for bytes.

        `held` of the last bytes fed have not reached the client yet (a stall keeps them back).
        """
        steps: list[Step] = []
        for armed in list(self._armed):
            deadline = self._deadline(armed)
            if deadline is not None and deadline <= t and not _closes(steps):
                self._armed.remove(armed)
                steps.append(self._step(armed.fault, self._fed - held, unread=held))
        return steps

    def closing(self, t: int) -> Fired | None:
        """A cut or reset that is to happen now, before there is a body to count in."""
        for armed in self._armed:
            if armed.fault.trigger == "now" and armed.fault.action != "stall" and armed.since <= t:
                self.open(t)
                self._armed.remove(armed)
                return self._step(armed.fault, 0, unread=0)
        return None

    def feed(self, data: bytes, t: int, parse: ParseBody) -> list[Step]:
        """Bytes of the body that came: which of them reach the client, and what happens in between.

        They are read in one piece unless a fault at a byte lies within them. Then only up to there, because in a
        compressed body nothing else tells which items the client has got when the fault fires.
        """
        start, size = self._fed, len(data)
        self.pass_on(size)
        if not self._armed:
            items, error = parse(data)
            self._count(items, self._fed)
            return [Forward(data, items, error)]
        steps = self.due(t, held=size)
        at = 0
        for stop in self._stops(start, size):
            if _closes(steps):
                return steps
            piece = data[at:stop] if stop - at < size else data
            steps += self._split(piece, start + at, size - stop, parse)
            at = stop
        return steps

    def _split(self, piece: bytes, start: int, after: int, parse: ParseBody) -> list[Step]:
        """Read `piece`, which is at `start` in the body, and cut it where faults fire.

        `after` is how many bytes of the same read follow it.
        """
        items, error = parse(piece)
        at, end, given = start, start + len(piece), 0
        steps: list[Step] = []
        for position, armed in self._triggered(items, end):
            if position > at:
                whole = position == end
                taken = len(items) if whole else bisect_right(items, position, key=lambda item: item.end)
                data = piece[at - start : position - start]
                steps.append(Forward(data, items[given:taken], error if whole else None))
                at, given = position, taken
            self._armed.remove(armed)
            steps.append(self._step(armed.fault, position, unread=end - position + after))
            if _closes(steps):
                return steps
        if at < end:
            steps.append(Forward(piece[at - start :], items[given:], error))
        return steps

    def _stops(self, start: int, size: int) -> list[int]:
        """Where reading this read is interrupted: at faults at a byte, and at its end."""
        offsets = {
            int(armed.fault.at or 0) - start for armed in self._armed if armed.fault.trigger == "bytes"
        }
        return [*sorted(offset for offset in offsets if 0 < offset < size), size]

    def _triggered(self, items: Sequence[Item], end: int) -> list[tuple[int, _Armed]]:
        """Positions at which faults fire in a piece that ends at `end`, in order.

        Faults at one position keep the order of the plan.
        """
        number = self._before + len(self._ends)
        events = self._count(items, end)
        ends = self._ends[len(self._ends) - len(events) :]
        fired: list[tuple[int, _Armed]] = []
        for armed in self._armed:
            fault = armed.fault
            if fault.trigger == "bytes" and fault.at == end:
                fired.append((end, armed))
            elif fault.trigger == "event" and number < int(fault.at or 0) <= number + len(events):
                fired.append((ends[int(fault.at or 0) - number - 1], armed))
            elif fault.trigger == "text":
                found = (at for at, event in zip(ends, events, strict=True) if str(fault.at) in event.data)
                fired.extend((at, armed) for at in islice(found, 1))
        return sorted(fired, key=lambda pair: pair[0])

    def _count(self, items: Sequence[Item], end: int) -> list[Event]:
        """The events among the items of a piece that ends at `end`, counted."""
        events = [item for item in items if type(item) is Event]
        self._ends += [end] * len(events) if self._coded else [event.end for event in events]
        return events

    def _deadline(self, armed: _Armed) -> int | None:
        if armed.fault.trigger == "now":
            return armed.since
        if armed.fault.trigger == "time":
            return max(armed.since, self._opened) + int(armed.fault.at or 0) * _NS_PER_MS
        return None

    def _step(self, fault: FaultSpec, position: int, unread: int) -> Fired:
        """What `fault` does at the client's position, with `unread` bytes behind it that had been received."""
        dispatched = self._before + sum(end <= position for end in self._ends)
        at = f"byte {position}, event {dispatched}"
        after = f"after body byte {position}" if position else "before the first body byte"
        if fault.action == "stall":
            return Fired(fault, at, f"stopped reading for {fault.duration_ms / 1000:g} s {after}")
        self._fed = position  # no more than this reaches the client, whatever a stall before it holds back
        lost = f"; discarded {many(unread, 'byte')} already received" if unread else ""
        done = "reset" if fault.action == "reset" else "closed"
        return Fired(fault, at, f"{done} the connection {after}{lost}")


def _closes(steps: list[Step]) -> bool:
    return bool(steps) and steps[-1].closes

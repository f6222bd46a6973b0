"""Events that arrive together although they were made one after the other, whatever the reads that bring them."""

from __future__ import annotations

from dataclasses import dataclass, field

EVENTS = 4  # that make a burst
PAUSE_NS = 250_000_000  # before it
TOGETHER_NS = 10_000_000  # events of reads that follow one another sooner belong together
EACH_NS = 1_000_000  # no model makes an event in less time
_KEPT = 64


@dataclass(slots=True)
class Bursts:
    """Takes the reads of a connection that completed events, and groups them into arrivals.

    Single events at the pace of a model are counted in `arrivals` by the caller, with `last` and `alone`: they are most
    of what comes. Soon after another event they need no more where it is `quiet`.

    `arrivals` counts the groups, `count` those among them that are bursts: several events within no time, after a
    pause. `cut` of those ended within an event, as when a buffer is full. `sizes` (events) and `pauses` (ns) are those
    of the first bursts; `first` is the size of the first arrival.
    """

    arrivals: int = 0
    count: int = 0
    cut: int = 0
    first: int = 0
    sizes: list[int] = field(default_factory=list)
    pauses: list[int] = field(default_factory=list)
    told: bool = False  # as a finding
    last: int | None = None  # when the last events came, ns
    alone: bool = False  # the last event came by itself, a while after the one before it
    quiet: bool = False  # what comes soon after the last event cannot make a burst
    _pause: int = 0
    _start: int = 0
    _events: int = 0
    _counted: bool = False
    _late: bool = False
    _pending: bool = False

    def take(self, t: int, events: int, opened: int | None, late: bool, pending: bool) -> bool:
        """A read at `t`, ns, completed `events`; True when that makes a burst.

        `opened` is when the response came. `late`: the read waited on our side, so that its events came before.
        `pending`: it ended within an event.
        """
        last, self.last = self.last, t
        alone, self.alone = self.alone, False
        gap = t - last if last is not None else t - opened if opened is not None else 0
        if last is not None and gap <= TOGETHER_NS and not alone:
            self._events += events
        else:
            self.arrivals += 1
            self.cut += self._counted and self._pending and not alone
            self._pause, self._start, self._events = gap, t, events
            self._counted = self._late = False
        self._pending = pending
        if self.arrivals == 1:
            self.first = self._events
        self._late = self._late or late
        self.quiet = self._pause < PAUSE_NS and not self._counted and (self.arrivals > 1 or self.first > 1)
        if self._counted:
            if self.count == len(self.sizes):
                self.sizes[-1] = self._events
            return False
        if self._events < EVENTS or self._pause < PAUSE_NS or self._late:
            return False
        if t - self._start > self._events * EACH_NS:
            return False
        self._counted = True
        self.count += 1
        if len(self.sizes) < _KEPT:
            self.sizes.append(self._events)
            self.pauses.append(self._pause)
        return True

    @property
    def size(self) -> int:
        """Events in a burst, the median."""
        return sorted(self.sizes)[len(self.sizes) // 2] if self.sizes else 0

    @property
    def pause_s(self) -> float:
        """Seconds before a burst, the median."""
        return sorted(self.pauses)[len(self.pauses) // 2] / 1e9 if self.pauses else 0.0

    @property
    def regular(self) -> bool:
        """Whether most bursts are about as large as the others: a buffer's size, or the ticks of a clock."""
        size = self.size
        alike = sum(size <= 2 * known <= 4 * size for known in self.sizes)
        return 3 * alike >= 2 * len(self.sizes)

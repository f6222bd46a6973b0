"""The order of events in dialects of named events: what comes first, and what begins, fills and ends a block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sse_tui.bounded import Recent, Seen


class BlockEvents(NamedTuple):
    """The kinds of events that begin, fill and end a block, and the member that says which block is meant.

    `counted`: blocks are numbered 0, 1, 2, ..., in the order of their beginning.
    """

    begins: str
    fills: tuple[str, ...]
    ends: str
    number: str
    counted: bool = False


class Step(NamedTuple):
    """What one kind of event does: `role` is "first", "begins", "fills" or "ends"."""

    role: str
    block: BlockEvents | None = None


class Order(NamedTuple):
    """The order of a dialect. `steps` are those of the kinds that have a place in it."""

    first: str
    steps: Mapping[str, Step]
    counter: str = (
        ""  # the member that numbers all events, by which a stream shows that it is the rest of one
    )


def order_of(first: str, *blocks: BlockEvents, counter: str = "") -> Order:
    """The order in which `first` opens the stream and blocks follow."""
    steps = {first: Step("first")}
    for block in blocks:
        steps[block.begins] = Step("begins", block)
        steps.update((kind, Step("fills", block)) for kind in block.fills)
        steps[block.ends] = Step("ends", block)
    return Order(first, steps, counter)


NO_ORDER = Order("", {})

_OPEN, _CLOSED = True, False


class OrderCheck:
    """Takes the events of one response that have a place in its order; `wrong` says once what is out of place."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._begun = False
        self._rest = False  # the stream is the rest of one, whose blocks may have begun before it
        self._next = 0  # the number of the next block, where they are counted
        self._blocks = Recent[tuple[str, Any], bool]()
        self._said = Seen[tuple[str, Any]]()

    def wrong(self, kind: str, step: Step, payload: Mapping[str, Any]) -> list[str]:
        """What is wrong with the place of an event, in words; nothing where it is right."""
        found: list[str] = []
        first = self._order.first
        if step.block is None:
            if self._begun and self._said.add((kind, None)):
                found.append(f"{kind} came again in the middle of the stream, as if another answer began")
            self._begun = True
            return found
        if not self._begun:
            self._begun = True
            number = payload.get(self._order.counter)
            self._rest = isinstance(number, int) and number > 1
            if not self._rest:
                found.append(f"{kind} came before {first}, which should be the first event")
        which = payload.get(step.block.number)
        if isinstance(which, int | str):
            problem = self._block(kind, step.role, step.block, which)
            if problem and self._said.add((problem, which)):
                found.append(f"{kind} for {step.block.number} {which!r} {problem}")
        return found

    def _block(self, kind: str, role: str, block: BlockEvents, which: int | str) -> str:
        key = block.begins, which
        state = self._blocks.get(key)
        if role == "fills" and state is _OPEN:
            return ""
        self._blocks.put(key, role != "ends")
        if role == "begins":
            if state is _OPEN:
                return "came although that block had begun and not ended"
            due, self._next = self._next, self._next + 1
            return f"came where {block.number} {due} is due" if block.counted and which != due else ""
        if state is None:
            return "" if self._rest else f"came without a {block.begins}"
        return f"came after its {block.ends}" if state is _CLOSED else ""

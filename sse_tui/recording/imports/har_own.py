"""What our own archives keep beside what HAR knows: numbers only, so that who edits a body edits all there is of it.

In an entry: ``turn``, ``conn``, ``t``, ``answered_at``, ``phases``, ``reads`` ([[ns, bytes], ...] of the body as it
stands in the entry), ``close`` ({t, reason, detail}), ``dialect``; ``asked`` and ``answered`` are false where the
recording had no request or no response, which HAR cannot leave out. In the log: ``clock``, and ``records``, the records
that belong to no exchange, each with its place among all.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sse_tui.recording.imports.exchange import Exchange
from sse_tui.recording.imports.whole_documents import BROKEN, fields, items, text, whole_number
from sse_tui.recording.records import End, Fault, Note, Reconnect, Record

OWN = "_sseTui"
CLOCKS = ("kernel", "read", "none", "imported")
_KINDS = (Fault, Reconnect, Note, End)


def own_clock(own: dict[str, Any]) -> str:
    """The clock that the archive's recording had."""
    clock = text(own.get("clock"))
    return clock if clock in CLOCKS else "imported"


def apply_own(exchange: Exchange, own: dict[str, Any]) -> bool:
    """Set the times of an exchange from our own field. False, and nothing set, where they do not fit its body."""
    reads = _numbers(own.get("reads"), 2)
    t = whole_number(own.get("t"))
    answered = whole_number(own.get("answered_at"))
    if reads is None or t is None or answered is None:
        return False
    if sum(size for _, size in reads) != len(exchange.body):
        return False
    close = fields(own.get("close"))
    phases = [
        (text(name), whole_number(at), whole_number(dt)) for name, at, dt in _triples(own.get("phases"))
    ]
    exchange.reads = [(at, size) for at, size in reads]
    exchange.t, exchange.answered_at = t, answered
    exchange.phases = [
        (name, at, dt) for name, at, dt in phases if name and at is not None and dt is not None
    ]
    exchange.closed_at = whole_number(close.get("t"))
    exchange.reason = text(close.get("reason")) or exchange.reason
    exchange.detail = text(close.get("detail"))
    exchange.code = text(close.get("code"))
    exchange.dialect = text(own.get("dialect")) or None
    turn, conn = whole_number(own.get("turn"), 1, 2**31), whole_number(own.get("conn"), 1, 2**31)
    exchange.numbers = (turn, conn) if turn is not None and conn is not None else None
    # What HAR must have, and the recording had not.
    exchange.asked = own.get("asked") is not False
    if own.get("answered") is False:
        exchange.status = 0
    return True


def other_records(own: dict[str, Any]) -> list[tuple[int, Record]]:
    """Faults, reconnects, notes and the end, each with the number of records before it."""
    found: list[tuple[int, Record]] = []
    for item in items(own.get("records")):
        place = whole_number(fields(item).get("place"))
        try:
            record = msgspec.convert(fields(item).get("record"), Record)
        except BROKEN:
            continue
        if place is not None and isinstance(record, _KINDS):
            found.append((place, record))
    return sorted(found, key=lambda pair: pair[0])


def _numbers(value: object, width: int) -> list[list[int]] | None:
    rows: list[list[int]] = []
    for row in items(value):
        numbers = [whole_number(cell) for cell in items(row)]
        known = [cell for cell in numbers if cell is not None]
        if len(numbers) != width or len(known) != width:
            return None
        rows.append(known)
    return rows if isinstance(value, list) else None


def _triples(value: object) -> list[list[Any]]:
    return [row for row in items(value) if isinstance(row, list) and len(row) == 3]

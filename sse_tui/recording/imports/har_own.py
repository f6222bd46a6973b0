"""What our own archives contain beyond HAR: only numbers, so that the body is in one place, where it can be edited.

In an entry: ``turn``, ``conn``, ``t``, ``answered_at``, ``phases``, ``reads`` ([[ns, bytes], ...] of the body in the
entry), ``close`` ({t, reason, detail}), ``dialect``; ``asked`` and ``answered`` are false if the recording had no
request or no response, which HAR cannot leave out. In the log: ``clock``, and ``records``, the records that do not
belong to an exchange, each with the number of records before it.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec

from sse_tui.recording.imports.exchange import Exchange
from sse_tui.recording.imports.whole_documents import BROKEN, fields, items, text, whole_number
from sse_tui.recording.records import End, Fault, Note, Reconnect, Record

OWN = "_sseTui"
CLOCKS = ("kernel", "read", "none", "imported")
_KINDS = (Fault, Reconnect, Note, End)
_Whole: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
_Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class _Close(msgspec.Struct, frozen=True):
    t: _Whole | None = None
    reason: str = ""
    detail: str = ""
    code: str = ""


class _Own(msgspec.Struct):
    t: _Whole
    answered_at: _Whole
    reads: list[tuple[_Whole, _Whole]]
    phases: list[tuple[str, int, int]] = []
    close: _Close = _Close()
    turn: _Number = 0
    conn: _Number = 0
    dialect: str | None = None
    asked: bool = True
    answered: bool = True


def own_clock(own: dict[str, Any]) -> str:
    """The clock that the archive's recording had."""
    clock = text(own.get("clock"))
    return clock if clock in CLOCKS else "imported"


def apply_own(exchange: Exchange, field: object) -> bool:
    """Set the times of an exchange from our own field. False, and nothing set, if they do not fit its body."""
    try:
        own = msgspec.convert(field, _Own)
    except BROKEN:
        return False
    if sum(size for _, size in own.reads) != len(exchange.body):
        return False
    exchange.t, exchange.answered_at, exchange.reads = own.t, own.answered_at, own.reads
    exchange.phases = [(name, at, dt) for name, at, dt in own.phases if name and at >= 0 and dt >= 0]
    exchange.closed_at = own.close.t
    exchange.reason = own.close.reason or exchange.reason
    exchange.detail, exchange.code = own.close.detail, own.close.code
    exchange.dialect = own.dialect or None
    exchange.numbers = (own.turn, own.conn) if own.turn and own.conn else None
    exchange.asked = own.asked
    if not own.answered:
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

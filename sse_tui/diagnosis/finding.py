"""What a rule reports: an `Occurrence` from the rule itself, a `Finding` with everything that a reader needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from sse_tui.diagnosis.view import EntryView

Severity: TypeAlias = Literal["error", "warning", "info"]

RAW_BYTES = 200
"""The most bytes of the body that a finding quotes."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Occurrence(NamedTuple):
    """One occurrence, as returned by the rule's function.

    `message` is one sentence on what it means here. `severity` and `advice` are the rule's unless given; `start` and
    `end` are those of the item at hand unless given; `entry` attributes the finding to an earlier entry. `amend`
    changes the rule's first finding on this connection (severity if given, message if not empty, evidence merged)
    instead of adding another; without such a finding it does nothing.
    """

    message: str
    severity: Severity | None = None
    advice: str | None = None
    evidence: Mapping[str, Any] = _NOTHING
    start: int | None = None
    end: int | None = None
    entry: EntryView | None = None
    amend: bool = False


@dataclass(slots=True)
class Finding:
    """Something wrong, suspicious or worth knowing, and where it is.

    `message` is what it means here, `advice` what to do, `reference` a public report or a section of a standard.
    `start` and `end` are byte offsets in the body of connection `conn`, content coding removed; `event` is the number
    of the dispatched event there, from 1; `t` is ns since the start of the session. These are None where they do not
    apply or are not known. `raw` is the beginning of those bytes. `count` is how often the rule fired on this
    connection: only the first few occurrences get findings of their own, and the first of those counts them all.
    """

    rule: str
    severity: Severity
    message: str
    advice: str
    reference: str
    turn: int
    conn: int
    start: int | None = None
    end: int | None = None
    event: int | None = None
    t: int | None = None
    raw: bytes = b""
    count: int = 1
    evidence: dict[str, Any] = field(default_factory=dict)

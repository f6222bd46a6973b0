"""What was found, with everything that a reader needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "info"]

WORST_FIRST: tuple[Severity, ...] = ("error", "warning", "info")

Setting: TypeAlias = Literal["error", "warning", "info", "off"]
"""What a user wants of a rule: always this severity, or no findings at all."""

RAW_BYTES = 200
"""The most bytes of the body that a finding quotes."""


@dataclass(slots=True)
class Finding:
    """Something wrong, suspicious or worth knowing, and where it is.

    `message` is what it means here, `advice` what to do, `reference` a public report or a section of a standard.
    `start` and `end` are byte offsets in the body of connection `conn`, content coding removed; `event` is the number
    of the dispatched event there, from 1; `t` is ns since the start of the session. These are None where they do not
    apply or are not known. `raw` is the beginning of those bytes. `count` is how often the rule fired on this
    connection: only the first few occurrences get findings of their own, and the first of those counts them all.

    `severity` is what the user wants of the rule, `own_severity` what the rule says; a `hidden` finding is one that the
    user does not want to see. How a stream ended does not depend on what a user wants.
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
    own_severity: Severity = "info"
    hidden: bool = False

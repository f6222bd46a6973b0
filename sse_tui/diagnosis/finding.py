"""What a rule has to say: a `Hit` from the rule itself, a `Finding` with all that a reader needs beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from sse_tui.diagnosis.view import Seen

Severity: TypeAlias = Literal["error", "warning", "info"]

RAW_BYTES = 200
"""The most bytes of the body that a finding quotes."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Hit(NamedTuple):
    """One occurrence, as the rule's function gives it.

    `message` says in one sentence what it means here. `severity` and `advice` are those of the rule unless given;
    `start` and `end` are those of the item looked at unless given; `seen` places the finding at an earlier
    entry. `amend` changes the rule's first finding on this
    connection (severity where given, message where not empty, evidence merged) instead of making another; without such
    a finding nothing happens.
    """

    message: str
    severity: Severity | None = None
    advice: str | None = None
    evidence: Mapping[str, Any] = _NOTHING
    start: int | None = None
    end: int | None = None
    seen: Seen | None = None
    amend: bool = False


@dataclass(slots=True)
class Finding:
    """Something wrong, suspicious or worth knowing, and where.

    `message` is what it means here, `advice` what to do, `reference` a public report or section to cite. `start` and
    `end` are byte offsets in the body of connection `conn`, content coding removed; `event` numbers its dispatched
    events from 1; `t` is ns since the session's start. Those three are None where they do not apply or are not known.
    `raw` is the beginning of those bytes. `count` is how often the rule fired on this connection: only the first few
    occurrences have findings of their own, and the first of them counts all.
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

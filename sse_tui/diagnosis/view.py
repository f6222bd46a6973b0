"""What rules see of the analysis, as protocols: nothing here depends on the code that assembles a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sse_tui.diagnosis.scanner import ByteMatch
from sse_tui.dialects import Answer, Dialect
from sse_tui.dialects.base import Delta
from sse_tui.dialects.bearing import Bearing
from sse_tui.eventstream import Item
from sse_tui.metrics import ClockBuilder, Gaps
from sse_tui.recording.records import Record
from sse_tui.resume import Verdict


class EntryView(Protocol):
    """One entry of the wire log, or what else rules run on: its content is an item, a record, or found in the bytes."""

    @property
    def kind(self) -> str: ...
    @property
    def t(self) -> int | None: ...
    @property
    def conn(self) -> int: ...
    @property
    def item(self) -> Item | ByteMatch | None: ...
    @property
    def record(self) -> Record | None: ...
    @property
    def deltas(self) -> Sequence[Delta]: ...
    @property
    def number(self) -> int: ...
    @property
    def repeat(self) -> bool: ...
    @property
    def bearing(self) -> Bearing: ...


class Concluded(Protocol):
    """How a turn stands or ended; the words are the same wherever it is shown."""

    @property
    def outcome(self) -> str: ...
    @property
    def truncated(self) -> bool: ...
    @property
    def marker(self) -> str: ...
    @property
    def request_failed(self) -> bool: ...
    @property
    def code(self) -> str: ...
    @property
    def sentence(self) -> str: ...


class TurnView(Protocol):
    """What has been assembled of a turn so far."""

    number: int
    dialect: Dialect
    answer: Answer
    clocks: ClockBuilder
    gaps: Gaps

    @property
    def dialect_name(self) -> str: ...
    @property
    def verdict(self) -> Verdict | None: ...
    @property
    def conclusion(self) -> Concluded: ...
    @property
    def output_tokens(self) -> int | None: ...
    @property
    def tokens_per_event(self) -> float | None: ...

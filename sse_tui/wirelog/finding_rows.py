"""Which row of the wire log each finding is about: to mark the row, and to go from a finding to it."""

from __future__ import annotations

from collections.abc import Sequence

from sse_tui.diagnosis import WORST_FIRST, Finding
from sse_tui.wirelog.rows import RowTable


class FindingRows:
    """The findings of a session, each with its row. Free of cost while there are no new ones."""

    def __init__(self, findings: Sequence[Finding], rows: RowTable) -> None:
        self.findings = findings
        self._rows = rows
        self._row: list[int | None] = []
        self._at: dict[int, list[int]] = {}
        self._open: list[int] = []

    def __len__(self) -> int:
        return len(self.findings)

    def sync(self) -> None:
        """Find the rows of new findings. Call it once the rows of the record that gave them are added, before the next.

        A finding about bytes whose event is not whole yet gets its row in a later call.
        """
        for number in range(len(self._row), len(self.findings)):
            self._row.append(None)
            self._open.append(number)
        if self._open:
            self._open = [number for number in self._open if not self._assign(number)]

    def _assign(self, number: int) -> bool:
        finding = self.findings[number]
        row, certain = self._row_of(finding)
        if certain and row is not None:
            self._row[number] = row
            self._at.setdefault(row, []).append(number)
        return certain

    def _row_of(self, finding: Finding) -> tuple[int | None, bool]:
        """The row, and whether a later one cannot fit better."""
        if finding.event is not None:
            row = self._rows.event_row(finding.conn, finding.event)
            if row is not None:
                return row, True
        if finding.start is not None:
            end = finding.end if finding.end is not None else finding.start + 1
            row = self._rows.byte_row(finding.conn, finding.start, end)
            over = self._rows.closed(finding.conn)
            return (row, True) if row is not None else (self._rows.last_row(finding.conn), over)
        row = self._rows.last_row(finding.conn)
        return row, row is not None

    def row(self, number: int) -> int | None:
        """The row of a finding by its number; while its event is not whole, the last row before."""
        if not 0 <= number < len(self._row):
            return None
        row = self._row[number]
        return row if row is not None else self._row_of(self.findings[number])[0]

    def at(self, row: int) -> list[int]:
        """The numbers of the findings about a row."""
        return self._at.get(row, [])

    def worst(self, row: int) -> str:
        """The worst severity among the findings about a row; "" for none."""
        numbers = self._at.get(row)
        if not numbers:
            return ""
        return min((self.findings[number].severity for number in numbers), key=WORST_FIRST.index)

    def counts(self) -> dict[str, int]:
        """How many findings there are of each severity, the worst first, zeros included."""
        made: dict[str, int] = dict.fromkeys(WORST_FIRST, 0)
        for finding in self.findings:
            made[finding.severity] += 1
        return made

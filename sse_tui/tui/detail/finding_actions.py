"""What the keys do about findings: show them, go from one to the next, to its row and to its bytes."""

from __future__ import annotations

from sse_tui.tui.detail.findings import FindingsView
from sse_tui.tui.links import Links

_NO_BYTES = {"request": "headers", "response": "headers"}


class FindingActions(Links):
    """From a finding to its row and its bytes."""

    def action_findings(self) -> None:
        """Show the findings."""
        self.show_pane("detail")
        self.detail.choose("findings")
        if self.detail.findings.cursor < 0 and self.session.found:
            self.detail.findings.choose(0)
        self.focus_on(self.detail.findings)

    def action_finding(self, by: int) -> None:
        """The next or previous finding."""
        view = self.detail.findings
        if not self.session.found:
            self.notify("Nothing was found wrong so far.")
            return
        number = view.cursor + by if view.cursor >= 0 or by > 0 else len(self.session.found) - 1
        if not 0 <= number < len(self.session.found):
            self.notify(
                "There is no finding after this one." if by > 0 else "There is no finding before this one."
            )
            return
        self.action_findings()
        view.choose(number)
        self._to_row(number)

    def on_findings_view_moved(self, event: FindingsView.Moved) -> None:
        """The row of a chosen finding."""
        self._to_row(event.number)

    def on_findings_view_opened(self, event: FindingsView.Opened) -> None:
        """The bytes of a finding; the headers or the record where it is about none."""
        row = self._to_row(event.number)
        if row is None:
            self.notify("This finding is about no row of the wire log.")
            return
        self.show_detail()
        finding = self.session.found.findings[event.number]
        if self.detail.row is not None and self.detail.row.raw:
            start, end = finding.start, finding.end
            self.detail.show_bytes(start if start is not None else self.detail.row.start, end or 0)
        else:
            self.detail.choose(_NO_BYTES.get(self.session.rows.label(row), "json"))

    def _to_row(self, number: int) -> int | None:
        row = self.session.found.row(number)
        if row is not None:
            self.wire.select_row(row)
        return row

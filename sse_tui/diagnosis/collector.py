"""Collects findings: the first few of each rule and connection, and how many there were."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Finding, Occurrence
from sse_tui.diagnosis.registry import INTERNAL, Rule
from sse_tui.diagnosis.view import EntryView
from sse_tui.text.safety import log_line

KEPT = 3  # findings of one rule on one connection; more are counted
MAX_FINDINGS = 5_000  # in a session


class Collector:
    """Turns occurrences into findings. `new` holds those that have not been taken yet."""

    def __init__(self) -> None:
        self.new: list[Finding] = []
        self.internal_errors: list[Finding] = []
        self._made = 0
        self._by_rule: dict[tuple[str, int], list[Finding]] = {}

    def add(self, rule: Rule, occurrence: Occurrence, entry: EntryView, facts: Facts) -> None:
        """One occurrence: a new finding, one more of a known one, or an amendment to it."""
        key = rule.id, facts.conn.number
        known = self._by_rule.get(key)
        if occurrence.amend:
            if known:
                _amend(known[0], occurrence)
            return
        if known:
            known[0].count += 1
        if (known and len(known) >= KEPT) or self._made >= MAX_FINDINGS:
            return
        finding = _make(rule, occurrence, entry, facts)
        self._by_rule.setdefault(key, []).append(finding)
        self._made += 1
        self.new.append(finding)

    def failed(self, rule: Rule, error: Exception, entry: EntryView, facts: Facts) -> None:
        """A rule raised: one finding a rule and session, however full the list of findings is."""
        for known in self.internal_errors:
            if known.evidence["rule"] == rule.id:
                known.count += 1
                return
        where = f"event {entry.number}" if entry.number else f"connection {facts.conn.number} ({entry.kind})"
        cause = f"{type(error).__name__}: {error}".removesuffix(": ")[:200]
        message = f"rule {rule.id} failed on {where}: {cause} ({_line_of(error)})."
        evidence = {"rule": rule.id, "error": cause, "line": _line_of(error)}
        finding = _make(INTERNAL, Occurrence(message, evidence=evidence), entry, facts)
        self.internal_errors.append(finding)
        self.new.append(finding)


def _line_of(error: Exception) -> str:
    """The source line that raised, without the folders before the module: what a bug report needs."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is None:
        return "unknown line"
    return f"{frame.tb_frame.f_code.co_filename.rpartition('/')[2]}, line {frame.tb_lineno}"


def _amend(finding: Finding, occurrence: Occurrence) -> None:
    finding.severity = occurrence.severity or finding.severity
    finding.message = log_line(occurrence.message) or finding.message
    finding.evidence |= occurrence.evidence


def _make(rule: Rule, occurrence: Occurrence, entry: EntryView, facts: Facts) -> Finding:
    entry = occurrence.entry or entry
    item, match = entry.item, facts.match
    start, end = occurrence.start, occurrence.end
    if start is None and item is not None:
        start, end = item.start, item.end
    elif start is None and match is not None:
        start, end = match.start, match.end
    raw = b"" if start is None or end is None else facts.conn.window.quote(start, end)
    return Finding(
        rule=rule.id,
        severity=occurrence.severity or rule.severity,
        message=log_line(occurrence.message),
        advice=occurrence.advice or rule.advice,
        reference=rule.reference,
        turn=facts.turn.view.number,
        conn=facts.conn.number,
        start=start,
        end=end,
        event=entry.number or None,
        t=entry.t,
        raw=raw,
        evidence=dict(occurrence.evidence),
    )

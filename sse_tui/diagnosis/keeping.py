"""Keeps findings: the first few of each rule and connection, and how many there were."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Finding, Hit
from sse_tui.diagnosis.registry import Rule
from sse_tui.diagnosis.view import Seen
from sse_tui.text.safety import log_line

KEPT = 3  # findings of one rule on one connection; more are counted
MOST = 5_000  # findings of a session


class Keeper:
    """Makes findings of hits. `new` holds those that nobody took yet."""

    def __init__(self) -> None:
        self.new: list[Finding] = []
        self._made = 0
        self._by_rule: dict[tuple[str, int], list[Finding]] = {}

    def found(self, rule: Rule, hit: Hit, at: Seen, facts: Facts) -> None:
        """One occurrence: a finding of its own, one more of a known one, or a change of it."""
        key = rule.id, facts.conn.number
        known = self._by_rule.get(key)
        if hit.amend:
            if known:
                _amend(known[0], hit)
            return
        if known:
            known[0].count += 1
        if (known and len(known) >= KEPT) or self._made >= MOST:
            return
        finding = _make(rule, hit, at, facts)
        self._by_rule.setdefault(key, []).append(finding)
        self._made += 1
        self.new.append(finding)


def _amend(finding: Finding, hit: Hit) -> None:
    finding.severity = hit.severity or finding.severity
    finding.message = log_line(hit.message) or finding.message
    finding.evidence |= hit.evidence


def _make(rule: Rule, hit: Hit, at: Seen, facts: Facts) -> Finding:
    at = hit.seen or at
    item, mark = at.item, facts.mark
    start, end = hit.start, hit.end
    if start is None and item is not None:
        start, end = item.start, item.end
    elif start is None and mark is not None:
        start, end = mark.start, mark.end
    raw = b"" if start is None or end is None else facts.conn.window.quote(start, end)
    return Finding(
        rule=rule.id,
        severity=hit.severity or rule.severity,
        message=log_line(hit.message),
        advice=hit.advice or rule.advice,
        reference=rule.reference,
        turn=facts.turn.view.number,
        conn=facts.conn.number,
        start=start,
        end=end,
        event=at.number or None,
        t=at.t,
        raw=raw,
        evidence=dict(hit.evidence),
    )

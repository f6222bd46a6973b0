"""Collects findings: the first few of each rule and connection, and how many there were."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import Any

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Finding, Setting
from sse_tui.diagnosis.registry import INTERNAL, Occurrence, Rule
from sse_tui.text.safety import log_line

KEPT = 3  # findings of one rule on one connection; more are counted
MAX_FINDINGS = 5_000  # in a session
MESSAGE_LENGTH = 2_000
EVIDENCE_LENGTH = 2_000


class Collector:
    """Turns occurrences into findings. `new` holds those that have not been taken yet.

    `settings` gives, by rule, the severity that the user wants, or "off".
    """

    def __init__(self, settings: Mapping[str, Setting]) -> None:
        self._settings = settings
        self.new: list[Finding] = []
        self.internal_errors: list[Finding] = []
        self._made = 0
        self._by_rule: dict[tuple[str, int], list[Finding]] = {}
        self._by_group: dict[tuple[str, int, str], Finding] = {}

    def add(self, rule: Rule, occurrence: Occurrence, facts: Facts) -> None:
        """One occurrence: a new finding, one more of a known one, or an amendment to it."""
        if occurrence.group:
            self._add_to_group(rule, occurrence, facts)
            return
        key = rule.id, facts.conn.number if occurrence.conn is None else occurrence.conn
        known = self._by_rule.get(key)
        if occurrence.amend:
            if known:
                self._amend(known[0], occurrence)
            return
        if known:
            known[0].count += 1
        if (known and len(known) >= KEPT) or self._made >= MAX_FINDINGS:
            return
        finding = self._wanted(_make(rule, occurrence, facts))
        self._by_rule.setdefault(key, []).append(finding)
        self._made += 1
        self.new.append(finding)

    def _add_to_group(self, rule: Rule, occurrence: Occurrence, facts: Facts) -> None:
        key = rule.id, facts.conn.number, occurrence.group
        finding = self._by_group.get(key)
        if finding is not None:
            self._amend(finding, occurrence)
        elif self._made < MAX_FINDINGS:
            finding = self._by_group[key] = self._wanted(_make(rule, occurrence, facts))
            self._made += 1
            self.new.append(finding)
        else:
            return
        finding.count = occurrence.total

    def _amend(self, finding: Finding, occurrence: Occurrence) -> None:
        finding.severity = finding.own_severity
        _amend(finding, occurrence)
        self._wanted(finding)

    def _wanted(self, finding: Finding) -> Finding:
        """The finding as the user wants it."""
        finding.own_severity = finding.severity
        setting = self._settings.get(finding.rule)
        if setting == "off":
            finding.hidden = True
        elif setting is not None:
            finding.severity = setting
        return finding

    def failed(self, rule: Rule, error: Exception, facts: Facts) -> None:
        """A rule raised: one finding a rule and session, however full the list of findings is."""
        for known in self.internal_errors:
            if known.evidence["rule"] == rule.id:
                known.count += 1
                return
        entry, line = facts.entry, _line_of(error)
        where = f"event {entry.number}" if entry.number else f"connection {facts.conn.number} ({entry.kind})"
        cause = f"{type(error).__name__}: {error}".removesuffix(": ")[:200]
        message = f"rule {rule.id} failed on {where}: {cause} ({line})."
        evidence = {"rule": rule.id, "error": cause, "line": line}
        finding = _make(INTERNAL, Occurrence(message, evidence=evidence), facts)
        self.internal_errors.append(finding)
        self.new.append(finding)


def _line_of(error: Exception) -> str:
    """The source line that raised, without the folders before the module: what a bug report needs."""
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    return f"{frame.f_code.co_filename.rpartition('/')[2]}, line {line}"


def _make(rule: Rule, occurrence: Occurrence, facts: Facts) -> Finding:
    entry = occurrence.entry or facts.entry
    item = entry.item
    return Finding(
        rule=rule.id,
        severity=occurrence.severity or rule.severity,
        message=log_line(occurrence.message[:MESSAGE_LENGTH]),
        advice=occurrence.advice or rule.advice,
        reference=rule.reference,
        turn=facts.turn.view.number,
        conn=facts.conn.number,
        start=item.start if item is not None else None,
        end=item.end if item is not None else None,
        event=entry.number or None,
        t=entry.t,
        raw=facts.conn.window.quote(item.start, item.end) if item is not None else b"",
        evidence=_brief(occurrence.evidence),
    )


def _amend(finding: Finding, occurrence: Occurrence) -> None:
    finding.severity = occurrence.severity or finding.severity
    finding.message = log_line(occurrence.message[:MESSAGE_LENGTH]) or finding.message
    finding.advice = occurrence.advice or finding.advice
    finding.evidence |= _brief(occurrence.evidence)


def _brief(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The evidence of a finding, long texts in it cut: they are a server's, and findings are kept."""
    return {
        name: value[:EVIDENCE_LENGTH] if isinstance(value, str) else value for name, value in evidence.items()
    }

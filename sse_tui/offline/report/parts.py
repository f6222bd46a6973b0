"""The parts of a report in words, the same for every form of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from sse_tui.analysis.jsonform import clocks_json, gaps_json
from sse_tui.analysis.outcome import Outcome, fault_words
from sse_tui.analysis.turn import Connection, Turn
from sse_tui.diagnosis import Finding
from sse_tui.offline.report.builder import Objective, Report, ranked
from sse_tui.text.wording import many

CLOCK_WORDS = {
    "kernel": "kernel receive times",
    "read": "time of each read",
    "imported": "times from the capture",
    "none": "none (captured without times)",
}


class NamedValue(NamedTuple):
    """A line of a table: a name and its value, both for people."""

    name: str
    value: str


def headline(report: Report) -> str:
    """What the recording holds, in one line."""
    turns = report.turns
    events = sum(turn.events for turn in turns)
    size = sum(turn.bytes for turn in turns)
    conns = sum(len(turn.connections) for turn in turns)
    return ", ".join(
        [many(len(turns), "turn"), many(conns, "connection"), many(events, "event"), many(size, "byte")]
    )


def verdict(report: Report) -> str:
    """What was found, in one line."""
    counts = [
        many(report.count(severity), noun)
        for severity, noun in (("error", "error"), ("warning", "warning"), ("info", "note"))
        if report.count(severity)
    ]
    failed = sum(not judgement.passed for judgement in report.judgements)
    if report.judgements:
        counts.append(f"{failed} of {many(len(report.judgements), 'expectation')} failed")
    return ", ".join(counts) or "no problems found"


def request_line(turn: Turn) -> str:
    """Method and URL of a turn, "" where they are not known."""
    request = next((conn.request for conn in turn.connections if conn.request is not None), None)
    return f"{request.method} {request.url}" if request is not None else ""


def summary_rows(turn: Turn) -> list[NamedValue]:
    """What the turn was and how it ended."""
    answer = turn.answer
    rows = [NamedValue("outcome", turn.conclusion.statement), NamedValue("dialect", turn.dialect_name)]
    if answer.model:
        rows.append(NamedValue("model", answer.model))
    if answer.finish_reason:
        rows.append(NamedValue("finish reason", str(answer.finish_reason)))
    if turn.error is not None and turn.outcome is not Outcome.ERROR:
        rows.append(NamedValue("error", fault_words(turn.error)))
    if answer.usage:
        counts = [f"{count:g} {name}" for name, count in answer.usage.items() if count is not None]
        rows.append(NamedValue("tokens", ", ".join(counts)))
    types = ", ".join(f"{name} {count}" for name, count in turn.event_types.most_common(8))
    rows.append(
        NamedValue(
            "events", f"{turn.events:,}" + (f" ({types})" if types and len(turn.event_types) > 1 else "")
        )
    )
    if turn.comments:
        rows.append(NamedValue("comments", f"{turn.comments:,}"))
    if turn.verdict is not None:
        rows.append(NamedValue("resume", f"{turn.verdict.kind}: {turn.verdict.detail}"))
    return rows


_CLOCK_NAMES = {
    "dns": "DNS", "tcp": "TCP connect", "tls": "TLS", "sent": "request sent", "ttfb": "headers (TTFB)",
    "first_byte": "first byte of the body", "ttfc": "first event (TTFC)", "ttft": "first token (TTFT)",
    "ttfo": "first visible token (TTFO)", "e2e": "last token (E2E)", "stream_end": "end of the stream",
}  # fmt: skip


def clock_rows(report: Report, turn: Turn) -> list[NamedValue]:
    """The clocks that were seen, ms from the first byte of the request."""
    if not report.timed:
        return []
    return [
        NamedValue(_CLOCK_NAMES.get(name, name), ms(value))
        for name, value in clocks_json(turn).items()
        if value is not None
    ]


def gap_rows(report: Report, turn: Turn) -> list[NamedValue]:
    """The gaps between token-bearing events, and the rates."""
    if not report.timed:
        return []
    gaps: dict[str, Any] = gaps_json(turn)
    label = str(gaps["label"])
    rows = []
    if gaps["n"]:
        values = [
            f"{name} {ms(gaps[name])}" for name in ("p50", "p90", "p99", "max") if gaps[name] is not None
        ]
        rows.append(NamedValue(f"{label} (n = {gaps['n']})", ", ".join(values)))
    if gaps["coalesced"]:
        rows.append(NamedValue("in the same read", f"{gaps['coalesced']}, gap not observable"))
    if gaps["stutters"]:
        rows.append(NamedValue("over 100 ms", str(gaps["stutters"])))
    if gaps["tpot_ms"] is not None:
        rows.append(NamedValue("TPOT", f"{ms(gaps['tpot_ms'])} (tokens from {gaps['tokens_from']})"))
    if gaps["tokens_per_s"] is not None:
        rows.append(NamedValue("tokens/s", f"{gaps['tokens_per_s']:.1f}"))
    if gaps["events_per_read"] is not None:
        rows.append(NamedValue("events per read", f"{gaps['events_per_read']:.2f}"))
    return rows


def connection_cells(conn: Connection) -> list[str]:
    """Number, status, events, bytes, reads and how it was closed."""
    status = str(conn.response.status) if conn.response is not None else "-"
    ended = conn.close.words if conn.close is not None else "still open"
    return [
        str(conn.number),
        status,
        f"{conn.events:,}",
        f"{conn.bytes:,}",
        f"{conn.reads:,}",
        ended,
    ]


def objective_cells(report: Report) -> list[list[str]]:
    """Name, bound, value and state of each objective; [] where no times are known."""
    if not any(row.value is not None and row.unit == "ms" for row in report.objectives):
        return []
    return [[row.name, _bound(row), _found(row), row.state] for row in report.objectives]


def _bound(row: Objective) -> str:
    return f"{'>' if row.name == 'completion' else '<'} {measured(row.bound, row.unit)}"


def _found(row: Objective) -> str:
    if row.value is None:
        return "unknown"
    samples = f"n = {row.n}" if row.unit == "share" else f"{row.statistic}, n = {row.n}"
    return f"{measured(row.value, row.unit)} ({samples})"


def measured(value: float, unit: str) -> str:
    """The value of an objective for people."""
    return f"{value * 100:g} %" if unit == "share" else ms(value)


OBJECTIVE_TITLES = ["objective", "bound", "found", "state"]
CONNECTION_TITLES = ["conn", "status", "events", "bytes", "reads", "closed"]


class Shown(NamedTuple):
    """A finding, with its advice and reference unless an earlier one had the same."""

    finding: Finding
    advice: str
    reference: str


def shown(findings: list[Finding]) -> list[Shown]:
    """The findings, the worst first."""
    seen: set[tuple[str, str]] = set()
    out: list[Shown] = []
    for finding in ranked(findings):
        new = (finding.rule, finding.advice) not in seen
        seen.add((finding.rule, finding.advice))
        out.append(Shown(finding, finding.advice if new else "", finding.reference if new else ""))
    return out


def location(finding: Finding) -> str:
    """Where a finding is: connection, event, bytes and time."""
    parts = [f"conn {finding.conn}"] if finding.conn else []
    if finding.event is not None:
        parts.append(f"event {finding.event}")
    if finding.start is not None and finding.end is not None:
        parts.append(f"bytes {finding.start}-{finding.end}")
    if finding.t is not None:
        parts.append(f"+{ms(finding.t / 1e6)}")
    if finding.count > 1:
        parts.append(many(finding.count, "time"))
    return ", ".join(parts)


def quoted(finding: Finding, most: int = 120) -> str:
    """The beginning of the bytes that a finding is about, on one line."""
    shown = finding.raw[:most].decode("utf-8", "backslashreplace")
    line = shown.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")
    return line + (" ..." if len(finding.raw) > most else "")


def ms(value: float | None) -> str:
    """Milliseconds for people."""
    if value is None:
        return "unknown"
    if abs(value) >= 10_000:
        return f"{value / 1000:,.1f} s"
    return f"{value:,.1f} ms" if abs(value) >= 1 or value == 0 else f"{value:.3f} ms"

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
    "kernel": "receive times of the kernel",
    "read": "times after each read",
    "imported": "times from the capture",
    "none": "none: this stream was captured without times",
}


class Row(NamedTuple):
    """A name and its value, both for people."""

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
    return ", ".join(counts) or "nothing found wrong"


def request_line(turn: Turn) -> str:
    """Method and URL of a turn, "" where they are not known."""
    request = next((conn.request for conn in turn.connections if conn.request is not None), None)
    return f"{request.method} {request.url}" if request is not None else ""


def summary_rows(turn: Turn) -> list[Row]:
    """What the turn was and how it ended."""
    answer = turn.answer
    rows = [Row("outcome", turn.conclusion.statement), Row("dialect", turn.dialect_name)]
    if answer.model:
        rows.append(Row("model", answer.model))
    if answer.finish_reason:
        rows.append(Row("finish reason", str(answer.finish_reason)))
    if turn.error is not None and turn.outcome is not Outcome.ERROR:
        rows.append(Row("error", fault_words(turn.error)))
    if answer.usage:
        counts = [f"{count:g} {name}" for name, count in answer.usage.items() if count is not None]
        rows.append(Row("tokens", ", ".join(counts)))
    types = ", ".join(f"{name} {count}" for name, count in turn.event_types.most_common(8))
    rows.append(
        Row("events", f"{turn.events:,}" + (f" ({types})" if types and len(turn.event_types) > 1 else ""))
    )
    if turn.comments:
        rows.append(Row("comments", f"{turn.comments:,}"))
    if turn.verdict is not None:
        rows.append(Row("resume", f"{turn.verdict.kind}: {turn.verdict.detail}"))
    return rows


_CLOCK_NAMES = {
    "dns": "DNS", "tcp": "TCP connect", "tls": "TLS", "sent": "request sent", "ttfb": "headers (TTFB)",
    "first_byte": "first byte of the body", "ttfc": "first event (TTFC)", "ttft": "first token (TTFT)",
    "ttfo": "first visible token (TTFO)", "e2e": "last token (E2E)", "stream_end": "end of the stream",
}  # fmt: skip


def clock_rows(report: Report, turn: Turn) -> list[Row]:
    """The clocks that were seen, ms from the first byte of the request."""
    if not report.timed:
        return []
    return [
        Row(_CLOCK_NAMES.get(name, name), ms(value))
        for name, value in clocks_json(turn).items()
        if value is not None
    ]


def gap_rows(report: Report, turn: Turn) -> list[Row]:
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
        rows.append(Row(f"{label} (n = {gaps['n']})", ", ".join(values)))
    if gaps["coalesced"]:
        rows.append(Row("in the same read", f"{gaps['coalesced']}, gap not observable"))
    if gaps["stutters"]:
        rows.append(Row("over 100 ms", str(gaps["stutters"])))
    if gaps["tpot_ms"] is not None:
        rows.append(Row("TPOT", f"{ms(gaps['tpot_ms'])} (tokens from {gaps['tokens_from']})"))
    if gaps["tokens_per_s"] is not None:
        rows.append(Row("tokens/s", f"{gaps['tokens_per_s']:.1f}"))
    if gaps["events_per_read"] is not None:
        rows.append(Row("events a read", f"{gaps['events_per_read']:.2f}"))
    return rows


def connection_cells(conn: Connection) -> list[str]:
    """Number, status, events, bytes, reads and how it ended."""
    status = str(conn.response.status) if conn.response is not None else "-"
    ended = "still open" if conn.close is None else conn.close.reason
    detail = conn.close.detail if conn.close is not None else ""
    return [
        str(conn.number),
        status,
        f"{conn.events:,}",
        f"{conn.bytes:,}",
        f"{conn.reads:,}",
        f"{ended}: {detail}" if detail else ended,
    ]


def objective_cells(report: Report) -> list[list[str]]:
    """Name, bound, value and state of each objective; [] where no time is known that one could be about."""
    if not any(row.value is not None and row.unit == "ms" for row in report.objectives):
        return []
    return [[row.name, _bound(row), _found(row), row.state] for row in report.objectives]


def _bound(row: Objective) -> str:
    return f"{'>' if row.name == 'completion' else '<'} {measured(row.bound, row.unit)}"


def _found(row: Objective) -> str:
    if row.value is None:
        return "not known"
    samples = f"n = {row.n}" if row.unit == "share" else f"{row.statistic}, n = {row.n}"
    return f"{measured(row.value, row.unit)} ({samples})"


def measured(value: float, unit: str) -> str:
    """The value of an objective for people."""
    return f"{value * 100:g} %" if unit == "share" else ms(value)


OBJECTIVE_TITLES = ["objective", "bound", "found", "state"]
CONNECTION_TITLES = ["conn", "status", "events", "bytes", "reads", "closed"]


class Shown(NamedTuple):
    """A finding, and what of its advice and its reference was not said of an earlier one already."""

    finding: Finding
    advice: str
    reference: str


def shown(findings: list[Finding]) -> list[Shown]:
    """The findings, the worst first."""
    told: set[tuple[str, str]] = set()
    out: list[Shown] = []
    for finding in ranked(findings):
        new = (finding.rule, finding.advice) not in told
        told.add((finding.rule, finding.advice))
        out.append(Shown(finding, finding.advice if new else "", finding.reference if new else ""))
    return out


def place(finding: Finding) -> str:
    """Where a finding is."""
    parts = [f"conn {finding.conn}"] if finding.conn else []
    if finding.event is not None:
        parts.append(f"event {finding.event}")
    if finding.start is not None and finding.end is not None:
        parts.append(f"bytes {finding.start}-{finding.end}")
    if finding.t is not None:
        parts.append(f"+{ms(finding.t / 1e6)}")
    if finding.count > 1:
        parts.append(f"{finding.count} times")
    return ", ".join(parts)


def quoted(finding: Finding, most: int = 120) -> str:
    """The beginning of the bytes that a finding is about, on one line."""
    shown = finding.raw[:most].decode("utf-8", "backslashreplace")
    line = shown.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")
    return line + (" ..." if len(finding.raw) > most else "")


def ms(value: float | None) -> str:
    """Milliseconds for people."""
    if value is None:
        return "not known"
    if abs(value) >= 10_000:
        return f"{value / 1000:,.1f} s"
    return f"{value:,.1f} ms" if abs(value) >= 1 or value == 0 else f"{value:.3f} ms"

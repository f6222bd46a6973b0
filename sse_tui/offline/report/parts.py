"""The parts of a report in words, the same for every form of it."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from sse_tui.analysis.jsonform import clocks_json, gaps_json
from sse_tui.analysis.outcome import Outcome
from sse_tui.analysis.turn import Connection, Turn
from sse_tui.diagnosis import Finding
from sse_tui.dialects.inband import fault_words
from sse_tui.metrics import Objective
from sse_tui.offline.report.builder import Report, ranked
from sse_tui.text.wording import choice_words, many

CLOCK_WORDS = {
    "kernel": "kernel receive times",
    "read": "time of each read",
    "imported": "times from the capture",
    "none": "none (captured without times)",
}


_TYPES_NAMED = 8

# What there may be too much of to list it, by its name in the result.
_NOT_LISTED = {
    "ignored_fields": "ignored line", "retry": "retry field", "tool_calls": "tool call", "connections": "connection",
}  # fmt: skip

NamedValue: TypeAlias = tuple[str, str]
"""A line of a table: a name and its value, both for people."""


def headline(report: Report) -> str:
    """What the recording holds, in one line."""
    turns = report.turns
    counts = {
        "turn": len(turns),
        "connection": sum(turn.connection_count for turn in turns),
        "event": sum(turn.events for turn in turns),
        "byte": sum(turn.bytes for turn in turns),
    }
    return ", ".join(many(count, noun) for noun, count in counts.items())


def verdict(report: Report) -> str:
    """What was found, in one line."""
    nouns = {"error": "error", "warning": "warning", "info": "note"}
    counts = [many(count, noun) for kind, noun in nouns.items() if (count := report.count(kind))]
    failed = sum(not judgement.passed for judgement in report.judgements)
    if report.judgements:
        counts.append(f"{failed} of {many(len(report.judgements), 'expectation')} failed")
    return ", ".join(counts) or "no problems found"


def request_line(turn: Turn) -> str:
    """Method and URL of a turn, "" where they are not known."""
    request = turn.request
    return f"{request.method} {request.url}" if request is not None else ""


def texts(turn: Turn) -> list[NamedValue]:
    """The texts of the answer, by name; of several choices each by its own."""
    choices = turn.answer.by_choice
    rows = []
    for choice in choices:
        owner = f" of {choice_words(choice.index)}" if len(choices) > 1 else ""
        rows += [(f"Text{owner}", choice.text), (f"Reasoning{owner}", choice.reasoning)]
    return _known(rows)


def tool_calls(turn: Turn) -> list[NamedValue]:
    """The name and the arguments of each tool call; the name says the choice where there are several."""
    choices = turn.answer.by_choice
    return [
        (
            (f"{choice_words(choice.index)}: " if len(choices) > 1 else "") + str(call.get("name") or "?"),
            str(call.get("arguments") or ""),
        )
        for choice in choices
        for call in choice.tool_calls
    ]


def finish_reasons(turn: Turn) -> str:
    """The raw finish reason; of several choices each reason with its choice."""
    answer = turn.answer
    if answer.choices < 2:
        return answer.finish_reason or ""
    return ", ".join(f"{reason} ({choice_words(index)})" for index, reason in answer.finishes.items())


def _known(rows: list[NamedValue]) -> list[NamedValue]:
    return [row for row in rows if row[1]]


def summary_rows(turn: Turn) -> list[NamedValue]:
    """What the turn was and how it ended."""
    answer, verdict = turn.answer, turn.verdict
    error = turn.error if turn.outcome is not Outcome.ERROR else None
    counts = [f"{count:g} {name}" for name, count in (answer.usage or {}).items() if count is not None]
    named = turn.event_types.most_common(_TYPES_NAMED)
    types = ", ".join(f"{name} {count}" for name, count in named)
    if others := turn.events - sum(count for _, count in named):
        types += f", and {others:,} of other types"
    return _known(
        [
            ("outcome", turn.conclusion.statement),
            ("dialect", turn.dialect_name),
            ("model", answer.model or ""),
            ("finish reason", finish_reasons(turn)),
            ("error", fault_words(error) if error is not None else ""),
            ("tokens", ", ".join(counts)),
            ("events", f"{turn.events:,}" + (f" ({types})" if len(turn.event_types) > 1 else "")),
            ("comments", f"{turn.comments:,}" if turn.comments else ""),
            (
                "not listed",
                ", ".join(
                    many(count, _NOT_LISTED[name])
                    for name, count in turn.others.items()
                    if name in _NOT_LISTED
                ),
            ),
            ("resume", f"{verdict.kind}: {verdict.detail}" if verdict is not None else ""),
        ]
    )


_CLOCK_NAMES = {
    "dns": "DNS", "tcp": "TCP connect", "tls": "TLS", "sent": "request sent", "ttfb": "headers (TTFB)",
    "first_byte": "first byte of the body", "ttfc": "first event (TTFC)", "ttft": "first token (TTFT)",
    "ttfo": "first visible token (TTFO)", "e2e": "last token (E2E)", "stream_end": "end of the stream",
}  # fmt: skip


def timing_rows(report: Report, turn: Turn) -> list[NamedValue]:
    """The clocks that were seen (from the first byte of the request), gaps between token-bearing events, and rates."""
    if not report.timed:
        return []
    clocks = clocks_json(turn).items()
    gaps = gaps_json(turn)
    found = [f"{name} {ms(gaps[name])}" for name in ("p50", "p90", "p99", "max") if gaps[name] is not None]
    tpot, rate, per_read = gaps["tpot_ms"], gaps["tokens_per_s"], gaps["events_per_read"]
    return _known(
        [
            *((_CLOCK_NAMES.get(name, name), ms(value)) for name, value in clocks if value is not None),
            (f"{gaps['label']} (n = {gaps['n']})", ", ".join(found) if gaps["n"] else ""),
            ("in the same read", f"{gaps['coalesced']}, gap not observable" if gaps["coalesced"] else ""),
            ("over 100 ms", str(gaps["stutters"] or "")),
            ("TPOT", f"{ms(tpot)} (tokens from {gaps['tokens_from']})" if tpot is not None else ""),
            ("tokens/s", f"{rate:.1f}" if rate is not None else ""),
            ("events per read", f"{per_read:.2f}" if per_read is not None else ""),
        ]
    )


def connection_cells(conn: Connection) -> list[str]:
    """Number, status, events, bytes, reads and how it was closed."""
    status = str(conn.response.status) if conn.response is not None else "-"
    closed = conn.close.words if conn.close is not None else "still open"
    return [str(conn.number), status, f"{conn.events:,}", f"{conn.bytes:,}", f"{conn.reads:,}", closed]


def objective_cells(report: Report) -> list[list[str]]:
    """Name, bound, value and state of each objective; [] where no times are known."""
    if not any(row.value is not None and row.unit == "ms" for row in report.objectives):
        return []
    return [_objective_row(row) for row in report.objectives]


def _objective_row(row: Objective) -> list[str]:
    found = measured(row.value, row.unit) + (f" ({samples(row)})" if row.value is not None else "")
    return [row.name, bound(row), found, row.state]


def bound(row: Objective) -> str:
    """What an objective demands."""
    return f"{'>' if row.name == 'completion' else '<'} {measured(row.bound, row.unit)}"


def samples(row: Objective) -> str:
    """What the value of an objective was taken from."""
    return f"n = {row.n}" if row.unit == "share" else f"{row.statistic}, n = {row.n}"


def measured(value: float | None, unit: str) -> str:
    """The bound or the value of an objective, "ms" or "share", as the report and the metrics screen print it."""
    if value is None:
        return "unknown"
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


def ms(value: float) -> str:
    """Milliseconds for people."""
    if abs(value) >= 10_000:
        return f"{value / 1000:,.1f} s"
    return f"{value:,.1f} ms" if abs(value) >= 1 or value == 0 else f"{value:.3f} ms"

"""The report as plain text, for a terminal or a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from sse_tui.analysis.turn import Turn
from sse_tui.offline.report import parts
from sse_tui.offline.report.builder import Report
from sse_tui.offline.report.parts import NamedValue
from sse_tui.text.safety import document
from sse_tui.text.wording import many

WIDTH = 100
TEXT_LINES = 40
TEXT_CHARS = 4000
_LETTERS = {"error": "E", "warning": "W", "info": "i"}


def render(report: Report) -> str:
    """The whole report, ended by a line end."""
    return "\n".join(map(document, _lines(report))) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield report.name
    yield parts.headline(report)
    yield f"clock: {parts.CLOCK_WORDS.get(report.analysis.header.clock, report.analysis.header.clock)}"
    yield parts.verdict(report)
    for turn in report.turns:
        yield ""
        yield from _turn(report, turn)
    if objectives := parts.objective_cells(report):
        yield from ["", "Objectives"]
        yield from _table(parts.OBJECTIVE_TITLES, objectives)
    if report.judgements:
        yield from ["", "Expectations"]
        for judgement in report.judgements:
            number = f"  turn {judgement.turn}" if len(report.turns) > 1 else ""
            state = "pass" if judgement.passed else "FAIL"
            yield f"  {state}{number}  {_flat(judgement.expectation.text)}  ({judgement.found})"
    for note in (*report.damage, *report.analysis.problems):
        yield f"note: {_flat(note)}"


def _turn(report: Report, turn: Turn) -> Iterator[str]:
    title = parts.request_line(turn)
    if len(report.turns) > 1:
        title = f"Turn {turn.number}  {title}"
    if title:
        yield _flat(title)
    yield from _rows(parts.summary_rows(turn))
    if turn.findings:
        yield from ["", "Findings"]
        for shown in parts.shown(turn.findings):
            yield from _finding(shown)
    if timing := parts.timing_rows(report, turn):
        yield from ["", "Timing"]
        yield from _rows(timing)
    if turn.connections:
        yield from ["", "Connections"]
        yield from _table(parts.CONNECTION_TITLES, [*map(parts.connection_cells, turn.connections)])
    for name, text in parts.texts(turn):
        yield from ["", name]
        yield from _quote(text)
    if calls := parts.tool_calls(turn):
        yield from ["", "Tool calls"]
        yield from (f"  {_flat(name)}({_flat(arguments)})" for name, arguments in calls)


def _rows(rows: Sequence[NamedValue]) -> Iterator[str]:
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        yield f"  {name.ljust(width)}  {_flat(value)}"


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    columns = [[title, *(row[at] for row in rows)] for at, title in enumerate(titles)]
    for cells in zip(*map(_aligned, columns), strict=True):
        yield "  " + "  ".join(cells).rstrip()


def _aligned(column: list[str]) -> list[str]:
    """The cells at one width, counts to the right."""
    width = max(map(len, column))
    counts = all(cell == "-" or cell.replace(",", "").isdigit() for cell in column[1:])
    return [cell.rjust(width) if counts else cell.ljust(width) for cell in column]


def _finding(shown: parts.Shown) -> Iterator[str]:
    finding = shown.finding
    yield f"  {_LETTERS.get(finding.severity, '?')} {finding.rule}  {parts.location(finding)}"
    for text in (finding.message, shown.advice):
        yield from wrap(_flat(text), WIDTH - 4, initial_indent="    ", subsequent_indent="    ")
    if finding.raw:
        yield f"    | {parts.quoted(finding)}"
    if shown.reference:
        yield f"    see {shown.reference}"


def _quote(text: str) -> Iterator[str]:
    more = len(text) - TEXT_CHARS
    if more > 0:
        yield from _quote(text[:TEXT_CHARS])
        yield f"  ... {many(more, 'more character')}"
        return
    lines = text.split("\n")
    for line in lines[:TEXT_LINES]:
        yield f"  | {line}".rstrip()
    if len(lines) > TEXT_LINES:
        yield f"  ... {many(len(lines) - TEXT_LINES, 'more line')}"


def _flat(text: str) -> str:
    return " ".join(text.split())

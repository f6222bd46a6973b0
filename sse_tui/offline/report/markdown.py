"""The report as Markdown, ready for an issue tracker.

Whatever a server sent stands in code: there no mention, link or tag in it means anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sse_tui.analysis.turn import Turn
from sse_tui.offline.report import parts
from sse_tui.offline.report.builder import Report
from sse_tui.text.safety import document
from sse_tui.text.wording import many

_MARKUP = re.compile(r"[\\`*\[\]~|$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^(?:[#+=-]|\d+(?=[.)]))")
_LINKED = re.compile(r"@|#(?=\w)|https?(?=://)|www(?=\.)|GH(?=-\d)", re.IGNORECASE)
# Beyond this a comment of an issue tracker grows unreadable (GitHub takes 65,536 characters).
TEXT_CHARS = 4000


def render(report: Report) -> str:
    """The whole report."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"## Stream report: {code(report.name)}"
    yield ""
    yield f"{parts.headline(report)}. **{parts.verdict(report).capitalize()}.**"
    for turn in report.turns:
        yield ""
        yield from _turn(report, turn)
    if objectives := parts.objective_cells(report):
        yield from ["", "### Objectives", ""]
        yield from _table(parts.OBJECTIVE_TITLES, objectives)
    if report.judgements:
        yield from ["", "### Expectations", ""]
        for judgement in report.judgements:
            mark = "x" if judgement.passed else " "
            yield f"- [{mark}] {code(judgement.expectation.text)}: {code(judgement.found)}"
    for note in (*report.damage, *report.analysis.problems):
        yield from ["", f"Note: {code(note)}"]
    clock = report.analysis.header.clock
    yield from ["", f"<sub>{report.tool}, clock: {parts.CLOCK_WORDS.get(clock, 'unknown')}</sub>"]


def _turn(report: Report, turn: Turn) -> Iterator[str]:
    request = parts.request_line(turn)
    if len(report.turns) > 1:
        yield from [f"### Turn {turn.number}", ""]
    if request:
        yield from [code(request), ""]
    yield from _table(["", ""], [(name, code(value)) for name, value in parts.summary_rows(turn)])
    if turn.findings:
        yield from ["", "### Findings", ""]
        for shown in parts.shown(turn.findings):
            yield from _finding(shown)
    if timing := parts.timing_rows(report, turn):
        yield from ["", "### Timing", ""]
        yield from _table(["", ""], timing)
    if turn.connections:
        yield from ["", "### Connections", ""]
        cells = [parts.connection_cells(conn) for conn in turn.connections]
        yield from _table(parts.CONNECTION_TITLES, [[*row[:-1], code(row[-1])] for row in cells])
    for name, text in parts.texts(turn):
        yield from ["", f"<details><summary>{name}, {many(len(text), 'character')}</summary>", ""]
        yield from [fence(text), "", "</details>"]


def _finding(shown: parts.Shown) -> Iterator[str]:
    finding = shown.finding
    yield f"- **{finding.severity}** `{finding.rule}` ({parts.location(finding)})  "
    yield f"  {prose(finding.message)}  "
    if shown.advice:
        yield f"  {prose(shown.advice)}  "
    if finding.raw:
        yield f"  bytes: {code(parts.quoted(finding))}  "
    if shown.reference:
        yield f"  see {code(shown.reference)}"


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(titles) + " |"
    yield "|" + " --- |" * len(titles)
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def code(text: str) -> str:
    """Text of others as a code span on one line."""
    flat = " ".join(document(text).split())
    if not flat:
        return "(empty)"
    ticks = "`" * (_longest_run(flat) + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}"


def prose(text: str) -> str:
    """A sentence that may quote others: no mark-up, link, mention or reference in it means anything."""
    flat = " ".join(document(text).split())
    plain = _MARKUP.sub(_escaped, flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    # A comment between them keeps trackers from linking what they find.
    return _LINKED.sub(r"\g<0><!-- -->", plain)


def _escaped(match: re.Match[str]) -> str:
    # A backslash means nothing before a digit: it is the point after the number that would make a list of it.
    return f"{match[0]}\\" if match[0].isdigit() else f"\\{match[0]}"


def fence(text: str, language: str = "text") -> str:
    """Text of others as a code block, cut where it grows too long."""
    shown = document(text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(shown) > TEXT_CHARS:
        shown = shown[:TEXT_CHARS] + f"\n... {many(len(text) - TEXT_CHARS, 'more character')}"
    ticks = "`" * max(3, _longest_run(shown) + 1)
    return f"{ticks}{language}\n{shown}\n{ticks}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall(r"`+", text)), default=0)

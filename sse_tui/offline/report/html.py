"""The report as one HTML page: no script, nothing loaded from anywhere, readable on a phone, light and dark.

A policy in the page itself forbids what it does not need, so that even a slip in escaping could load nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sse_tui.analysis.turn import Turn
from sse_tui.offline.report import parts
from sse_tui.offline.report.builder import Report
from sse_tui.offline.report.page_style import STYLE
from sse_tui.offline.report.parts import NamedValue
from sse_tui.offline.report.svg import timeline
from sse_tui.text.safety import html as _e
from sse_tui.text.wording import many

TEXT_CHARS = 200_000
# Connections of a turn that are drawn: a storm of reconnects looks the same after the first of them.
DRAWN = 24
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(report: Report) -> str:
    """The whole page."""
    name = _e(report.name)
    worst = next((level for level in ("error", "warning") if report.count(level)), "fine")
    if any(not judgement.passed for judgement in report.judgements):
        worst = "error"
    clock = report.analysis.header.clock
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">',
            f"<title>{name}</title><style>{STYLE}</style></head><body><main>",
            f"<header><h1>{name}</h1><p>{_e(parts.headline(report))}</p>",
            f'<p class="verdict {worst}">{_e(parts.verdict(report))}</p></header>',
            *_expectations(report),
            *(part for turn in report.turns for part in _turn(report, turn)),
            *_objectives(report),
            *(f'<p class="note">{_e(note)}</p>' for note in (*report.damage, *report.analysis.problems)),
            f"<footer>{_e(report.tool)}; clock: {_e(parts.CLOCK_WORDS.get(clock, clock))}</footer>",
            "</main></body></html>",
            "",
        ]
    )


def _expectations(report: Report) -> Iterator[str]:
    if not report.judgements:
        return
    yield '<section><h2>Expectations</h2><ul class="checks">'
    for judgement in report.judgements:
        state = "pass" if judgement.passed else "fail"
        turn = f"turn {judgement.turn}: " if len(report.turns) > 1 else ""
        yield (
            f'<li class="{state}"><b>{state}</b> {turn}<code>{_e(judgement.expectation.text)}</code> '
            f"<span>{_e(judgement.found)}</span></li>"
        )
    yield "</ul></section>"


def _objectives(report: Report) -> Iterator[str]:
    if not (cells := parts.objective_cells(report)):
        return
    yield '<section><h2>Objectives</h2><ul class="checks">'
    for name, bound, found, state in cells:
        yield f'<li class="{state}"><b>{state}</b> {_e(name)} {_e(bound)} <span>{_e(found)}</span></li>'
    yield "</ul></section>"


def _turn(report: Report, turn: Turn) -> Iterator[str]:
    title = f"Turn {turn.number}" if len(report.turns) > 1 else "Stream"
    request = parts.request_line(turn)
    yield f"<section><h2>{title}</h2>"
    if request:
        yield f'<p class="request"><code>{_e(request)}</code></p>'
    yield from [_rows(parts.summary_rows(turn)), "</section>"]
    yield from _timelines(report, turn)
    yield from _findings(turn)
    if timing := parts.timing_rows(report, turn):
        yield f"<section><h2>Timing</h2>{_rows(timing)}</section>"
    yield from _answer(turn)


def _findings(turn: Turn) -> Iterator[str]:
    if turn.findings:
        yield from ["<section><h2>Findings</h2>", *map(_finding, parts.shown(turn.findings)), "</section>"]


def _finding(shown: parts.Shown) -> str:
    finding = shown.finding
    advice = f"<p>{_e(shown.advice)}</p>" if shown.advice else ""
    raw = f"<pre>{_e(parts.quoted(finding, 200))}</pre>" if finding.raw else ""
    reference = f'<p class="place">see {_e(shown.reference)}</p>' if shown.reference else ""
    return (
        f'<article class="finding {finding.severity}"><h3><b>{finding.severity}</b> {_e(finding.rule)}</h3>'
        f'<p class="place">{_e(parts.location(finding))}</p><p>{_e(finding.message)}</p>'
        f"{advice}{raw}{reference}</article>"
    )


def _timelines(report: Report, turn: Turn) -> Iterator[str]:
    if not turn.connections:
        return
    yield "<section><h2>Connections</h2>"
    if not report.timed:
        yield "<p>This stream was captured without times: the lines below show offsets in the body.</p>"
    for conn in turn.connections[:DRAWN]:
        number, status, *_, closed = map(_e, parts.connection_cells(conn))
        came = f"{many(conn.events, 'event')}, {many(conn.bytes, 'byte')}"
        reads = many(conn.reads, "read")
        yield f"<h3>#{number} <small>status {status}, {came} in {reads}, closed: {closed}</small></h3>"
        line = report.timelines.get(conn.number)
        if line is not None and (line.reads or line.marks):
            yield timeline(line, turn.findings)
    if turn.connection_count > DRAWN:
        yield f"<p>{many(turn.connection_count - DRAWN, 'further connection')}</p>"
    yield (
        '<p class="legend">Bars: what arrived. Shaded: silence. '
        '<span class="fault">✗ fault</span> <span class="note">✎ note</span> '
        '<span class="warning">▲ finding</span></p>\n</section>'
    )


def _answer(turn: Turn) -> Iterator[str]:
    for name, text in parts.texts(turn):
        shown = text[:TEXT_CHARS] + ("\n..." if len(text) > TEXT_CHARS else "")
        opened = " open" if name.startswith("Text") else ""
        yield (
            f"<section><details{opened}><summary>{name}, {many(len(text), 'character')}</summary>"
            f'<pre class="text">{_e(shown)}</pre></details></section>'
        )
    for name, arguments in parts.tool_calls(turn):
        yield f"<section><h3>Tool call {_e(name)}</h3><pre>{_e(arguments)}</pre></section>"


def _rows(rows: Sequence[NamedValue]) -> str:
    cells = "".join(f"<div><dt>{_e(name)}</dt><dd>{_e(value)}</dd></div>" for name, value in rows)
    return f"<dl>{cells}</dl>"

"""A connection's timeline as inline SVG: lanes of reads, events, tokens and comments, silences, faults, findings.

Places across are percentages, so that the drawing fits any width while its words keep their size. A lane never has
more than `COLUMNS` bars, however long the recording.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sse_tui.diagnosis import Finding
from sse_tui.offline.report.parts import ms
from sse_tui.offline.report.timeline import Places, Timeline
from sse_tui.text.safety import html as escape

COLUMNS = 480
LANE = 26
TOP = 20
LABEL_ROWS = 14
# Silences shorter than this, or than this share of the whole, are not drawn.
GAP_NS = 250_000_000
GAP_SHARE = 0.04
_MARK_GLYPHS = {"fault": "✗", "note": "✎", "close": ""}


def timeline(line: Timeline, findings: Sequence[Finding]) -> str:
    """The drawing, as an ``<svg>`` element."""
    lanes = [("reads", line.reads), ("events", line.events), ("tokens", line.tokens)]
    if line.beats:
        lanes.append(("comments", line.beats))
    bottom = TOP + LANE * len(lanes)
    height = bottom + LABEL_ROWS + 18
    parts = [
        f'<svg class="timeline" width="100%" height="{height}" role="img" '
        f'aria-label="Timeline of connection {line.conn}" xmlns="http://www.w3.org/2000/svg">'
    ]
    parts += _silences(line, bottom)
    for number, (name, places) in enumerate(lanes):
        base = TOP + LANE * (number + 1) - 2
        parts.append(f'<line class="base" x1="0" x2="100%" y1="{base}" y2="{base}"/>')
        parts += _bars(line, name, places, base)
        parts.append(f'<text class="lane" x="2" y="{base - LANE + 12}">{name} {len(places):,}</text>')
    parts += _marks(line, bottom)
    parts += _findings(line, findings, bottom)
    parts += _axis(line, height)
    return "".join([*parts, "</svg>"])


def _share(line: Timeline, at: float) -> float:
    """Where a place is, in percent."""
    return min(100.0, max(0.0, (at - line.start) / (line.end - line.start) * 100))


def _bars(line: Timeline, name: str, places: Places, base: int) -> Iterator[str]:
    columns = [0] * COLUMNS
    for at, weight in places:
        columns[min(COLUMNS - 1, int(_share(line, at) / 100 * COLUMNS))] += weight
    most = max(columns)
    if not most:
        return
    width = 100 / COLUMNS
    for column, weight in enumerate(columns):
        if weight:
            # By the square root: one large read must not hide the small ones.
            height = max(2.0, (weight / most) ** 0.5 * (LANE - 12))
            yield (
                f'<rect class="{name}" x="{column * width:.2f}%" width="{width:.3f}%" '
                f'y="{base - height:.1f}" height="{height:.1f}"/>'
            )


def _silences(line: Timeline, bottom: int) -> Iterator[str]:
    for begin, end in line.gaps():
        if end - begin < max(GAP_NS, (line.end - line.start) * GAP_SHARE):
            continue
        x, x2 = _share(line, begin), _share(line, end)
        yield f'<rect class="gap" x="{x:.2f}%" width="{x2 - x:.2f}%" y="{TOP}" height="{bottom - TOP}"/>'
        if x2 - x > 12:
            yield f'<text class="gap" x="{(x + x2) / 2:.2f}%" y="{TOP - 5}">{ms((end - begin) / 1e6)}</text>'


def _marks(line: Timeline, bottom: int) -> Iterator[str]:
    for mark in line.marks:
        x = _share(line, mark.at)
        title = escape(f"{mark.kind}: {mark.text}")
        anchor = ' text-anchor="end"' if x > 50 else ""
        yield (
            f'<g class="{mark.kind}"><title>{title}</title>'
            f'<line x1="{x:.2f}%" x2="{x:.2f}%" y1="{TOP - 4}" y2="{bottom}"/>'
            f'<text x="{x:.2f}%" y="{TOP - 6}"{anchor}>{_MARK_GLYPHS[mark.kind]}</text></g>'
        )


def _findings(line: Timeline, findings: Sequence[Finding], bottom: int) -> Iterator[str]:
    for finding in findings:
        at = finding.t if line.timed else finding.start
        if finding.conn != line.conn or at is None:
            continue
        x = _share(line, at)
        yield (
            f'<g class="finding {finding.severity}"><title>{escape(finding.rule)}</title>'
            f'<text x="{x:.2f}%" y="{bottom + 11}" text-anchor="middle">▲</text></g>'
        )


def _axis(line: Timeline, height: int) -> Iterator[str]:
    span = line.end - line.start
    for share, anchor in ((0, "start"), (25, "middle"), (50, "middle"), (75, "middle"), (100, "end")):
        value = span * share / 100
        text = ms(value / 1e6) if line.timed else f"byte {int(value):,}"
        kind = "axis minor" if share in (25, 75) else "axis"
        yield f'<text class="{kind}" x="{share}%" y="{height - 3}" text-anchor="{anchor}">{text}</text>'

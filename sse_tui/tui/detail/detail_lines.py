"""The tabs of the detail pane: lines by number, made only when they are on screen."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from sse_tui.analysis.turn import Connection
from sse_tui.dialects.base import Delta
from sse_tui.eventstream import Comment, Event, Ignored, NoData, Retry, Tail
from sse_tui.metrics import Clocks
from sse_tui.recording.records import Headers, Record, Request, Response
from sse_tui.text.safety import pane_line
from sse_tui.wirelog.rows import Row

TABS = ("json", "text", "hex", "headers", "findings")
JSON_LIMIT = 60_000
"""Characters; larger payloads are not indented."""
PLAIN_LIMIT = 60_000
"""Characters of a text that are laid out. The hex tab shows all of it: only its lines on screen are ever made."""
VALUE_LIMIT = 4_000

Run = tuple[str, str]
"""A text and the name of its style: "", "key", "string", "number", "word", "quiet", "title", "error", "match"."""

_TOKEN = re.compile(
    r'(?P<key>"(?:[^"\\]|\\[\s\S])*+"(?=\s*:))|(?P<string>"(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|(?P<number>-?\d[\d.eE+-]*)|'
    r"(?P<word>true|false|null)|(?P<quiet>[{}\[\],:]+)"
)


class LazyLines(NamedTuple):
    """`total` lines, each made by `line(index)`."""

    total: int
    line: Callable[[int], list[Run]]


def fixed(lines: Sequence[list[Run]]) -> LazyLines:
    """Lines that exist already."""
    return LazyLines(len(lines), lines.__getitem__)


def json_lines(row: Row) -> LazyLines:
    """The payload, indented; or why it cannot be."""
    if row.record is not None:
        return fixed(_record_lines(row.record))
    data = row.item.data if isinstance(row.item, Event) else None
    if data is None:
        return fixed(
            [[(f"{row.label}: no payload", "quiet")], [], *_plain(row.raw.decode("utf-8", "replace"))]
        )
    problem, lines = _indented(data)
    return fixed([*problem, *lines])


def _indented(text: str) -> tuple[list[list[Run]], list[list[Run]]]:
    """What is in the way of indenting a JSON text, and its lines."""
    if len(text) > JSON_LIMIT:
        return [[(f"{len(text):,} characters, too long to indent", "quiet")]], _plain(text)
    try:
        value = json.loads(text)
    except ValueError as error:
        return [[(f"not JSON: {error}", "quiet")], []], _plain(text)
    return [], [coloured(line) for line in json.dumps(value, indent=2, ensure_ascii=False).split("\n")]


def text_lines(row: Row) -> LazyLines:
    """The fields as the standard sees them, and what the dialect made of them."""
    if row.item is None:
        return fixed(_record_lines(row.record) if row.record is not None else [])
    name, value, others = _FIELDS[type(row.item)](row.item)
    lines = [_field(name, value), *others]
    if row.deltas:
        lines += [[], [("means", "title")], *(_delta(delta) for delta in row.deltas)]
    return fixed(lines)


def hex_lines(row: Row, width: int, match: tuple[int, int] | None = None) -> LazyLines:
    """The bytes of the row at their offsets in the connection's body; those of `match`, from and to, stand out."""
    if not row.raw:
        return fixed([[("this row has no bytes of its own", "quiet")]])
    per_line = _bytes_a_line(width)
    raw, start = row.raw, row.start
    low, high = match or (0, 0)

    def line(index: int) -> list[Run]:
        first = start + index * per_line
        shown = raw[index * per_line : (index + 1) * per_line]
        digits: list[Run] = [(f"{first:08x}  ", "quiet")]
        text: list[Run] = [("  ", "string")]
        for column in range(per_line):
            space = " " if column + 1 < per_line else ""
            gap = "  " if column + 1 == per_line // 2 else space
            if column < len(shown):
                byte, offset = shown[column], first + column
                style = "match" if low <= offset < high else ""
                # The space between two bytes that stand out does so too.
                digits += [(f"{byte:02x}", style or "number")]
                digits += [(gap, style if style and offset + 1 < high and gap == " " else "number")]
                text.append((chr(byte) if 0x20 <= byte < 0x7F else ".", style or "string"))
            else:
                digits.append(("  " + gap, "number"))
        return _joined([*digits, *text])

    return LazyLines(-(-len(raw) // per_line), line)


def hex_line_of(row: Row, width: int, offset: int) -> int:
    """The line of the row's hex dump that shows a byte of the body, or the nearest that there is."""
    return max(0, min(offset - row.start, len(row.raw) - 1)) // _bytes_a_line(width)


def _bytes_a_line(width: int) -> int:
    return 16 if width >= 76 else 8 if width >= 44 else 4


def _joined(runs: list[Run]) -> list[Run]:
    """Neighbours of one style as one run."""
    return [("".join(text for text, _ in run), style) for style, run in groupby(runs, lambda run: run[1])]


def header_lines(conn: Connection | None, clocks: Clocks | None) -> LazyLines:
    """Request and response of the row's connection."""
    if conn is None:
        return fixed([[("this row belongs to no connection", "quiet")]])
    lines: list[list[Run]] = [[(f"connection {conn.number}", "title")]]
    if clocks is not None:
        phases = [("dns", clocks.dns), ("tcp", clocks.tcp), ("tls", clocks.tls), ("headers", clocks.ttfb),
                  ("first byte", clocks.first_byte)]  # fmt: skip
        known = "  ".join(f"{name} {value:.1f}" for name, value in phases if value is not None)
        lines.append([(f"{known} ms" if known else "no times", "quiet")])
    lines += [[], *_request_lines(conn.request), [], *_response_lines(conn.response)]
    if conn.close is not None:
        lines += [
            [],
            [("closed  ", "title"), (pane_line(conn.close.words), "")],
        ]
    return fixed(lines)


def _request_lines(request: Request | None) -> list[list[Run]]:
    if request is None:
        return [[("no request: the bytes were imported", "quiet")]]
    lines: list[list[Run]] = [[(f"{request.method} ", "title"), (pane_line(request.url), "")]]
    lines += _header_fields(request.headers)
    if request.body:
        lines += [[], *_indented(request.body)[1]]
    return lines


def _response_lines(response: Response | None) -> list[list[Run]]:
    if response is None:
        return [[("no response", "quiet")]]
    return [
        [(f"{response.status} ", "title"), (response.http_version, "")],
        *_header_fields(response.headers),
    ]


def _header_fields(headers: Headers) -> list[list[Run]]:
    return [[(f"{pane_line(name)}: ", "key"), (pane_line(value), "string")] for name, value in headers]


def _record_lines(record: Record) -> list[list[Run]]:
    lines: list[list[Run]] = [[(record.kind, "title")]]
    for name in record.__struct_fields__:
        value = getattr(record, name)
        if name == "headers" or (name == "body" and value):
            inner = _header_fields(value) if name == "headers" else _indented(value)[1]
            lines += [_field(name, ""), *([("  ", ""), *line] for line in inner)]
        elif name in {"t", "dt"}:
            lines.append(_field(name, f"{value / 1e6:,.3f} ms"))
        elif value not in (None, "", []):
            lines.append(_field(name, ", ".join(map(str, value)) if isinstance(value, list) else str(value)))
    return lines


def _field(name: str, value: str) -> list[Run]:
    return [(f"{name:<13} ", "key"), (pane_line(_short(value, VALUE_LIMIT)), "string")]


def _delta(delta: Delta) -> list[Run]:
    shown = ", ".join(
        f"{name}={_short(value, VALUE_LIMIT)!r}" if isinstance(value, str) else f"{name}={value!r}"
        for name, value in delta._asdict().items()
        if value not in (None, 0)
    )
    return [
        (f"{type(delta).__name__.lower():<9} ", "key"),
        (pane_line(_short(shown, 4 * VALUE_LIMIT)), ""),
    ]


# The first field of each kind of item, its value, and the lines after it.
_FIELDS: Mapping[type, Callable[[Any], tuple[str, str, list[list[Run]]]]] = {
    Event: lambda item: (
        "type",
        item.type or "message",
        [_field("id", item.id), _field("data", ""), *_plain(item.data)],
    ),
    Comment: lambda item: ("comment", item.text, []),
    Retry: lambda item: ("retry", f"{item.digits} ms", []),
    Ignored: lambda item: ("ignored", item.line, []),
    NoData: lambda item: (
        "no data",
        "nothing was dispatched",
        [_field("type", item.type), _field("id", item.id)],
    ),
    Tail: lambda item: ("tail", "discarded at the end of the body", _plain(item.text)),
}


def _plain(text: str) -> list[list[Run]]:
    lines: list[list[Run]] = [[(pane_line(line), "")] for line in text[:PLAIN_LIMIT].split("\n")]
    if len(text) > PLAIN_LIMIT:
        lines += [[], [(f"{len(text) - PLAIN_LIMIT:,} more characters: see the hex tab", "quiet")]]
    return lines


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… {len(text) - limit:,} more"


def coloured(line: str) -> list[Run]:
    """A line of indented JSON, by kind of token."""
    runs: list[Run] = []
    end = 0
    for match in _TOKEN.finditer(line):
        if match.start() > end:
            runs.append((pane_line(line[end : match.start()]), ""))
        runs.append((pane_line(match.group()), match.lastgroup or ""))
        end = match.end()
    if end < len(line):
        runs.append((pane_line(line[end:]), ""))
    return runs

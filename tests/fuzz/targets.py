"""What is fuzzed: functions that take any bytes and must neither fail nor give something that cannot be shown.

Only errors of our own tree may come out, and only where a function says so. Each target checks what must hold of the
result as well; seeds are what the tests have anyway.
"""

from __future__ import annotations

import io
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from sse_tui import dialects
from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.jsonform import entry_json
from sse_tui.cli import curl_arguments
from sse_tui.config import load
from sse_tui.dialects import Answer, LineDialect
from sse_tui.errors import ConfigError, RecordingError, UsageError
from sse_tui.eventstream import Event, EventTooLarge, Item, Parser
from sse_tui.faults import parse_plan
from sse_tui.offline.export import read_tape
from sse_tui.offline.export.curl_command import curl_command
from sse_tui.offline.export.har_file import har
from sse_tui.offline.replay import Script
from sse_tui.offline.report import (
    html,
    junit,
    markdown,
    parse_expectations,
    plain,
    report_json,
    report_of,
)
from sse_tui.recording import Follower, open_any, read_recording
from sse_tui.recording.record_lines import decode_record, encode_line
from sse_tui.recording.records import Chunk, Header, Record
from sse_tui.text import safety
from sse_tui.text.json_line import to_json
from tests.dialects.answer_data import as_data

DATA = Path(__file__).parents[1] / "data"
LIMIT = 1 << 16
# What acts on a terminal: C0 but tab and line feed, DEL, C1.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Target:
    """`run` raises when something is wrong. `seeds` are good inputs, `words` what is worth trying in the middle."""

    run: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    words: tuple[bytes, ...] = ()


def cuts(data: bytes) -> Iterator[bytes]:
    """The bytes in pieces of changing size, which the bytes themselves decide."""
    at = 0
    size = 1
    while at < len(data):
        piece = data[at : at + size]
        at += size
        size = 1 + (size * 31 + sum(piece)) % 23
        yield piece


# -- the parser -------------------------------------------------------------------------------------------------------


def parser(data: bytes) -> None:
    """However the bytes are cut, the same items, in order and within the bytes."""
    whole = _items([data], LIMIT)
    assert _items(list(cuts(data)), LIMIT) == whole
    at = 0
    for item in whole:
        # An event's block encloses the comments and fields in it, which come before it.
        assert item.start <= item.end <= len(data)
        assert at <= item.end
        at = item.end
    for limit in (16, 64):
        assert _items(list(cuts(data)), limit) == _items([data], limit)


def _items(pieces: list[bytes], limit: int) -> list[Item]:
    reader = Parser(limit=limit)
    items: list[Item] = []
    try:
        for piece in pieces:
            items += reader.feed(piece)
        items += reader.close()
    except EventTooLarge as error:
        items += error.items
    return items


# -- the dialects -----------------------------------------------------------------------------------------------------


def dialect(data: bytes) -> None:
    """Every dialect, by name and by detection, reads every stream, and what it says can be printed."""
    events = [item for item in _items([data], 1 << 20) if isinstance(item, Event)]
    for name in [*dialects.names(), "auto"]:
        reader, answer = dialects.create(name), Answer()
        for event in events:
            for delta in reader.read(event):
                answer.add(delta)
        if isinstance(reader, LineDialect):
            for line in data.decode("utf-8", "replace").split("\n"):
                for delta in reader.read_ignored(line):
                    answer.add(delta)
        to_json(as_data(answer))
        assert reader.complete in (True, False, None)
        assert len(answer.texts) == answer.text_length


# -- what is opened ---------------------------------------------------------------------------------------------------


def importer(data: bytes) -> None:
    """Whatever is opened gives records that a recording can hold, or an error that says why not."""
    try:
        records = list(open_any(io.BytesIO(data)))
    except RecordingError:
        return
    for record in records:
        line = encode_line(record)
        assert decode_record(line) == record or b"\xef\xbf\xbd" in line


def recording(data: bytes) -> None:
    """A recording reads the same whole, from a pipe and while it is written."""
    try:
        opened = read_recording(io.BytesIO(data))
        records = list(opened)
    except RecordingError:
        return
    assert len(opened.skipped.damage) <= data.count(b"\n") + 1
    with tempfile.NamedTemporaryFile(suffix=".sse.jsonl") as file, Follower(file.name) as follower:
        followed: list[Record] = []
        size = 1 + len(data) // 12
        for at in range(0, len(data), size):
            file.write(data[at : at + size])
            file.flush()
            followed += [record for _, record in follower.poll(size // 2)]
        while not follower.caught_up:
            followed += [record for _, record in follower.poll(size // 2)]
    # A last line without its end is the reader's, not the follower's: more of it may come.
    assert followed == records[: len(followed)]
    assert len(records) - len(followed) <= 1


def report(data: bytes) -> None:
    """Everything that can be opened can be analysed, reported in every form, and exported."""
    try:
        opened = open_any(io.BytesIO(data))
        records = list(opened)
    except RecordingError:
        return
    printer = Analysis(opened.header, max_event_bytes=LIMIT)
    for record in records:
        for entry in printer.feed(record):
            json.loads(to_json(entry_json(entry)))
    made = report_of(opened.header, records, "input", max_event_bytes=LIMIT)
    json.loads(to_json(report_json.render(made)))
    ElementTree.fromstring(junit.render(made, "error"))
    for text in (html.render(made), markdown.render(made), safety.terminal(plain.render(made))):
        assert not CONTROLS.search(text), CONTROLS.search(text)
        text.encode("utf-8", "replace")
    _exports(opened.header, records)


def _exports(header: Header, records: list[Record]) -> None:
    tape = read_tape(header, records)
    to_json(har(tape))
    Script(tape).answer("/", "")
    for conn in tape.connections.values():
        if conn.request is not None:
            curl_command(conn)


# -- what people write ------------------------------------------------------------------------------------------------


def config(data: bytes) -> None:
    """A configuration file is read, or its mistake is named."""
    with tempfile.NamedTemporaryFile(suffix=".toml") as file:
        file.write(data)
        file.flush()
        try:
            loaded = load(Path(file.name), {})
        except ConfigError:
            return
    assert loaded.config.profile in loaded.config.profiles


def fault_plan(data: bytes) -> None:
    """A plan is read, and what it prints is the same plan; or its mistake is named."""
    text = data.decode("utf-8", "replace")
    try:
        plan = parse_plan(text)
    except UsageError:
        return
    assert str(parse_plan(str(plan))) == str(plan)


def expectation(data: bytes) -> None:
    """Expectations are read, and can be judged; or their mistake is named."""
    try:
        expectations = parse_expectations(data.decode("utf-8", "replace"))
    except UsageError:
        return
    records = [Chunk(t=0, turn=1, conn=1, text="data: x\n\n")]
    made = report_of(Header(), records, "x", expectations=expectations)
    assert len(made.judgements) == len(expectations)


def curl_line(data: bytes) -> None:
    """A pasted curl command is a request that can be sent, or its mistake is named. No file is read."""
    text = data.decode("utf-8", "surrogateescape")
    if "@" in text or "x40" in text or "100" in text:
        return
    try:
        request = curl_arguments.parse(text)
    except UsageError:
        return
    request.url.encode()
    assert request.method
    assert isinstance(request.body, bytes | None)


# -- seeds ------------------------------------------------------------------------------------------------------------


def _streams() -> list[bytes]:
    return [path.read_bytes()[:20_000] for path in sorted((DATA / "streams").glob("*.sse"))]


def _recordings() -> list[bytes]:
    return [path.read_bytes() for path in sorted((DATA / "recordings").glob("*.sse.jsonl"))]


def _archive(data: bytes) -> bytes:
    opened = open_any(io.BytesIO(data))
    return to_json(har(read_tape(opened.header, opened))).encode()


def _captures() -> list[bytes]:
    body = b'data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}\n\ndata: [DONE]\n\n'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    return [
        head + b"\r\n" + body,
        head + b"Transfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n4\r\n x\n\n\r\n0\r\n\r\n",
        b"* Trying 1.2.3.4:80\n> GET /x HTTP/1.1\r\n> Accept: */*\r\n> \r\n< HTTP/1.1 200 OK\r\n< \r\n"
        + body,
        b"2026-11-30T13:00:00.123Z data: x\n2026-11-30T13:00:00.223Z \n",
        b"id\ttype\tdata\ttime\n1\tmessage\thello\t13:00:00.000\n",
        b"interactions:\n- request: {method: GET, uri: 'http://h/', headers: {}}\n  response:\n"
        b"    status: {code: 200, message: OK}\n    headers: {Content-Type: [text/event-stream]}\n"
        b'    body: {string: "data: x\\n\\n"}\n',
        *map(_archive, _recordings()),
        *_recordings(),
        *_streams(),
    ]


def _example() -> list[bytes]:
    return [(DATA.parents[1] / "config.example.toml").read_bytes(), b'[profiles.x]\nbase_url = "http://h"\n']


FIELDS = (
    *(b"data: ", b"data:", b"data", b"event: ", b"id: ", b"id", b"retry: ", b"retry:", b": ", b":", b"\n\n"),
    *(
        b"\r\n\r\n",
        b"\r\r",
        b"\r",
        b"\n",
        b"\xef\xbb\xbf",
        b"\0",
        b"[DONE]",
        b"\xff",
        b"\xf0\x9f\x98",
        b"\xe2\x80\xa8",
    ),
)
JSON_WORDS = (
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b"null",
        b"NaN",
        b"Infinity",
        b"1e999",
        b"-1",
        b"9" * 40,
        b'"\\ud800"',
        b"\\u0000",
    ),
    *(
        b'"type":',
        b'"delta":',
        b'"choices":[',
        b'"index":',
        b'"content":',
        b'"usage":',
        b'"error":',
        b'"tool_calls":',
    ),
    *(b'{"a":' * 30, b"[" * 200, b"\x1b[31m", b"\xc2\x9b31m", b"\\u001b]0;x\\u0007"),
)
HTTP_WORDS = (
    *(
        b"HTTP/1.1 200 OK\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Encoding: gzip\r\n",
        b"< ",
        b"> ",
        b"* ",
    ),
    *(
        b"0\r\n\r\n",
        b"ffffffff\r\n",
        b"13:00:00.000 ",
        b"\t",
        b"interactions:\n- ",
        b"!!binary ",
        b"&a ",
        b"*a",
    ),
    *(b'{"log":{"entries":[', b'{"request":{},"response":{}}'),
)
RECORD_WORDS = (
    *(b'{"format":"sse-recording","version":1}\n', b'{"k":"chunk","t":0,"conn":1,"text":"', b'"b64":"', b'"}\n'),
    *(b'{"k":"close","t":1,"conn":1,"reason":"eof"}\n', b'"turn":1,', b'"t":-9223372036854775808,'),
    *(b'"conn":4294967295,', b'["content-encoding","gzip"]', b'{"k":"end","t":0,"reason":""}\n'),
    *(b'{"k":"request","t":0,"conn":2,"turn":2,"method":"GET","url":"http://h","headers":[]}\n',),
    *(b'{"k":"response","t":0,"conn":1,"status":200,"http_version":"HTTP/1.1","headers":[]}\n',),
    *(b'{"k":"reconnect","t":0,"delay_ms":1e308,"last_event_id":"1","policy":"x"}\n',),
)  # fmt: skip

TARGETS: dict[str, Target] = {
    "parser": Target(parser, _streams, FIELDS),
    "dialect": Target(dialect, _streams, (*FIELDS, *JSON_WORDS)),
    "importer": Target(importer, _captures, (*FIELDS, *HTTP_WORDS, *JSON_WORDS)),
    "recording": Target(recording, _recordings, (*RECORD_WORDS, *JSON_WORDS)),
    "report": Target(report, _captures, (*FIELDS, *RECORD_WORDS, *HTTP_WORDS, *JSON_WORDS)),
    "config": Target(
        config, _example, (b"[profiles.x]\n", b"[keys]\n", b"= ", b'"', b"[[", b"1979-05-27", b"inf", b"{")
    ),
    "fault-plan": Target(
        fault_plan,
        lambda: [
            b"cut@event=41",
            b'stall=8s@text="a b"; drip=1B/100ms@bytes=9',
            b"reset@now;split=7@time=2s",
        ],
        (
            b"cut",
            b"reset",
            b"stall=",
            b"@",
            b"event=",
            b"bytes=",
            b"text=",
            b'"',
            b"now",
            b";",
            b"ms",
            b"1e9",
            b"p=0.5",
        ),
    ),
    "expectation": Target(
        expectation,
        lambda: [b"ttft<500ms, itl.p99<200ms, complete", b'text~"hello"', b"!error, text~/a+/, events>=3"],
        (
            b"ttft",
            b"itl.p99",
            b"complete",
            b"text",
            b"~",
            b"!~",
            b"<",
            b">=",
            b"/",
            b'"',
            b"'",
            b",",
            b"ms",
            b"rule:x",
        ),
    ),
    "curl": Target(
        curl_line,
        lambda: [
            b"curl -N 'https://h/v1' -H 'Accept: text/event-stream' --data-raw '{\"stream\":true}'",
            b"curl $'http://h/\\u00e9' -XPOST -d a=1 -G --compressed",
            b"curl --json '{}' -u a:b --http2 -m 3 http://h",
        ],
        (
            b"curl ",
            b" -H ",
            b" -d ",
            b" -G",
            b"$'",
            b"\\ud800",
            b"\\x00",
            b"\\777",
            b"'",
            b'"',
            b"\\\n",
            b" --url ",
            b" -m ",
        ),
    ),
}

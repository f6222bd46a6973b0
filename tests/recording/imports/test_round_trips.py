"""The same stream, captured by every tool: the same events, whatever the tool wrote around them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from sse_tui.eventstream import Event, Parser
from sse_tui.recording import open_any
from sse_tui.recording.records import Chunk
from tests.samples import DATA, stream_files

STREAMS = [path for path in stream_files() if path.is_relative_to(DATA)]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


def curl_i(body: bytes) -> bytes:
    return HEAD + b"\r\n" + body


def http_dump(body: bytes) -> bytes:
    parts = [body[at : at + 100] for at in range(0, len(body), 100)]
    coded = b"".join(b"%X\r\n%s\r\n" % (len(part), part) for part in parts)
    return HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + coded + b"0\r\n\r\n"


def curl_v(body: bytes) -> bytes:
    remarks = b"* Connected to h\n> GET /s HTTP/1.1\r\n> Host: h\r\n> \r\n"
    return (
        remarks
        + b"< "
        + HEAD.replace(b"\r\nC", b"\r\n< C")
        + b"< \r\n"
        + body
        + b"* Connection #0 to host h left intact\n"
    )


def timed_log(body: bytes) -> bytes:
    lines = body.split(b"\n")
    stamped = [b"12:00:%02d.%03d %s" % (n // 1000 % 60, n % 1000, line) for n, line in enumerate(lines[:-1])]
    return b"\n".join([*stamped, lines[-1]])


def har(body: bytes) -> bytes:
    content = {"mimeType": "text/event-stream", "text": body.decode()}
    entry = {
        "request": {"method": "GET", "url": "http://h/"},
        "response": {"status": 200, "content": content},
    }
    return json.dumps({"log": {"entries": [entry]}}).encode()


def cassette(body: bytes) -> bytes:
    response = {
        "status": {"code": 200},
        "headers": {"content-type": ["text/event-stream"]},
        "body": {"string": body},
    }
    request: dict[str, Any] = {"method": "GET", "uri": "http://h/", "headers": {}, "body": None}
    return str(
        yaml.safe_dump({"interactions": [{"request": request, "response": response}]}, sort_keys=False)
    ).encode()


FORMS: list[Callable[[bytes], bytes]] = [curl_i, http_dump, curl_v, timed_log, har, cassette]


def read(data: bytes) -> bytes:
    return b"".join(record.data for record in open_any(io.BytesIO(data)) if isinstance(record, Chunk))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.name)
def test_the_body_comes_back(form: Callable[[bytes], bytes], path: Path) -> None:
    body = path.read_bytes()
    assert read(form(body)) == body


@pytest.mark.parametrize("form", FORMS)
def test_every_recorded_provider(form: Callable[[bytes], bytes]) -> None:
    for path in stream_files():
        body = path.read_bytes()
        assert read(form(body)) == body, path


def dispatched(body: bytes) -> list[tuple[str, str, str]]:
    return [(item.type, item.data, item.id) for item in Parser().feed(body) if isinstance(item, Event)]


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.name)
def test_rows_of_the_developer_tools_give_the_same_events(path: Path) -> None:
    body = path.read_bytes()
    rows = [f"{row[2]}\t{row[0]}\t{row[1]}\t12:00:00.{n:03}\n" for n, row in enumerate(dispatched(body))]
    assert dispatched(read("".join(rows).encode())) == dispatched(body)

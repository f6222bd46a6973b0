"""A recording as a test: one file for pytest that serves the recorded bytes and reads them again, without sse-tui."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from sse_tui import fields
from sse_tui.eventstream import Event, EventTooLarge, Parser
from sse_tui.limits import UNLIMITED
from sse_tui.offline.export.tape import TapedConnection
from sse_tui.recording.records import Headers

# Of the framing, which the test's server makes itself, or of a moment that is gone.
_LEFT_OUT = frozenset(
    ["transfer-encoding", "content-length", "content-encoding", "connection", "keep-alive", "date", "server",
     "set-cookie", "trailer", "upgrade", "alt-svc"]
)  # fmt: skip

_HEAD = '''\
"""A recorded event stream as a test.

It needs Python 3.9 or newer and pytest, nothing else: a server on a loopback port sends the recorded bytes, read by
read, and `read_events`, a reader by the HTML standard, must find the recorded events. To test a client of your own,
let it read `url` in place of `read_events`.
"""
# ruff: noqa
# fmt: off
import http.client
import http.server
import re
import threading

import pytest

'''

_TAIL = '''

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        stream = STREAMS[int(self.path.rpartition("/")[2])]
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response_only(stream["status"])
        for name, value in stream["headers"]:
            self.send_header(name, value)
        self.send_header("Connection", "close")
        empty = stream["status"] in (204, 304)
        if not empty:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for read in [] if empty else stream["reads"]:
            self.wfile.write(b"%x\\r\\n%s\\r\\n" % (len(read), read))
            self.wfile.flush()
        if stream["whole"] and not empty:
            self.wfile.write(b"0\\r\\n\\r\\n")
        self.close_connection = True

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def log_message(self, *args):
        pass


def read_events(body):
    """The events of a body as (type, data, last event ID), by the HTML standard."""
    text = body.decode("utf-8", "replace")
    lines = re.split("\\r\\n|\\n|\\r", text[1:] if text.startswith("\\ufeff") else text)
    events, kind, data, last = [], "", [], ""
    # The last piece was not ended, so it is no line.
    for line in lines[:-1]:
        if not line:
            if data:
                events.append((kind or "message", "\\n".join(data), last))
            kind, data = "", []
            continue
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            data.append(value)
        elif name == "event":
            kind = value
        elif name == "id" and "\\0" not in value:
            last = value
    return events


@pytest.fixture(scope="module")
def server():
    serving = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=serving.serve_forever, daemon=True)
    thread.start()
    yield serving.server_address
    serving.shutdown()
    thread.join()
    serving.server_close()


@pytest.mark.parametrize("number", range(len(STREAMS)))
def test_stream(server, number):
    stream = STREAMS[number]
    url = "/%d" % number
    connection = http.client.HTTPConnection(*server, timeout=10)
    connection.request(stream["method"], url)
    response = connection.getresponse()
    try:
        body, whole = response.read(), True
    except http.client.IncompleteRead as cut:
        body, whole = cut.partial, False
    connection.close()

    assert response.status == stream["status"]
    if response.status not in (204, 304):
        assert body == b"".join(stream["reads"])
        assert whole == stream["whole"]
        assert read_events(body) == stream["events"]
'''


def pytest_file(connections: Sequence[TapedConnection]) -> str:
    """The file: a case for each connection that was answered or brought bytes."""
    lines = ["STREAMS = ["]
    for conn in connections:
        if conn.response is not None or conn.reads:
            values = (f"        {name!a}: {_literal(value)}," for name, value in _stream(conn).items())
            lines += ["    {", *values, "    },"]
    return _HEAD + "\n".join([*lines, "]"]) + "\n" + _TAIL


def _stream(conn: TapedConnection) -> dict[str, Any]:
    reads = [data for _, data in conn.decoded() if data]
    method = conn.request.method if conn.request is not None else "GET"
    return {
        "path": urlsplit(conn.request.url).path if conn.request is not None else "/",
        "method": method if method in ("GET", "POST", "PUT", "PATCH", "DELETE") else "GET",
        "status": conn.response.status if conn.response is not None and conn.response.status >= 200 else 200,
        "headers": _headers(conn.response.headers if conn.response is not None else []),
        "whole": conn.whole,
        "reads": reads,
        "events": _events(reads),
    }


def _headers(headers: Headers) -> Headers:
    kept = [
        (name, value)
        for name, value in fields.without(headers, *_LEFT_OUT)
        if not name.startswith(":") and name.isascii() and fields.is_value(name + value)
        # http.server writes values in Latin-1.
        if max(value, default="") < "\u0100"
    ]
    if not fields.has(kept, "content-type"):
        kept.insert(0, ("content-type", fields.EVENT_STREAM))
    return kept


def _events(reads: Sequence[bytes]) -> list[tuple[str, str, str]]:
    parser = Parser(limit=UNLIMITED)
    try:
        items = [item for read in reads for item in parser.feed(read)]
    except EventTooLarge as error:
        items = list(error.items)
    return [(item.type, item.data, item.id) for item in items if isinstance(item, Event)]


def _literal(value: object) -> str:
    """A value as source text, in ASCII; a list with an item a line."""
    if isinstance(value, list) and value:
        return "\n".join(["[", *(f"            {item!a}," for item in value), "        ]"])
    return ascii(value)

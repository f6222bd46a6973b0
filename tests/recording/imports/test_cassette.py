"""VCR cassettes of three libraries."""

from __future__ import annotations

import base64
import gzip
import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from sse_tui.errors import RecordingError
from sse_tui.recording import open_any, sniff
from sse_tui.recording.records import Request, Response

VCRPY = """\
interactions:
- request:
    body: '{"stream":true}'
    headers:
      accept: [application/json]
      Last-Event-ID: ['7']
    method: POST
    uri: https://h/v1/chat/completions
  response:
    body:
      string: !!python/unicode 'data: "café"


        data: [DONE]


        '
    headers:
      Content-Type: [text/event-stream; charset=utf-8]
      Set-Cookie: [a=1, b=2]
    status: {code: 200, message: OK}
- request: {body: null, headers: {}, method: GET, uri: 'https://h/other'}
  response:
    body: {string: '{}'}
    headers: {Content-Type: [application/json]}
    status: {code: 200, message: OK}
version: 1
"""


def test_vcrpy(opened: Callable[..., Any]) -> None:
    assert sniff(VCRPY.encode()) == "cassette"
    found = opened(VCRPY.encode())
    assert found.clock == "none"
    assert found.requests == [("POST", "https://h/v1/chat/completions")]
    assert found.of(Request)[0].headers == [("accept", "application/json"), ("Last-Event-ID", "7")]
    assert found.of(Request)[0].body == '{"stream":true}'
    assert found.of(Response)[0].headers[1:] == [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]
    assert found.body == 'data: "café"\n\ndata: [DONE]\n\n'.encode()
    assert found.endings == [(1, "eof")]


def test_a_binary_body_stays_packed(opened: Callable[..., Any]) -> None:
    packed = gzip.compress(b"data: x\n\n")
    text = f"""\
interactions:
- request: {{method: GET, uri: 'http://h/', headers: {{Accept: [text/event-stream]}}, body: null}}
  response:
    body:
      string: !!binary |
        {base64.b64encode(packed).decode()}
    headers: {{Content-Type: [text/event-stream], content-encoding: [gzip]}}
    status: {{code: 200, message: OK}}
"""
    found = opened(text.encode())
    assert found.body == packed
    assert dict(found.of(Response)[0].headers)["content-encoding"] == "gzip"


def test_ruby(opened: Callable[..., Any]) -> None:
    text = """\
---
http_interactions:
- request:
    method: post
    uri: http://h/
    body: {encoding: UTF-8, string: ''}
    headers: {}
  response:
    status: {code: 200, message: OK}
    headers:
      Content-Type:
      - text/event-stream
    body:
      encoding: UTF-8
      string: "data: a\\n\\n"
    http_version: '1.1'
  recorded_at: Mon, 30 Nov 2026 13:00:00 GMT
recorded_with: VCR 6.3.1
"""
    found = opened(text.encode())
    assert (found.requests, found.body) == ([("POST", "http://h/")], b"data: a\n\n")
    assert found.of(Response)[0].http_version == "HTTP/1.1"


def test_go_vcr(opened: Callable[..., Any]) -> None:
    text = """\
---
version: 2
interactions:
    - id: 0
      request: {method: GET, url: 'http://h/', body: ""}
      response:
        proto: HTTP/2.0
        headers: {Content-Type: [text/event-stream]}
        body: "data: a\\n\\n"
        status: 200 OK
        code: 200
"""
    found = opened(text.encode())
    assert (found.statuses, found.body) == ([200], b"data: a\n\n")


@pytest.mark.parametrize("indent", [None, 4])
def test_json(opened: Callable[..., Any], indent: int | None) -> None:
    interaction = {
        "request": {"method": "GET", "uri": "http://h/", "headers": {}, "body": None},
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"content-type": ["text/event-stream"]},
            "body": {"base64_string": base64.b64encode(b"data: a\n\n").decode()},
        },
    }
    data = json.dumps({"version": 1, "interactions": [interaction]}, indent=indent).encode()
    assert sniff(data) == "cassette"
    assert opened(data).body == b"data: a\n\n"


def test_an_object_of_python_is_never_made(opened: Callable[..., Any]) -> None:
    text = VCRPY.replace("!!python/unicode", "!!python/object/apply:os.system").encode()
    assert opened(text).body.startswith(b"data:")


STREAM = "{response: &a {headers: {content-type: [text/event-stream]}, body: {string: 'data: %s'}}}"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("interactions: [", "not valid YAML.*line 1"),
        ("interactions: []", "None of the 0"),
        ("interactions: 3", "None of the 0"),
        ("interactions: [1, {request: 2, response: [3]}]", "None of the 2"),
        ("interactions: !!binary '%'", "not valid YAML: broken binary"),
        ("interactions: &a [*a]", "not valid YAML|None of"),
        ("interactions: " + "[" * 20_000, "not valid YAML"),
        (
            f"interactions: [{STREAM % ('x' * 1000)}{', {response: *a}' * 100}]",
            "aliases in the cassette repeat",
        ),
        ('{"interactions": [}', "not valid JSON"),
        ("interactions: [\x01]", "not valid YAML"),
    ],
    ids=lambda value: value[:20],
)
def test_what_is_malformed_is_named(data: str, words: str) -> None:
    with pytest.raises(RecordingError, match=words):
        list(open_any(io.BytesIO(data.encode())))

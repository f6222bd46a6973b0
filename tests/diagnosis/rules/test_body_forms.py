"""A body that is not an event stream is named once, by what it is, and gets no rules about lines."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from typing import Any

import msgspec
import pytest

from sse_tui.diagnosis import Finding
from tests.analysis.story import STREAM_HEADERS, Story
from tests.bodies.frames import CONVERSE, delta, exception
from tests.diagnosis.telling import (
    DONE,
    GOOD_HEADERS,
    HEALTHY,
    Wire,
    chunk,
    findings,
    only,
    read,
    rules,
    text,
)

CANDIDATES: list[dict[str, Any]] = [
    {"candidates": [{"content": {"parts": [{"text": "Hi"}], "role": "model"}, "index": 0}]},
    {
        "candidates": [{"content": {"parts": [{"text": " you"}]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2},
    },
]
LINES = b'{"model":"m","message":{"role":"assistant","content":"Hi"},"done":false}\r\n' * 8


def got(body: bytes, *headers: tuple[str, str], pieces: int = 1) -> Story:
    """A body in this many reads, under these headers."""
    wire = Wire().ask()
    wire.response(1, headers=list(headers) or GOOD_HEADERS)
    size = max(1, -(-len(body) // pieces))
    for at in range(0, len(body), size):
        wire.read(2 + at / 1000, body[at : at + size])
    return wire.close(900, "eof")


def page(title: str, body: str = "") -> bytes:
    return f"<!doctype html>\n<html>\n<head><title>\n {title} </title></head>\n<body>{body}</body>\n</html>\n".encode()


def named(story: Story) -> list[Finding]:
    """What was found beside what the headers alone say."""
    apart = {
        *("missing-anti-buffering-headers", "compressed-stream", "usage-missing", "truncated-stream"),
        *("empty-or-null-choices", "empty-answer", "whole-object"),
    }
    return [finding for finding in findings(story) if finding.rule not in apart]


UNREADABLE = {
    "a proxy": (
        page("502 Bad Gateway"),
        'page with the title "502 Bad Gateway", probably a proxy\'s error page',
    ),
    "a login": (page("Sign in to Acme"), "probably a login page"),
    "Cloudflare": (page("Just a moment..."), "probably a page of Cloudflare"),
    "a heading": (
        b"<html><h1>403 Access denied</h1></html>\n",
        'with the title "403 Access denied", probably the page',
    ),
    "XML": (b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>\n', "The body is XML."),
    "multipart": (b"--a\r\nContent-Type: application/json\r\n\r\n{}\r\n--a--\r\n", "a multipart body"),
    "gzip": (gzip.compress(HEALTHY), "The body is gzip data. No Content-Encoding says so"),
    "deflate": (zlib.compress(HEALTHY), "The body is zlib (deflate) data."),
    "zstd": (b"\x28\xb5\x2f\xfd\x04\n\n\n\x00", "The body is zstd data."),
    "UTF-16": ("data: a\n\n".encode("utf-16"), "The body is UTF-16 text. An event stream is always UTF-8."),
    "protobuf": (b"\0\0\0\0\x0a\x0a\n\n\nhello\xff", "The body is binary data."),
    "prose": (
        b"Hello, I am\nnot a stream.\n\n\nReally: not.\r\n",
        "The body is plain text. No line of it is a field.",
    ),
    "prose without an end": (b"upstream connect failure", "The body is plain text."),
}


@pytest.mark.parametrize("pieces", [1, 4])
@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_one_error(name: str, pieces: int) -> None:
    body, words = UNREADABLE[name]
    (finding,) = named(got(body, pieces=pieces))
    assert (finding.rule, finding.severity) == ("wrong-content-type", "error")
    assert words in finding.message
    analysis = read(got(body, pieces=pieces).records)
    problem = analysis.turns[0].conclusion.problem()
    assert problem is not None
    assert problem.code == "not-an-event-stream"


@pytest.mark.parametrize("name", ["a proxy", "XML", "gzip", "prose"])
def test_the_type_and_the_body_are_one_finding(name: str) -> None:
    body, words = UNREADABLE[name]
    (finding,) = named(got(body, ("Content-Type", "text/html")))
    assert finding.severity == "error"
    assert finding.message.startswith("The content type is 'text/html', not text/event-stream. ")
    assert words in finding.message


def test_the_page_of_a_refused_response_is_named() -> None:
    wire = Wire().ask()
    wire.response(1, headers=[("Content-Type", "text/html")])
    wire.records[-1] = msgspec.structs.replace(wire.records[-1], refused=True)
    (finding,) = named(wire.read(2, page("Sign in")).close(3, "refused"))
    assert "probably a login page" in finding.message


def test_an_array_is_read_and_says_what_to_ask_for() -> None:
    for body in (json.dumps(CANDIDATES).encode(), json.dumps(CANDIDATES, indent=2).encode()):
        story = got(body, ("Content-Type", "application/json"), pieces=5)
        analysis = read(story.records)
        assert analysis.turns[0].answer.text == "Hi you"
        assert analysis.turns[0].conclusion.outcome == "complete"
        (finding,) = named(story)
        assert finding.severity == "warning"
        assert "a JSON array" in finding.message
        assert "alt=sse" in finding.message
        assert (
            only(got(body), "wrong-content-type").severity == "error"
        )  # as text/event-stream it was promised
        assert "?alt=sse" in only(got(body), "wrong-content-type").advice


def test_an_array_that_is_cut() -> None:
    body = json.dumps(CANDIDATES).encode()[:-60]
    finding = only(got(body), "damaged-body")
    assert finding.severity == "error"
    assert "ends inside a JSON value" in finding.message
    assert "unterminated-tail" not in rules(got(body))
    assert finding.start == body.index(b', {"cand') + 2


@pytest.mark.parametrize("indent", [None, 2])
def test_an_object_is_named(indent: int | None) -> None:
    body = json.dumps({"id": "x", "object": "thing", "list": [1, 2]}, indent=indent).encode()
    story = got(body, ("Content-Type", "application/json"))
    (finding,) = named(story)
    assert finding.severity == "error"
    assert "a JSON object" in finding.message
    assert read(story.records).turns[0].conclusion.outcome == "refused"
    story = got(json.dumps(CANDIDATES[1], indent=indent).encode(), ("Content-Type", "application/json"))
    assert [(f.rule, f.severity) for f in named(story)] == [("wrong-content-type", "warning")]
    assert read(story.records).turns[0].answer.text == " you"
    mcp = Wire().ask(method="POST", dialect="mcp")
    mcp.response(1, headers=[("Content-Type", "application/json")])
    mcp.read(2, b'{"jsonrpc":"2.0","id":1,"result":{}}').close(3, "eof")
    assert named(mcp) == []


def test_objects_without_anything_between_them() -> None:
    body = b"".join(json.dumps({"choices": [{"delta": {"content": t}}]}).encode() for t in "abc")
    story = got(body, pieces=4)
    assert read(story.records).turns[0].answer.text == "abc"
    assert "The body is 3 JSON objects without line ends" in only(story, "wrong-content-type").message


@pytest.mark.parametrize(
    "kind", ["application/x-ndjson", "application/jsonl", "application/json-seq", "application/stream+json"]
)
def test_lines_of_a_protocol_of_lines_are_no_fault(kind: str) -> None:
    (finding,) = named(got(LINES, ("Content-Type", kind), pieces=3))
    assert (finding.rule, finding.severity) == ("wrong-content-type", "info")
    assert finding.message.startswith(f"The body is {kind}, JSON lines")


def test_lines_that_should_have_been_events() -> None:
    lines = text("a")[6:-1] * 3
    assert (
        only(got(lines, ("Content-Type", "application/x-ndjson")), "wrong-content-type").severity == "warning"
    )
    assert only(got(lines), "wrong-content-type").severity == "error"


def test_frames_are_no_fault_where_they_were_announced() -> None:
    story = got(CONVERSE, ("Content-Type", "application/vnd.amazon.eventstream"), pieces=9)
    analysis = read(story.records)
    assert (analysis.turns[0].answer.text, analysis.turns[0].conclusion.outcome) == ("Hello", "complete")
    (finding,) = named(story)
    assert (finding.rule, finding.severity) == ("wrong-content-type", "info")
    assert only(got(CONVERSE), "wrong-content-type").severity == "error"


def test_damaged_frames() -> None:
    kind = ("Content-Type", "application/vnd.amazon.eventstream")
    wrong = delta("b")[:-1] + b"\0"
    finding = only(got(delta("a") + wrong + delta("c"), kind, pieces=7), "damaged-body")
    assert (finding.severity, finding.start) == ("error", len(delta("a")))
    assert "its checksum is" in finding.message
    cut = only(got(CONVERSE[:-5], kind, pieces=7), "damaged-body")
    assert "The body ends inside a frame of" in cut.message
    assert "damaged-body" not in rules(got(CONVERSE, kind))


def test_an_exception_in_frames_is_an_error_of_the_stream() -> None:
    story = got(delta("Hel") + exception("throttlingException", "slow down"))
    assert "throttlingException: slow down" in only(story, "in-band-error").message
    assert read(story.records).turns[0].conclusion.outcome == "error"


def test_lines_before_the_first_field_are_told_once_it_has_come() -> None:
    story = got(b"Hello\nfoo: bar\n\r\ndata: a\n\n", pieces=6)
    assert only(story, "unknown-field").count == 2
    assert "wrong-content-type" not in rules(story)
    assert "line-endings" in rules(story)  # what was found before the first field is not lost


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_plain_text_under_a_coding(coding: str) -> None:
    story = got(HEALTHY, *GOOD_HEADERS, ("Content-Encoding", coding), pieces=5)
    analysis = read(story.records)
    assert (analysis.turns[0].answer.text, analysis.turns[0].conclusion.outcome) == ("Hello", "complete")
    (finding,) = named(story)
    assert (finding.rule, finding.severity, finding.count) == ("stale-content-encoding", "error", 1)
    assert coding in finding.message
    assert only(story, "compressed-stream").severity == "info"


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip", "deflate"])
def test_what_cannot_be_decoded(coding: str) -> None:
    story = got(b"\x8b\x0b\x80\n\n\n\xff\xfe\x00data: x\n\n", *GOOD_HEADERS, ("Content-Encoding", coding))
    (finding,) = [f for f in named(story) if f.severity == "error"]
    assert (finding.rule, finding.count) == ("undecodable-body", 1)
    assert coding in finding.message
    assert not {"unknown-field", "invalid-utf8", "wrong-content-type"} & rules(story)


def test_what_is_decoded_is_no_fault() -> None:
    for coding, coded in (("gzip", gzip.compress(HEALTHY)), ("deflate", zlib.compress(HEALTHY))):
        story = got(coded, *GOOD_HEADERS, ("Content-Encoding", coding), pieces=4)
        assert not {"stale-content-encoding", "undecodable-body", "wrong-content-type"} & rules(story)


def test_a_secret_is_found_in_any_form() -> None:
    key = "sk-" + "a1B2" * 12
    assert "secrets-in-recording" in rules(got(json.dumps([{"key": key}]).encode()))
    assert "secrets-in-recording" in rules(got(f"Your key {key}\n".encode()))


def test_an_empty_body_is_none_of_these() -> None:
    assert named(got(b"", *STREAM_HEADERS)) == []
    assert "wrong-content-type" not in rules(got(b": ping\n\n" + chunk({"content": "a"}) + DONE))


@pytest.mark.parametrize(
    ("http", "header", "words"),
    [
        (
            "HTTP/2",
            ("connection", "keep-alive"),
            "'connection' stands in a response of HTTP/2.*malformed.*9113 8.2.2",
        ),
        ("HTTP/2", ("Keep-Alive", "timeout=5"), "'keep-alive' stands in a response of HTTP/2"),
        ("HTTP/3", ("Transfer-Encoding", "chunked"), "'transfer-encoding' stands in a response of HTTP/3"),
    ],
)
def test_headers_that_belong_to_http_1(http: str, header: tuple[str, str], words: str) -> None:
    story = got(HEALTHY, *GOOD_HEADERS, header)
    assert "irregular-http" not in rules(story)
    story.records[1] = msgspec.structs.replace(story.records[1], http_version=http)
    finding = only(story, "irregular-http")
    assert finding.severity == "warning"
    assert re.search(words, finding.message)


@pytest.mark.parametrize("noted", [True, False])
def test_a_length_beside_chunked_is_named_once(noted: bool) -> None:
    """As the transport notes it, and in a capture of another tool, which has only the headers."""
    both = (("Transfer-Encoding", "chunked"), ("Content-Length", "999"))
    story = got(HEALTHY, *GOOD_HEADERS, *both)
    if noted:
        story.records[1] = msgspec.structs.replace(story.records[1], irregular=["length-and-chunked"])
    finding = only(story, "irregular-http")
    assert finding.count == 1
    assert "Chunked wins" in finding.message
    assert "Node" in finding.message
    assert "irregular-http" not in rules(got(HEALTHY, *GOOD_HEADERS, both[1]))

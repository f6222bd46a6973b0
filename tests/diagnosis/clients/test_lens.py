"""The lens says what the installed SDKs really do, for every condition that was measured and for whole streams."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

import pytest

from sse_tui.diagnosis.clients.known_clients import (
    ANTHROPIC,
    ANTHROPIC_HELPER,
    CLIENTS,
    HTTPX_SSE,
    OPENAI,
    STANDARD,
    Client,
)
from sse_tui.diagnosis.clients.lens import compare, play
from sse_tui.eventstream import Event, Parser
from tests.diagnosis.clients import sdks
from tests.diagnosis.telling import DONE, HEALTHY, STOP, chunk, text
from tests.samples import folders

A, B = text("a"), text("b")
JSON_A = A[6:-2]

# condition: (body, content that the caller sees, exception)
OPENAI_ROWS: dict[str, tuple[bytes, list[str], str | None]] = {
    "plain": (A + B + STOP + DONE, ["a", "b"], None),
    "no space after colon": (A.replace(b"data: ", b"data:") + DONE, ["a"], None),
    "CR line ends": ((A + DONE).replace(b"\n", b"\r"), ["a"], None),
    "CRLF line ends": ((A + DONE).replace(b"\n", b"\r\n"), ["a"], None),
    "id + heartbeat with blank line": (b"id: 1\n" + A + b": hb\n\n" + B + DONE, ["a"], "JSONDecodeError"),
    "id + heartbeat single LF": (b"id: 1\n" + A + b": hb\n" + B + DONE, ["a", "b"], None),
    "retry as own block": (b"retry: 500\n\n" + A + DONE, [], "JSONDecodeError"),
    "retry inside block": (b"retry: 500\n" + A + DONE, ["a"], None),
    "leading BOM": (b"\xef\xbb\xbf" + A + B + DONE, ["b"], None),
    "no [DONE]": (A, ["a"], None),
    "unterminated tail": (A + B[:-2], ["a"], None),
    "ping data event": (
        A + b'event: ping\ndata: {"type":"ping"}\n\n' + B + DONE,
        ["a", "NULL", "b"],
        None,
    ),
    "empty data event": (A + b"data:\n\n" + B + DONE, ["a"], "JSONDecodeError"),
    "data: : keepalive": (A + b"data: : keepalive\n\n" + B + DONE, ["a"], "JSONDecodeError"),
    "error chunk": (A + b'data: {"error":{"message":"x"}}\n\n' + DONE, ["a"], "APIError"),
    "event: error": (A + b'event: error\ndata: {"error":{"message":"x"}}\n\n' + DONE, ["a"], "APIError"),
    "event: error, no error key": (
        A + b'event: error\ndata: {"message":"x"}\n\n' + DONE,
        ["a", "NULL"],
        None,
    ),
    "error: field": (A + b'error: {"message":"x"}\n\n' + DONE, ["a"], None),
    "raw JSON error line": (A + b'{"error":{"message":"x"}}\n\n', ["a"], None),
    "HTML page": (b"<html><body>502</body></html>\n", [], None),
    "usage chunk choices null": (A + b'data: {"choices":null,"usage":{}}\n\n' + DONE, ["a", "NULL"], None),
    "data after [DONE]": (A + DONE + B, ["a"], None),
    "invalid UTF-8 byte": (A + b'data: {"x":"\xff"}\n\n' + B + DONE, ["a"], "UnicodeDecodeError"),
    "raw U+2028 in JSON": (text("a\u2028b") + DONE, ["a\u2028b"], None),
    "two data lines": (b"data: " + JSON_A.replace(b", ", b",\ndata: ", 1) + b"\n\n" + DONE, ["a"], None),
}


def event(type_: str, **payload: object) -> bytes:
    return f"event: {type_}\ndata: {json.dumps({'type': type_, **payload})}\n\n".encode()


MESSAGE: dict[str, object] = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "content": [],
    "model": "m",
    "stop_reason": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
START = event("message_start", message=MESSAGE) + event(
    "content_block_start", index=0, content_block={"type": "text", "text": ""}
)
DELTA = event("content_block_delta", index=0, delta={"type": "text_delta", "text": "Hi"})
END = (
    event("content_block_stop", index=0)
    + event(
        "message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 2}
    )
    + event("message_stop")
)
OVERLOADED = event("error", error={"type": "overloaded_error", "message": "Overloaded"})

# condition: (body, events of create(stream=True), exception there, exception of the helper)
ANTHROPIC_ROWS: dict[str, tuple[bytes, int, str | None, str | None]] = {
    "plain": (START + DELTA + END, 6, None, None),
    "ping events": (START + event("ping") + DELTA + END, 6, None, None),
    "comments": (START + b": hb\n\n" + DELTA + END, 6, None, None),
    "retry block": (b"retry: 500\n\n" + START + DELTA + END, 6, None, None),
    "id + heartbeat": (b"id: 1\n" + START + b": hb\n\n" + DELTA + END, 6, None, None),
    "unknown event": (START + event("later") + DELTA + END, 7, None, None),
    "trailing [DONE]": (START + DELTA + END + DONE, 6, None, None),
    "truncated": (START + DELTA, 3, None, None),
    "overloaded": (START + DELTA + OVERLOADED, 3, "APIStatusError", "APIStatusError"),
    "no event lines": ((START + DELTA + END).replace(b"event: ", b"x: "), 0, None, "AssertionError"),
    "HTML page": (b"<html><body>502</body></html>\n", 0, None, "AssertionError"),
    "OpenAI-shaped": (HEALTHY, 0, None, "AssertionError"),
    "no message_start": (DELTA, 1, None, "AssertionError"),
    "no block": (event("message_start", message=MESSAGE) + DELTA, 2, None, "IndexError"),
}


def raised(client: Client, body: bytes, content_type: str = "text/event-stream") -> str | None:
    outcome = play(client, body, content_type=content_type)
    return outcome.raised.name if outcome.raised else None


PACKAGES = {HTTPX_SSE: "httpx-sse", OPENAI: "openai", ANTHROPIC: "anthropic", ANTHROPIC_HELPER: "anthropic"}


def measured(client: Client) -> bool:
    """Whether the installed version is the one that the table is of: another may behave differently."""
    return importlib.metadata.version(PACKAGES[client]) == client.version


def needs(client: Client) -> None:
    if not measured(client):
        installed = importlib.metadata.version(PACKAGES[client])
        pytest.skip(f"{PACKAGES[client]} {installed} is installed; the table is of {client.version}")


@pytest.mark.parametrize("condition", OPENAI_ROWS)
def test_openai(condition: str) -> None:
    needs(OPENAI)
    body, expected, exception = OPENAI_ROWS[condition]
    real = sdks.openai_sdk(body)
    assert (sdks.contents(real.events), real.raised) == (expected, exception)
    outcome = play(OPENAI, body)
    assert sdks.contents_of_data([event.data for event in outcome.events]) == expected
    assert (outcome.raised.name if outcome.raised else None) == exception
    assert bool(outcome.pitfalls) is ("NULL" in expected)


@pytest.mark.parametrize("condition", ANTHROPIC_ROWS)
def test_anthropic(condition: str) -> None:
    needs(ANTHROPIC)
    body, events, exception, of_helper = ANTHROPIC_ROWS[condition]
    real, helper = sdks.anthropic_sdk(body), sdks.anthropic_helper(body)
    assert (len(real.events), real.raised, helper.raised) == (events, exception, of_helper)
    assert len(play(ANTHROPIC, body).events) == events
    assert (raised(ANTHROPIC, body), raised(ANTHROPIC_HELPER, body)) == (exception, of_helper)


BODIES = [*(row[0] for row in OPENAI_ROWS.values()), *(row[0] for row in ANTHROPIC_ROWS.values())]
BODIES += [
    b"event: tick\n\n",
    b"id: 5\n\ndata: x\n\n",
    b"id: 1\0\ndata: a\n\n",
    b"id: 1\ndata: a\n\nid\ndata: b\n\n\n\n",
    b"retry: +5\ndata: a\n\nretry: x\ndata: b\n\n",
    "retry: ٣\ndata: a\n\n".encode(),
    b"data: a\xc3",
    b"data: \xe2\x82\n\n",
    b"data\n\nevent: x\rdata:  y \r\r",
    b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n",
]


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_httpx_sse(body: bytes) -> None:
    needs(HTTPX_SSE)
    real = sdks.httpx_sse_client(body)
    outcome = play(HTTPX_SSE, body)
    assert [(e.type or "message", *e[1:]) for e in outcome.events] == [
        (e.event or "message", e.data, e.id, e.retry) for e in real.events
    ]
    assert raised(HTTPX_SSE, body) == real.raised


@pytest.mark.parametrize(
    "content_type",
    [
        "text/event-stream; charset=iso-8859-1",
        "text/event-stream; charset=x-unknown",
        "text/html",
        "",
        "TEXT/EVENT-STREAM",
    ],
)
def test_content_types(content_type: str) -> None:
    needs(HTTPX_SSE)
    needs(OPENAI)
    body = "data: é\n\n".encode()
    real = sdks.httpx_sse_client(body, content_type)
    outcome = play(HTTPX_SSE, body, content_type=content_type)
    assert [e.data for e in outcome.events] == [e.data for e in real.events]
    assert raised(HTTPX_SSE, body, content_type) == real.raised
    assert sdks.openai_sdk(HEALTHY, content_type or "x").raised is None
    assert raised(OPENAI, HEALTHY, content_type) is None
    standard = raised(STANDARD, body, content_type)
    assert standard == (None if content_type.lower().startswith("text/event-stream") else "error event")


CHARSETS = [
    *(
        "utf-16",
        "utf-16-le",
        "utf-32",
        "utf-7",
        "utf-8-sig",
        "idna",
        "punycode",
        "base64",
        "zlib",
        "bz2",
        "hex",
    ),
    *("rot13", "uu", "quopri", "undefined", "unicode_escape", "charmap", "cp037", "hz", "nope"),
]


@pytest.mark.parametrize("charset", CHARSETS)
def test_a_charset_that_is_none_of_text_is_what_httpx_sse_makes_of_it(charset: str) -> None:
    """Python knows codecs that are no charsets. By the standard the body is UTF-8, whatever the header says."""
    needs(HTTPX_SSE)
    body = "data: é\n\ndata: b\n\n".encode()
    content_type = f"text/event-stream; charset={charset}"
    real = sdks.httpx_sse_client(body, content_type)
    standard, *_ = outcomes = compare(body, content_type=content_type)
    ours = next(one for one in outcomes if one.client is HTTPX_SSE)
    assert [e.data for e in ours.events] == [e.data for e in real.events]
    assert (ours.raised and ours.raised.name) == real.raised
    assert ([e.data for e in standard.events], standard.raised) == (["é", "b"], None)


def as_standard(body: bytes) -> list[tuple[str, str, str]]:
    parser = Parser()
    items = [*parser.feed(body), *parser.close()]
    return [(item.type, item.data, item.id) for item in items if isinstance(item, Event)]


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_the_standard_is_what_our_parser_reads(body: bytes) -> None:
    seen = play(STANDARD, body).events
    assert [(e.type or "message", e.data, e.id) for e in seen] == as_standard(body)


def check_stream(body: bytes, dialect: str) -> None:
    """The lens against the real SDKs, for one whole stream."""
    seen = play(STANDARD, body).events
    assert [(e.type or "message", e.data, e.id) for e in seen] == as_standard(body)
    if measured(HTTPX_SSE):
        real = sdks.httpx_sse_client(body)
        assert [e.data for e in play(HTTPX_SSE, body).events] == [e.data for e in real.events]
    if measured(OPENAI):
        real = sdks.openai_sdk(body, dialect=dialect)
        outcome = play(OPENAI, body, dialect=dialect)
        assert (len(outcome.events), raised(OPENAI, body)) == (len(real.events), real.raised)
    if measured(ANTHROPIC):
        real = sdks.anthropic_sdk(body)
        assert (len(play(ANTHROPIC, body).events), raised(ANTHROPIC, body)) == (len(real.events), real.raised)
        assert raised(ANTHROPIC_HELPER, body) == sdks.anthropic_helper(body).raised


def streams(folder: Path) -> list[tuple[str, str, bytes]]:
    index = json.loads((folder / "index.json").read_text("utf-8"))
    return [(entry["file"], entry["dialect"], (folder / entry["file"]).read_bytes()) for entry in index]


def failures(folder: Path) -> dict[str, str]:
    failed = {}
    for file, dialect, body in streams(folder):
        try:
            check_stream(body, dialect)
        except AssertionError as error:
            failed[file] = str(error)[:300]
    return failed


@pytest.mark.parametrize("folder", folders("streams"), ids=lambda folder: folder.parent.name)
def test_recorded_streams(folder: Path) -> None:
    assert failures(folder) == {}


def test_a_healthy_stream_is_the_same_to_all_who_speak_it() -> None:
    outcomes = {outcome.client: outcome for outcome in compare(HEALTHY)}
    assert set(outcomes) == set(CLIENTS)
    for client in (OPENAI, HTTPX_SSE):
        outcome = outcomes[client]
        assert (outcome.raised, outcome.text, outcome.lost, outcome.pitfalls) == (None, "Hello", "", [])
    assert (outcomes[ANTHROPIC].events, outcomes[ANTHROPIC].lost) == ([], "Hello")


def test_the_text_that_is_lost() -> None:
    outcome = play(OPENAI, b"\xef\xbb\xbf" + A + B + STOP + DONE)
    assert (outcome.text, outcome.lost) == ("b", "a")
    outcome = play(OPENAI, b"id: 1\n" + A + b": hb\n\n" + B + DONE)
    assert (outcome.text, outcome.lost) == ("a", "b")
    assert outcome.raised is not None
    assert outcome.raised.name == "JSONDecodeError"
    assert play(STANDARD, chunk({"content": "x"})).lost == ""

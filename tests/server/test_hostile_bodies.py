"""Bodies that are meant to break the endpoint: each is refused with a 4xx that says why, none is an internal error."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.engine import ipc
from sse_tui.engine.interface import EngineInfo
from sse_tui.engine.scripted import ScriptedEngine
from sse_tui.processes import messages
from sse_tui.server.api_errors import ApiError
from sse_tui.server.chat_request import parse_chat_request

ENGINE = EngineInfo(engine="scripted", model="m", n_ctx=4096, longest_token=64)
HEADERS = {"Content-Type": "application/json"}
HELLO = b'"messages":[{"role":"user","content":"hi"}]'
DEEP = 100_000


def with_field(value: bytes) -> bytes:
    return b"{" + HELLO + b"," + value + b"}"


BODIES = {
    "deep arrays in an unknown field": (
        with_field(b'"x":' + b"[" * DEEP + b"]" * DEEP),
        None,
        "invalid_json",
    ),
    "deep objects in an unknown field": (with_field(b'"x":' + b'{"a":' * DEEP), None, "invalid_json"),
    # ggml-org/llama.cpp#27434: the process died.
    "deep arrays as tools": (with_field(b'"tools":' + b"[" * 3000 + b"]" * 3000), None, "invalid_json"),
    "deep arrays as a body": (b"[" * DEEP + b"]" * DEEP, None, "invalid_type"),
    "deep arrays as messages": (b'{"messages":' + b"[" * DEEP + b"]" * DEEP + b"}", None, "invalid_json"),
    "deep arrays in a message": (
        b'{"messages":[{"role":"user","x":' + b"[" * 600 + b"]" * 600 + b',"content":3}]}',
        "messages[0].content",
        "invalid_type",
    ),
    "max_tokens of 10^30": (with_field(b'"max_tokens":1' + b"0" * 30), "max_tokens", "invalid_value"),
    "max_tokens of 10^4000": (with_field(b'"max_tokens":1' + b"0" * 4000), "max_tokens", "invalid_value"),
    "max_tokens of -10^4000": (with_field(b'"max_tokens":-1' + b"0" * 4000), "max_tokens", "invalid_value"),
    "max_tokens of 2^63": (with_field(b'"max_tokens":9223372036854775808'), "max_tokens", "invalid_value"),
    "max_completion_tokens of 10^400": (
        with_field(b'"max_completion_tokens":1' + b"0" * 400),
        "max_completion_tokens",
        "invalid_value",
    ),
    "a million digits": (with_field(b'"max_tokens":' + b"9" * 10**6), "max_tokens", "invalid_type"),
    "a million digits of a fraction": (
        with_field(b'"top_p":0.' + b"9" * 10**6 + b"e9"),
        "top_p",
        "invalid_value",
    ),
    "top_k of 10^400": (with_field(b'"top_k":1' + b"0" * 400), "top_k", "invalid_value"),
    "a seed beyond 64 bits": (with_field(b'"seed":-1' + b"0" * 30), "seed", "invalid_value"),
    "n of 10^400": (with_field(b'"n":1' + b"0" * 400), "n", "unsupported_value"),
    "infinity": (with_field(b'"temperature":Infinity'), None, "invalid_json"),
    "not a number": (with_field(b'"temperature":NaN'), None, "invalid_json"),
    "an exponent beyond a float": (with_field(b'"temperature":1e999'), "temperature", "invalid_type"),
    "half a surrogate pair": (b'{"messages":[{"role":"user","content":"\\ud800"}]}', None, "invalid_json"),
    "bytes that are not UTF-8": (b'{"messages":[{"role":"user","content":"\xff"}]}', None, "invalid_json"),
    "a huge role": (b'{"messages":[{"role":"%s"}]}' % (b"x" * 10**6), "messages[0].role", "invalid_value"),
    "a huge type": (
        b'{"messages":[{"role":"user","content":[{"type":"%s"}]}]}' % (b"x" * 10**6),
        "messages[0].content[0].type",
        "unsupported_value",
    ),
    "a huge model name": (with_field(b'"model":"%s"' % (b"x" * 10**6)), "model", "model_not_found"),
    "100,000 stop strings": (with_field(b'"stop":[%s"a"]' % (b'"a",' * 10**5)), "stop", "invalid_value"),
    "a megabyte in one message": (
        b'{"messages":[{"role":"user","content":"%s"}]}' % (b"x" * 10**6),
        "messages",
        "context_length_exceeded",
    ),
    "30,000 messages": (
        b'{"messages":[%s{"role":"user","content":"a"}]}' % (b'{"role":"user","content":"a"},' * 29_999),
        "messages",
        "context_length_exceeded",
    ),
    "30,000 parts": (
        b'{"messages":[{"role":"user","content":[%s{"type":"text","text":""}]}]}'
        % (b'{"type":"text","text":""},' * 29_999),
        "messages",
        "invalid_value",
    ),
    "more than the context can need": (
        with_field(b'"x":"' + b"x" * 2_000_000 + b'"'),
        "messages",
        "context_length_exceeded",
    ),
}


@pytest.mark.parametrize("name", BODIES)
async def test_a_refusal_names_the_field(serving: Any, name: str) -> None:
    body, param, code = BODIES[name]
    served = await serving(ScriptedEngine("a"))
    response = await served.http.post("/v1/chat/completions", content=body, headers=HEADERS)
    assert 400 <= response.status_code < 500, response.text[:500]
    error = response.json()["error"]
    assert (error["param"], error["code"]) == (param, code)
    assert len(response.content) < 1000, "it does not send back what it got"
    assert (await served.whole())[-1].data == "[DONE]"


async def test_a_limit_beyond_the_context_is_that_of_the_context(serving: Any) -> None:
    """Clients send large limits by default (JustVugg/colibri#260), and a server hung on one (paiml/aprender#665)."""
    served = await serving(ScriptedEngine("a " * 200, n_ctx=64))
    for limit in (10_000, 2**31 - 1, 2**53, 2**63 - 1):
        events = await served.whole(max_tokens=limit)
        assert json.loads(events[-2].data)["choices"][0]["finish_reason"] == "length"
        assert events[-1].data == "[DONE]"


async def test_a_prompt_that_is_too_long_is_the_clients_error(serving: Any) -> None:
    """ardanlabs/kronk#861: it was a 500 in the decoder's words."""
    served = await serving(ScriptedEngine("a"))
    text = "the quick brown fox jumps over the lazy dog. " * 2600
    response = await served.ask(messages=[{"role": "user", "content": text}])
    assert response.status_code == 400
    error = response.json()["error"]
    assert (error["type"], error["code"]) == ("invalid_request_error", "context_length_exceeded")
    assert "4096" in error["message"]


async def test_a_body_that_is_declared_too_large_is_refused_before_it_is_sent(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"))
    reader, writer = await asyncio.open_connection("127.0.0.1", int(served.url.rpartition(":")[2]))
    head = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 8000000\r\n"
    writer.write(f"{head}Content-Type: application/json\r\n\r\n".encode())
    async with asyncio.timeout(5):
        answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"context_length_exceeded" in answer


@pytest.mark.parametrize("field", ["Last-Event-ID", "Content-Length"])
async def test_headers_of_many_digits(serving: Any, field: str) -> None:
    served = await serving(ScriptedEngine("a"))
    value = "0" * 24 + "-" + "9" * 5000 if field == "Last-Event-ID" else "9" * 5000
    reader, writer = await asyncio.open_connection("127.0.0.1", int(served.url.rpartition(":")[2]))
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n{field}: {value}\r\n"
    writer.write(f"{head}Content-Type: application/json\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 4"), answer[:200]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.integers(-(10**400), 10**400),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
PART = st.fixed_dictionaries(
    {}, optional={"type": JSON | st.just("text"), "text": JSON | st.text(max_size=5)}
)
MESSAGE = st.fixed_dictionaries(
    {}, optional={"role": JSON | st.just("user"), "content": JSON | st.lists(PART | JSON, max_size=3), "name": JSON}
)  # fmt: skip
FIELDS = (
    "model", "stream", "stream_options", "n", "temperature", "top_p", "top_k", "min_p", "max_tokens",
    "max_completion_tokens", "stop", "seed", "tools", "response_format", "logit_bias", "metadata",
)  # fmt: skip
BODY = st.fixed_dictionaries(
    {"messages": JSON | st.lists(MESSAGE | JSON, max_size=3) | st.just([{"role": "user", "content": "x"}])},
    optional=dict.fromkeys(FIELDS, JSON),
)


def check(body: bytes) -> None:
    """It is refused in the API's form, or the engine's process can take it."""
    try:
        asked = parse_chat_request(body, "x", ENGINE)
    except ApiError as refused:
        error = refused
    else:
        ipc.read_command(messages.line(ipc.Submit(1, asked.generation)))
        return
    assert 400 <= error.status < 500
    assert error.response().body


@settings(max_examples=120, deadline=None)
@given(BODY | JSON)
def test_any_json_is_taken_or_refused(body: Any) -> None:
    check(json.dumps(body).encode())


@settings(max_examples=80, deadline=None)
@given(BODY, st.integers(0, 400), st.binary(max_size=6))
def test_damaged_json_is_taken_or_refused(body: Any, at: int, inserted: bytes) -> None:
    data = json.dumps(body).encode()
    check(data[:at] + inserted + data[at:])
    check(data[:at])


def test_250_000_messages_are_counted_before_one_is_decoded() -> None:
    message = b'{"role":"user","content":"a"}'
    body = b'{"messages":[%s]}' % b",".join([message] * 250_000)
    start = time.process_time()
    with pytest.raises(ApiError, match="at least 250000 tokens"):
        parse_chat_request(body, "x", ENGINE)
    taken = time.process_time() - start
    start = time.process_time()
    for _ in range(250_000):
        json.loads(message)
    assert taken < (time.process_time() - start) / 4

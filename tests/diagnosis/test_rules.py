"""Every rule fires on what it is for, and stays silent on what looks much like it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from sse_tui.diagnosis import RULES
from sse_tui.recording.records import Response
from tests.analysis.story import Story, ms
from tests.bodies import frames
from tests.diagnosis import wires
from tests.diagnosis.telling import (
    DONE,
    GOOD_HEADERS,
    HEALTHY,
    STOP,
    USAGE,
    Wire,
    chunk,
    of_bytes,
    only,
    rules,
    text,
)
from tests.samples import protocol

Case = bytes | list[bytes] | Story

# Rules that the table of the protocol's notes does not have.
BEYOND = {
    *("runaway-compression", "irregular-http", "late-read", "placeholder-content"),
    *("provider-stop", "unknown-finish-reason", "length-limit", "empty-answer"),
    *("foreign-terminal", "missing-finish-reason", "missing-end-marker", "open-after-finish"),
    *("wrapped-twice", "escaped-line-ends", "missing-blank-lines", "joined-fields", "stripped-spaces"),
    *("split-character", "premature-blank-line", "payload-in-comment"),
    *("split-character", "placeholder-content", "failed-request"),
    "split-character",
    *("whole-object", "wrapped-payload", "audio-answer", "late-delta", "final-text-mismatch"),
    *("reasoning-tags", "control-token", "placeholder-content"),
    *("split-surrogates", "lone-surrogates", "replacement-characters"),
    *("wrong-type", "running-usage", "cumulative-text", "mixed-answers", "id-in-every-chunk"),
    *("content-after-finish", "repeated-finish", "event-order"),
    *("choice-index", "empty-tool-calls"),
    *("tool-call-arguments", "tool-call-finish", "tool-call-id", "tool-call-name"),
    *("content-after-finish", "repeated-finish", "event-order", "doubled-text"),
    *("content-after-finish", "repeated-finish", "event-order", "doubled-text", "changed-id"),
    "placeholder-content",
    *("stale-content-encoding", "undecodable-body", "damaged-body"),
    *("reasoning-tags", "control-token"),
    *("reasoning-tags", "control-token", "prefilled-part"),
    *("tool-call-in-text", "repeated-deltas", "foreign-role", "repeated-reasoning", "replaced-text"),
}
ALL = [
    "truncated-stream",
    "in-band-error",
    "failed-request",
    "proxy-buffering",
    "late-read",
    "placeholder-content",
    "phantom-event-risk",
    "ttft-on-empty-chunk",
    "keepalive-masked-stall",
    "idle-gap",
    "periodic-cut",
    "unterminated-tail",
    "resume-unsupported",
    "resume-gap",
    "resume-duplicate",
    "unsafe-retry",
    "wrong-content-type",
    "compressed-stream",
    "runaway-compression",
    "stale-content-encoding",
    "undecodable-body",
    "damaged-body",
    "irregular-http",
    "status-stop-vs-retry",
    "event-without-data",
    "comment-as-data",
    "invalid-json-event",
    "unicode-line-separators",
    "tool-call-index",
    "tool-call-arguments",
    "tool-call-name",
    "tool-call-id",
    "tool-call-finish",
    "empty-tool-calls",
    "choice-index",
    "usage-missing",
    "usage-mismatch",
    "running-usage",
    "wrong-type",
    "cumulative-text",
    "doubled-text",
    "repeated-deltas",
    "repeated-reasoning",
    "replaced-text",
    "foreign-role",
    "tool-call-in-text",
    "mixed-answers",
    "id-in-every-chunk",
    "changed-id",
    "content-after-finish",
    "repeated-finish",
    "event-order",
    "chunk-not-token",
    "fake-streaming",
    "empty-or-null-choices",
    "provider-stop",
    "unknown-finish-reason",
    "length-limit",
    "empty-answer",
    "foreign-terminal",
    "missing-finish-reason",
    "missing-end-marker",
    "open-after-finish",
    "double-terminal",
    "data-after-terminal",
    "dialect-mismatch",
    "bom",
    "invalid-utf8",
    "split-surrogates",
    "lone-surrogates",
    "replacement-characters",
    "charset-not-utf8",
    "line-endings",
    "no-space-after-colon",
    "multi-line-data",
    "unknown-field",
    "wrapped-twice",
    "escaped-line-ends",
    "missing-blank-lines",
    "joined-fields",
    "stripped-spaces",
    "split-character",
    "premature-blank-line",
    "payload-in-comment",
    "id-nul",
    "id-nonascii",
    "id-long",
    "id-missing",
    "id-not-monotonic",
    "id-reused",
    "retry-invalid",
    "retry-zero",
    "retry-huge",
    "retry-alone",
    "reconnect-storm",
    "lost-resume-token",
    "oversized-event",
    "missing-anti-buffering-headers",
    "connection-close-hints",
    "padding",
    "thinking-hidden",
    "whole-object",
    "wrapped-payload",
    "audio-answer",
    "late-delta",
    "final-text-mismatch",
    "reasoning-tags",
    "control-token",
    "prefilled-part",
    "server-keeps-generating",
    "heartbeat-form",
    "secrets-in-recording",
]


def answered(
    headers: list[tuple[str, str]], http: str = "HTTP/1.1", status: int = 200, irregular: Sequence[str] = ()
) -> Wire:
    wire = Wire().ask(dialect="openai-chat")
    response = Response(t=ms(1), turn=1, conn=1, status=status, http_version=http, headers=headers)
    wire.records.append(msgspec.structs.replace(response, irregular=list(irregular)))
    wire.read(2, HEALTHY).close(3, "eof")
    return wire


def calls(*given: dict[str, object], end: bytes = chunk({}, "tool_calls") + DONE) -> bytes:
    return b"".join(chunk({"tool_calls": [call]}) for call in given) + end


def call(index: int | None, id: str | None, arguments: str = "{}") -> dict[str, object]:
    return {"index": index, "id": id, "function": {"name": "f", "arguments": arguments}}


def kept_open(body: bytes) -> Wire:
    """A server that keeps the connection open behind `body`, until our side closes it."""
    return Wire().ask(dialect="openai-chat").good().read(2, body).close(2002, "client", code="finish-wait")


def escaped(content: str) -> bytes:
    """A chunk whose text is written as it is given, escapes included."""
    return text("~").replace(b"~", content.encode())


def counted_choice(index: int, finish: str | None = None) -> bytes:
    choice = {"index": index, "delta": {"content": "a"}, "finish_reason": finish}
    return chunk(choices=[choice])


def counted(tokens: int, events: int, size: int = 3, **details: object) -> bytes:
    usage = {"prompt_tokens": 1, "completion_tokens": tokens, **details}
    return text(size * "a") * events + STOP + chunk(choices=[], usage=usage) + DONE


THINKING: dict[str, Any] = {"completion_tokens_details": {"reasoning_tokens": 4}}
ANTHROPIC = b'event: message_start\ndata: {"type":"message_start","message":{"model":"m"}}\n\n'
BEARER = ("Authorization", "Bearer abcdefghijklmnopqrstuvwxyz")

WHOLE = (
    b'data: {"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"a"},'
    b'"finish_reason":"stop"}]}\n\n'
)
RESPONSE_BEGUN = b'data: {"type":"response.created","response":{"id":"r"}}\n\n'
SAID = b'data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"a"}\n\n'
PART = (
    b'data: {"type":"response.content_part.added","output_index":0,"content_index":0,'
    b'"part":{"type":"output_text","text":""}}\n\n'
)
SAID_ALL = b'data: {"type":"response.output_text.done","output_index":0,"content_index":0,"text":"a"}\n\n'


def dify(event: str, **more: str) -> bytes:
    payload = {"event": event, "task_id": "t", "message_id": "m", "conversation_id": "c", **more}
    return f"data: {json.dumps(payload)}\n\n".encode()


FIRES: dict[str, Case] = {
    "truncated-stream": text("par"),
    "failed-request": answered([], status=503),
    "in-band-error": text("a") + b'data: {"error":{"message":"x"}}\n\n',
    "proxy-buffering": wires.buffered(),
    "late-read": Wire()
    .ask()
    .good()
    .read(10, b"data: a\n\n")
    .read(900, b"data: b\n\ndata: c\n\n", waited=800),
    "placeholder-content": text(": OPENROUTER PROCESSING") + HEALTHY,
    "phantom-event-risk": b"id: 1\ndata: a\n\n: ping\n\n",
    "ttft-on-empty-chunk": wires.late_token(3000),
    "keepalive-masked-stall": wires.stalled(40),
    "idle-gap": Wire()
    .ask()
    .good()
    .read(10, b"data: a\n\n")
    .read(20_000, b"data: b\n\n")
    .close(20_001, "eof"),
    "periodic-cut": wires.cut_at(100_000, 100_500),
    "unterminated-tail": HEALTHY + b"data: tail",
    "resume-unsupported": wires.resumed(b"id: 1\ndata: other\n\nid: 2\ndata: again\n\n"),
    "resume-gap": wires.resumed(b"id: 9\ndata: i\n\n"),
    "resume-duplicate": wires.resumed(b"id: 2\ndata: b\n\nid: 3\ndata: c\n\nid: 4\ndata: d\n\n"),
    "unsafe-retry": wires.asked_twice("POST"),
    "wrong-content-type": answered([("Content-Type", "text/html")]),
    "compressed-stream": wires.gzipped(HEALTHY),
    "stale-content-encoding": answered([*GOOD_HEADERS, ("Content-Encoding", "gzip")]),
    "undecodable-body": Wire()
    .ask()
    .answered([*GOOD_HEADERS, ("Content-Encoding", "br")])
    .read(2, b"\x8b\x0b\x80\x03")
    .close(3, "eof"),
    "damaged-body": frames.CONVERSE[:-1],
    "runaway-compression": wires.gzipped(b":\n" * 500_000),
    "irregular-http": answered(GOOD_HEADERS, irregular=["obs-fold"]),
    "status-stop-vs-retry": wires.refused(204),
    "event-without-data": b"event: end\n\n",
    "comment-as-data": b"data: : keepalive\n\n",
    "invalid-json-event": text("a") + b'data: {"choices":[\n\n',
    "unicode-line-separators": 'data: {"t":"a\u2028b"}\n\n'.encode(),
    "tool-call-index": calls(call(0, "a"), call(0, "b")),
    "tool-call-arguments": calls(call(0, "a"), call(0, "a")),
    "tool-call-name": calls(call(0, "a", "{"), call(0, None, "}")),
    "tool-call-id": calls(call(0, None)),
    "tool-call-finish": text("a") + chunk({}, "tool_calls") + DONE,
    "empty-tool-calls": chunk({"content": "a", "tool_calls": []}) + STOP + DONE,
    "choice-index": b"".join(map(counted_choice, range(4))) + counted_choice(4, "stop") + DONE,
    "usage-missing": text("a") + STOP + DONE,
    "usage-mismatch": counted(0, 1, 40),
    "running-usage": chunk({"content": "a"}, usage={"prompt_tokens": 1, "completion_tokens": 1}) * 3
    + STOP
    + DONE,
    "wrong-type": chunk({"content": 5}) + HEALTHY,
    "cumulative-text": text("The") + text("The sky") + text("The sky is") + STOP + DONE,
    "repeated-deltas": b"".join(text(word) * 2 for word in ("The ", "sky ", "is ")) + STOP + DONE,
    "repeated-reasoning": chunk({"content": "It is forty-two.", "reasoning": "It is forty-two."})
    + STOP
    + DONE,
    "replaced-text": dify("message", answer="Rude")
    + dify("message_replace", answer="No.")
    + dify("message_end"),
    "foreign-role": text("a") + chunk({"role": "tool", "content": "5"}) + STOP + DONE,
    "tool-call-in-text": text('<tool_call>{"name": "f", "arguments": {}}</tool_call>') + STOP + DONE,
    "doubled-text": text("The sky is ") + text("blue today.") + text("The sky is blue today.") + STOP + DONE,
    "mixed-answers": text("a") + chunk({"content": "b"}, id="d") + text("c") + STOP + DONE,
    "id-in-every-chunk": b"".join(chunk({"content": "a"}, id=f"c{n}") for n in range(4)) + STOP + DONE,
    "changed-id": text("a") + chunk({"content": "b"}, id="d") + STOP + DONE,
    "content-after-finish": STOP + HEALTHY,
    "repeated-finish": HEALTHY.replace(STOP, STOP + chunk({}, "length")),
    "event-order": ANTHROPIC + ANTHROPIC,
    "chunk-not-token": counted(40, 10),
    "fake-streaming": wires.at_the_end(5000, 100),
    "empty-or-null-choices": b'data: {"choices":null,"object":"chat.completion.chunk"}\n\n' + HEALTHY,
    "provider-stop": text("par") + chunk({}, "content_filter") + DONE,
    "unknown-finish-reason": text("whole") + chunk({}, "sated") + DONE,
    "length-limit": text("par") + chunk({}, "length") + DONE,
    "empty-answer": chunk({"content": ""}) + STOP + DONE,
    "foreign-terminal": ANTHROPIC + DONE,
    "missing-finish-reason": text("whole") + DONE,
    "missing-end-marker": text("whole") + STOP,
    "open-after-finish": kept_open(text("whole") + STOP),
    "double-terminal": HEALTHY + DONE,
    "data-after-terminal": HEALTHY + text("more"),
    "dialect-mismatch": ANTHROPIC + b'event: message_delta\ndata: {"type":"message_stop"}\n\n',
    "bom": b"\xef\xbb\xbfdata: a\n\n",
    "invalid-utf8": b"data: \xff\n\n",
    "split-surrogates": escaped(r"\ud83d") + escaped(r"\ude00") + STOP + DONE,
    "lone-surrogates": escaped(r"\ud83d") + escaped("a") + STOP + DONE,
    "replacement-characters": "data: a\ufffd\n\n".encode(),
    "charset-not-utf8": answered([("Content-Type", "text/event-stream; charset=iso-8859-1")]),
    "line-endings": b"data: a\r\n\r\n",
    "no-space-after-colon": b"data:a\n\n",
    "multi-line-data": b'data: {"a":\ndata: 1}\n\n',
    "unknown-field": b"Data: a\n\n",
    "wrapped-twice": b'data: data: {"a": 1}\n\n',
    "escaped-line-ends": rb'data: {"a": 1}\n\n' + b"\n\n",
    "missing-blank-lines": b'data: {"a": 1}\ndata: {"a": 2}\n',
    "joined-fields": b"id: 1data: a\n\n",
    "stripped-spaces": b"data:Good\n\ndata: day\n\ndata:!\n\n",
    "premature-blank-line": b"event: a\n\ndata: b\n\n",
    "payload-in-comment": b": " + text("a")[6:],
    "split-character": Wire().ask().good().read(2, b"data: \xc3").read(3, b"\xa9\n\n").close(4, "eof"),
    "id-nul": b"id: 1\0\ndata: a\n\n",
    "id-nonascii": "id: é\ndata: a\n\n".encode(),
    "id-long": b"id: " + 129 * b"x" + b"\ndata: a\n\n",
    "id-missing": b"id: 1\ndata: a\n\ndata: b\n\n",
    "id-not-monotonic": b"id: 5\ndata: a\n\nid: 4\ndata: b\n\n",
    "id-reused": b"id: 5\ndata: a\n\nid: 6\ndata: b\n\nid: 5\ndata: c\n\n",
    "retry-invalid": b"retry: 5s\ndata: a\n\n",
    "retry-zero": b"retry: 0\ndata: a\n\n",
    "retry-huge": b"retry: 3600001\ndata: a\n\n",
    "retry-alone": b"retry: 500\n\ndata: a\n\n",
    "reconnect-storm": wires.storm(8, 100),
    "lost-resume-token": wires.asked_twice("GET", with_ids=True),
    "oversized-event": b"data: " + 65_536 * b"x" + b"\n\n",
    "missing-anti-buffering-headers": answered([("Content-Type", "text/event-stream")]),
    "connection-close-hints": answered([*GOOD_HEADERS, ("Content-Length", "99")]),
    "padding": chunk({"content": "a"}, obfuscation="xyz") + HEALTHY,
    "thinking-hidden": counted(6, 2, **THINKING),
    "whole-object": WHOLE + DONE,
    "wrapped-payload": b'data: {"data":{"choices":[{"index":0,"delta":{"content":"a"}}]}}\n\n',
    "audio-answer": chunk({"audio": {"transcript": "a"}}) + chunk({"audio": {"data": "AAAA"}}),
    "late-delta": RESPONSE_BEGUN + SAID + SAID_ALL + SAID,
    "final-text-mismatch": RESPONSE_BEGUN + SAID + SAID + SAID_ALL,
    "reasoning-tags": text("<think>a</think>b") + STOP,
    "control-token": text("a<|im_end|>") + STOP,
    "prefilled-part": RESPONSE_BEGUN + PART.replace(b'""', b'"a"') + SAID,
    "server-keeps-generating": wires.polled(b"vllm:num_requests_running 1.0\n"),
    "heartbeat-form": b": ping\n" + HEALTHY,
    "secrets-in-recording": Wire().ask(headers=[BEARER]).good(),
}

SILENT: dict[str, Case] = {
    "truncated-stream": text("whole") + STOP,
    "failed-request": answered(GOOD_HEADERS),
    "in-band-error": text('{"error": "as text"}') + b'data: {"error":null,"choices":[]}\n\n' + STOP,
    "proxy-buffering": wires.steady(30, 300),
    "late-read": Wire().ask().good().read(10, b"data: a\n\n").read(900, b"data: b\n\ndata: c\n\n"),
    "placeholder-content": text("Thinking")
    + text("...")
    + text(" about it...")
    + HEALTHY
    + text("Loading..."),
    "phantom-event-risk": b"id: 1\ndata: a\n\n: ping\ndata: b\n\n: x\n",
    "ttft-on-empty-chunk": wires.late_token(10),
    "keepalive-masked-stall": wires.stalled(20),
    "idle-gap": Wire().ask().good().read(10, b"data: a\n\n").read(14_000, b": hb\n").close(28_000, "eof"),
    "periodic-cut": wires.cut_at(100_000, 130_000),
    "unterminated-tail": HEALTHY + b": a comment\n",
    "resume-unsupported": wires.resumed(b"id: 4\ndata: d\n\n"),
    "resume-gap": wires.resumed(b"id: 4\ndata: d\n\nid: 5\ndata: e\n\n"),
    "resume-duplicate": wires.resumed(b"id: 4\ndata: d\n\n"),
    "unsafe-retry": wires.asked_twice("GET"),
    "wrong-content-type": answered([("Content-Type", "TEXT/Event-Stream;")]),
    "compressed-stream": answered([*GOOD_HEADERS, ("Content-Encoding", "identity")]),
    "stale-content-encoding": wires.gzipped(HEALTHY),
    "undecodable-body": answered([*GOOD_HEADERS, ("Content-Encoding", "br")]),
    "damaged-body": frames.CONVERSE,
    "runaway-compression": wires.gzipped(b":\n\n" * 50_000),
    "irregular-http": answered(GOOD_HEADERS, irregular=["of-a-later-version"]),
    "status-stop-vs-retry": wires.refused(503, retry_after="1", delay_ms=1000),
    "event-without-data": b"event: end\ndata:\n\n",
    "comment-as-data": b'id: 1\nretry: 5\ndata:\n\nevent: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n',
    "invalid-json-event": HEALTHY,
    "unicode-line-separators": rb'data: {"t":"a\u2028b"}' + "\ndata: é\n\n".encode(),
    "tool-call-index": calls(call(0, "a", '{"x":'), call(1, "b"), call(0, None, "1}")),
    "tool-call-arguments": calls(call(0, "a", '{"x":'), call(0, None, "1}")),
    "tool-call-name": calls(call(0, "a"), call(1, "b")),
    "tool-call-id": calls(call(0, "a"), call(1, "b")),
    "tool-call-finish": calls(call(0, "a")),
    "empty-tool-calls": chunk({"tool_calls": []}) + HEALTHY + text('"tool_calls": []'),
    "choice-index": b"".join(counted_choice(at, "stop") for at in range(4)) + DONE,
    "usage-missing": HEALTHY,
    "usage-mismatch": counted(2, 2),
    "running-usage": HEALTHY,
    "wrong-type": chunk({"content": None, "tool_calls": None}, usage=None) + HEALTHY,
    "cumulative-text": text("ha") + text("haha") + text("hahaha") + STOP + DONE,
    "repeated-deltas": text("ha") * 40 + STOP + DONE,
    "repeated-reasoning": chunk({"content": "It is forty-two.", "reasoning": "Six times 7."}) + STOP + DONE,
    "replaced-text": dify("message", answer="Hello") + dify("message_end"),
    "foreign-role": chunk({"role": "assistant", "content": "a"}) * 2 + STOP + DONE,
    "tool-call-in-text": text("A model writes `<tool_call>` before a call.") + STOP + DONE,
    "doubled-text": text("ha") * 40 + STOP + DONE,
    "mixed-answers": text("a") + chunk({"content": "b"}, id="d") + STOP + DONE,
    "id-in-every-chunk": HEALTHY,
    "changed-id": text("a") + text("b") + STOP + chunk({}, id="d") + DONE,
    "content-after-finish": HEALTHY,
    "repeated-finish": HEALTHY,
    "event-order": ANTHROPIC,
    "chunk-not-token": counted(10, 10),
    "fake-streaming": wires.steady(30, 300),
    "empty-or-null-choices": HEALTHY.replace(USAGE, b""),
    "provider-stop": HEALTHY,
    "unknown-finish-reason": text("whole") + chunk({}, "End-Turn") + DONE,
    "length-limit": HEALTHY,
    "empty-answer": calls(call(0, "a")),
    "foreign-terminal": HEALTHY,
    "missing-finish-reason": HEALTHY,
    "missing-end-marker": HEALTHY,
    "open-after-finish": kept_open(HEALTHY),
    "double-terminal": HEALTHY,
    "data-after-terminal": HEALTHY + b": ping\n\n",
    "dialect-mismatch": ANTHROPIC + b'event: message_stop\ndata: {"type": "message_stop"}\n\n',
    "bom": "data: a\ufeffb\n\n".encode(),
    "invalid-utf8": [b"data: \xf0\x9f", b"\x98", b"\x80\n\n"],
    "split-surrogates": escaped(r"\ud83d\ude00") + STOP + DONE,
    "lone-surrogates": escaped(r"\ud83d") + escaped(r"\ude00") + STOP + DONE,
    "replacement-characters": b"data: \xff \xf0\n\n" + escaped(r"\uffef") + HEALTHY,
    "charset-not-utf8": answered([("Content-Type", 'text/event-stream; charset="UTF-8"')]),
    "line-endings": b"data: a\n\n\ndata: b\n\n",
    "no-space-after-colon": b"data: a:b\ndata:\nevent: x:y\n\n",
    "multi-line-data": b'data: {"a": 1}\n\n',
    "unknown-field": b": comment\nretry: x\nid: \0\ndata: a\n\n",
    "wrapped-twice": b'data: data: a word on event streams\n\ndata: {"a": "data: b"}\n\n',
    "escaped-line-ends": rb'data: {"a": "one\n\ndata: two\n\n"}' + b"\n\n" + rb"data: a\n" + b"\n\n",
    "missing-blank-lines": b'data: {"a":\ndata: 1}\n\nid: 1\ndata: a\nevent: b\ndata: c\n\n',
    "joined-fields": b"id: 1\nevent: https://a/?data:b\ndata: event: c\n\n",
    "stripped-spaces": b"data:7\n\ndata: 8\n\ndata:12\n\n",
    "premature-blank-line": b"event: a\ndata: b\n\nevent: end\n\n: c\n\ndata: d\n\n",
    "payload-in-comment": b': {"queue": 3}\n\n: data\n\n',
    "split-character": [b"data: \xc3", b"\xa9\n\n"],
    "id-nul": b"id: 1\ndata: \0\n\n",
    "id-nonascii": b"id: e\ndata: a\n\n",
    "id-long": b"id: " + 128 * b"x" + b"\ndata: a\n\n",
    "id-missing": b"data: a\n\nid: 1\ndata: b\n\nid: 2\ndata: c\n\n",
    "id-not-monotonic": b"id: a9\ndata: a\n\nid: b1\ndata: b\n\nid: b2\ndata: c\n\n",
    "id-reused": b"id: 5\ndata: a\n\ndata: b\n\nid: 6\ndata: c\n\n",
    "retry-invalid": b"retry: 500\ndata: a\n\n",
    "retry-zero": b"retry: 1\ndata: a\n\n",
    "retry-huge": b"retry: 3600000\ndata: a\n\n",
    "retry-alone": b"retry: 500\ndata: a\n\nid: 1\nretry: 5\n\n",
    "reconnect-storm": wires.storm(8, 30_000),
    "lost-resume-token": wires.asked_twice("GET", with_ids=True, send="2"),
    "oversized-event": b"data: " + 65_000 * b"x" + b"\n\n",
    "missing-anti-buffering-headers": answered(GOOD_HEADERS),
    "connection-close-hints": answered(GOOD_HEADERS),
    "padding": HEALTHY,
    "thinking-hidden": chunk({"reasoning_content": "hm"}) + counted(6, 2, **THINKING),
    "whole-object": text("a") + WHOLE + DONE,
    "wrapped-payload": HEALTHY,
    "audio-answer": chunk({"audio": None, "content": "a"}) + STOP,
    "late-delta": RESPONSE_BEGUN + SAID + SAID_ALL,
    "final-text-mismatch": RESPONSE_BEGUN + SAID + SAID_ALL,
    "reasoning-tags": text("Write <think>a</think>.") + STOP,
    "control-token": text("a | b <|> c") + STOP,
    "prefilled-part": RESPONSE_BEGUN + PART + SAID,
    "server-keeps-generating": wires.polled(b"vllm:num_requests_running 0.0\n"),
    "heartbeat-form": HEALTHY,
    "secrets-in-recording": Wire()
    .ask(url="http://h/?max_tokens=12345678&key=redacted", headers=[("Authorization", "[redacted]")])
    .good(),
}


def test_these_are_all_rules() -> None:
    assert set(RULES) == set(ALL)
    assert set(FIRES) == set(SILENT) == set(ALL)
    text = protocol()
    if text is not None:
        table = text[text.index("### 4.1 ") : text.index("### 4.2 ")]
        rows = [line.split("|")[2] for line in table.splitlines() if line.startswith("| ") and "`" in line]
        assert len(rows) == 45
        assert {part.strip(" `") for row in rows for part in row.split("/")} == set(ALL) - BEYOND


@pytest.mark.parametrize("rule", ALL)
def test_it_fires(rule: str) -> None:
    finding = only(FIRES[rule], rule)
    assert finding.message.endswith((".", ")"))
    assert finding.advice.endswith(".")
    assert finding.reference
    assert finding.conn >= 1
    assert finding.turn == 1 or rule == "server-keeps-generating"
    assert len(finding.raw) <= 200
    if finding.start is not None:
        assert finding.end is not None
        assert finding.start <= finding.end


@pytest.mark.parametrize("rule", ALL)
def test_it_stays_silent(rule: str) -> None:
    assert rule not in rules(SILENT[rule])


@pytest.mark.parametrize("rule", ALL)
def test_it_has_everything_to_be_shown(rule: str) -> None:
    known = RULES[rule]
    assert known.summary.endswith(".")
    assert known.severity in ("error", "warning", "info")
    assert known.triggers


def test_a_healthy_stream_has_no_finding() -> None:
    assert [f.rule for f in of_bytes(HEALTHY).findings if f.rule != "empty-or-null-choices"] == []
    assert rules(wires.steady(30, 300)) == set()


def test_a_finding_is_json() -> None:
    from sse_tui.analysis.jsonform import result_json

    analysis = of_bytes(b"data: \xff\n\n" + text("a"))
    assert analysis.turn is not None
    found = json.loads(json.dumps(result_json(analysis, analysis.turn)))["findings"]
    assert {
        "rule",
        "severity",
        "message",
        "advice",
        "reference",
        "conn",
        "start",
        "end",
        "event",
        "t_ms",
    } <= set(found[0])
    assert [f["rule"] for f in found] == [f.rule for f in analysis.findings]


def test_the_place_is_exact() -> None:
    body = b": hb\ndata: ok\n\ndata: : keepalive\n\n"
    finding = only(body, "comment-as-data")
    assert body[finding.start : finding.end] == finding.raw == b"data: : keepalive\n\n"
    assert (finding.event, finding.conn, finding.t) == (2, 1, None)


def test_more_of_the_same_is_counted() -> None:
    analysis = of_bytes(20 * b"event: x\n\n")
    found = [f for f in analysis.findings if f.rule == "event-without-data"]
    assert len(found) == 3
    assert found[0].count == 20


def test_findings_arise_while_the_stream_runs() -> None:
    story = Wire().ask().good().read(5, b"event: x\n\n")
    analysis, seen = None, []
    from sse_tui.analysis.analysis import Analysis
    from sse_tui.recording.records import Header

    analysis = Analysis(Header())
    for record in story.records:
        analysis.feed(record)
        seen.append([f.rule for f in analysis.findings])
    assert seen[:2] == [[], []]
    assert "event-without-data" in seen[2]


@pytest.mark.parametrize(
    ("body", "kind", "place"),
    [
        (b"data: a\r\n\r\n", "crlf", (7, 9)),
        (b"data: a\r\rdata: b\r\r", "cr", (7, 8)),
        (b"data: a\n\rdata: b\n\n", "lf-cr", (7, 9)),
        (b"data: a\r", "cr", (7, 8)),
    ],
)
def test_line_ends_are_told_apart(body: bytes, kind: str, place: tuple[int, int]) -> None:
    finding = only(body, "line-endings")
    assert finding.evidence["kind"] == kind
    assert (finding.start, finding.end) == place


def test_an_id_is_reused_even_where_it_is_the_next_number() -> None:
    body = b"id: 5\ndata: a\n\nid: 4\ndata: b\n\nid: 5\ndata: c\n\n"
    assert {"id-not-monotonic", "id-reused"} <= rules(body)
    counting = b"".join(b"id: s-%d\ndata: x\n\n" % n for n in range(20))
    assert rules(counting) == set()
    assert only(counting + b"id: s-3\ndata: x\n\n", "id-reused").evidence == {"id": "s-3", "earlier": 4}


def test_mixed_line_ends_are_counted() -> None:
    found = [f for f in of_bytes(b"data: a\r\n\r\ndata: b\n\n").findings if f.rule == "line-endings"]
    assert [f.evidence["kind"] for f in found] == ["crlf", "mixed"]
    assert found[1].severity == "warning"
    assert "2 CRLF, 2 LF" in found[1].message

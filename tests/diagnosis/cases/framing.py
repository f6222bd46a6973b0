"""Streams framed wrongly: blank lines, field names, line ends or layers that are missing, or one too many."""

from __future__ import annotations

import json
from typing import Any

from tests.diagnosis.cases.case import Case
from tests.diagnosis.telling import DONE, STOP, chunk, text

SILENT = ("unknown-field", "wrapped-twice", "escaped-line-ends", "missing-blank-lines", "stripped-spaces")


def payload(content: str, finish: str | None = None) -> str:
    """A chunk as the text of its event's data."""
    return chunk({"content": content}, finish).decode()[6:-2]


def lines(*payloads: str, end: str = "\n") -> bytes:
    """One data line each, with `end` behind it."""
    return "".join(f"data: {each}{end}" for each in payloads).encode()


def claude(kind: str, **members: Any) -> str:
    return json.dumps({"type": kind, **members})


WORD = {"type": "text_delta", "text": "Salut"}
ANTHROPIC = [
    ("message_start", claude("message_start", message={"id": "m", "model": "c", "content": []})),
    (
        "content_block_start",
        claude("content_block_start", index=0, content_block={"type": "text", "text": ""}),
    ),
    ("content_block_delta", claude("content_block_delta", index=0, delta=WORD)),
    ("content_block_stop", claude("content_block_stop", index=0)),
    ("message_stop", claude("message_stop")),
]

CASES = [
    # Blank lines that are missing.
    Case(
        "s35-no-blank-lines",
        lines(payload("red "), payload("green "), payload("blue"), payload("", "stop"), "[DONE]"),
        findings={"missing-blank-lines": 'error .*one line end.*5 chunks: "(red green blue|one two three)"'},
        silent=("unterminated-tail", "invalid-json-event", "multi-line-data", "unknown-field"),
    ),
    Case(
        "s35b-no-blank-lines-then-end",
        lines(payload("red "), payload("green "), payload("blue"), "[DONE]") + b"\n",
        findings={"missing-blank-lines": "error .*JSON texts are joined.*4 chunks"},
        silent=("unterminated-tail", "invalid-json-event", "multi-line-data"),
    ),
    Case(
        "no-blank-lines-crlf",
        lines(payload("a"), payload("b"), end="\r\n"),
        findings={"missing-blank-lines": 'error .*2 chunks: "ab"'},
        silent=("unterminated-tail",),
    ),
    Case(
        "no-blank-lines-between-named-events",
        "".join(f"event: {name}\ndata: {data}\n" for name, data in ANTHROPIC).encode(),
        findings={"missing-blank-lines": 'error .*5 chunks: "Salut"'},
        silent=("unterminated-tail",),
    ),
    Case(
        "no-blank-lines-between-named-events-then-end",
        "".join(f"event: {name}\ndata: {data}\n" for name, data in ANTHROPIC).encode() + b"\n",
        findings={"missing-blank-lines": 'error .*5 chunks: "Salut"'},
        silent=("invalid-json-event", "multi-line-data"),
    ),
    Case(
        "no-blank-lines-between-numbered-texts",
        b"id: 1\ndata: up\nid: 2\ndata: down\nid: 3\ndata: up\n",
        findings={"missing-blank-lines": "error .*3 events"},
    ),
    Case(
        "no-blank-lines-between-texts",
        b"data: The\ndata:  cat\ndata:  sat\n",
        findings={"missing-blank-lines": 'warning .*3 data lines.*"The cat sat"'},
        silent=("unterminated-tail",),
    ),
    # mpetazzoni/sseclient#18: objects over several data lines each, and no blank line between the objects.
    Case(
        "objects-over-several-lines-without-blank-lines",
        b'data: {\ndata:   "state": "init"\ndata: }\ndata: {\ndata:   "state": "done"\ndata: }\n',
        findings={"missing-blank-lines": "warning .*2 events"},
        silent=("unterminated-tail",),
    ),
    Case(
        "json-lines-in-one-event",
        lines('{"t": 1}', '{"t": 2}') + b"\n" + lines('{"t": 3}', '{"t": 4}') + b"\n",
        findings={"missing-blank-lines": "info .*4 events"},
        quiet=True,
    ),
    # Wrapped.
    Case(
        "t16-wrapped-plain",
        lines("data: " + payload("x"), "data: " + payload("y"), "[DONE]", end="\n\n"),
        findings={"wrapped-twice": 'error .*2 events .*2 chunks: "(xy|ab)"'},
        silent=("invalid-json-event",),
    ),
    Case(
        "t16b-wrapped-event-and-data",
        b"".join(
            b"data: event: chunk\n" + lines("data: " + payload(each), "") + b"\n" for each in ("x", "y")
        ),
        findings={"wrapped-twice": 'error .*2 chunks: "(xy|ab)"'},
        silent=("invalid-json-event", "multi-line-data", "missing-blank-lines"),
    ),
    Case(
        "s33-sse-in-json-string",
        lines(*(json.dumps(f"data: {payload(each)}\n\n") for each in ("Good", "bye")), end="\n\n"),
        findings={"wrapped-twice": 'error .*as a JSON string.*2 chunks: "(Goodbye|Hello)"'},
    ),
    Case(
        "wrapped-three-times",
        lines("data: data: " + payload("x"), end="\n\n"),
        findings={"wrapped-twice": 'error .*1 chunk: "x"'},
    ),
    Case(
        "wrapped-as-python-bytes",
        lines(*(repr(f"data: {payload(each)}\n\n".encode()) for each in ("x", "y")), end="\n\n"),
        findings={"wrapped-twice": 'error .*Python literal.*2 chunks: "xy"'},
    ),
    Case(
        "payload-as-python-bytes",
        lines(*(repr(payload(each).encode()) for each in ("x", "y")), end="\n\n"),
        findings={"wrapped-twice": 'error .*Python literal.*2 chunks: "xy"'},
    ),
    Case(
        "wrapped-in-a-json-member",
        lines(*(json.dumps({"body": f"data: {payload(each)}\n\n"}) for each in ("x", "y")), end="\n\n"),
        findings={"wrapped-twice": 'error .*inside a JSON object.*2 chunks: "xy"'},
    ),
    Case(
        "wrapped-under-a-known-dialect",
        lines("data: " + payload("x"), "data: " + payload("y"), end="\n\n"),
        findings={"wrapped-twice": 'error .*2 chunks: "xy"'},
        silent=("invalid-json-event",),
        dialect="openai-chat",
    ),
    Case(
        "wrapped-texts",
        b"data: data: Good\n\ndata: data:  day\n\n",
        findings={"wrapped-twice": 'warning .*"Good day"'},
    ),
    Case(
        "an-answer-about-event-streams", text("data: {}\n\n") + text("event: x") + STOP + DONE, silent=SILENT
    ),
    # Line ends that are characters.
    Case(
        "t16c-literal-backslash-n",
        lines(r"\n\ndata: ".join((payload("x"), payload("y"), "[DONE]")) + r"\n\n", end="\n\n"),
        findings={"escaped-line-ends": 'error .*3 chunks: "(xy|ab)"'},
        silent=("invalid-json-event",),
    ),
    Case(
        "literal-line-end-behind-each-event",
        lines(*(payload(each) + r"\r\n\r\n" for each in ("x", "y")), end="\n\n"),
        findings={"escaped-line-ends": r'error .*\\r\\n.*2 chunks: "xy"'},
        silent=("invalid-json-event",),
    ),
    Case(
        "no-real-line-end-at-all",
        rf"data: {payload('x')}\n\ndata: {payload('y')}\n\ndata: [DONE]\n\n".encode(),
        findings={"escaped-line-ends": 'error .*3 chunks: "xy"'},
        silent=("unterminated-tail",),
    ),
    Case(
        "line-ends-with-the-wrong-slash",
        lines(*(payload(each) + "/n/n" for each in ("x", "y")), end="\n\n"),
        findings={"escaped-line-ends": 'error .*2 chunks: "xy"'},
    ),
    Case(
        "no-line-end-and-no-escape",
        b" ".join(lines(payload(each), end="") for each in ("x", "y")),
        findings={"missing-blank-lines": 'error no line end at all.*2 chunks: "xy"'},
        silent=("unterminated-tail",),
    ),
    Case(
        "no-blank-lines-cr",
        lines(payload("a"), payload("b"), end="\r"),
        findings={"missing-blank-lines": 'error .*2 chunks: "ab"'},
    ),
    Case(
        "blank-lines-with-a-space",
        lines(payload("a"), payload("b"), end="\n \n"),
        findings={
            "missing-blank-lines": 'error .*2 chunks: "ab"',
            "unknown-field": "warning ^2 lines .*white space",
        },
    ),
    Case(
        "a-blank-line-too-early",
        "".join(f"event: {name}\n\ndata: {data}\n\n" for name, data in ANTHROPIC).encode(),
        findings={"premature-blank-line": "warning ^A blank line parts the name of 5 events"},
    ),
    Case(
        "payloads-in-comments",
        "".join(f": {payload(each)}\n\n" for each in ("a", "b")).encode(),
        findings={"payload-in-comment": 'warning 2 chunks: "ab"'},
    ),
    # Lines of a payload without a field.
    Case(
        "s34-unprefixed-lines",
        b"data: <ul>\n  <li>one</li>\n</ul>\n\ndata: two\n\n",
        findings={
            "unknown-field": r"warning line feeds were not turned into data lines.*2 lines are ignored.*<(ul|div)>\\n"
        },
    ),
    Case(
        "s34b-json-over-raw-lines",
        b'id: 1\nevent: tick\ndata: {\n  "a": "x",\n  "b": "y"\n}\n\nid: 2\nevent: tick\ndata: {\n  "a": "z"\n}\n\n',
        findings={"unknown-field": "error 5 lines are ignored.*2 payloads, in valid JSON"},
        silent=("invalid-json-event",),
    ),
    Case(
        "chunks-over-raw-lines",
        b"".join(
            f"data: {json.dumps(json.loads(payload(each)), indent=2)}\n\n".encode() for each in ("x", "y")
        ),
        findings={"unknown-field": 'error .*2 payloads: "xy", in valid JSON'},
        silent=("invalid-json-event",),
    ),
    Case(
        "v05-markdown-raw",
        b"data: ## List\n- first\n- second: 3\n\ndata: end\n\n",
        findings={"unknown-field": r"warning line feeds .*## List|# Title"},
    ),
    Case(
        "v05b-python-raw",
        b"data: for i in x:\n    print(i)\n\ndata: end\n\n",
        findings={"unknown-field": "warning line feeds"},
    ),
    Case(
        "markdown-in-paragraphs",
        b"data: # Title\n\nA paragraph.\n\nAnother one.\n\ndata: end\n\n",
        findings={
            "unknown-field": r"warning 2 lines are ignored.*# Title\\n\\nA paragraph.\\n\\nAnother one"
        },
    ),
    Case(
        "a-raw-line-feed-inside-the-json",
        b'data: {"choices":[{"index":0,"delta":{"content":"one\ntwo"}}],"object":"chat.completion.chunk"}\n\n',
        findings={"unknown-field": r"error .*1 payload.*one two|one.ntwo"},
        silent=("invalid-json-event",),
    ),
    # Field names.
    *(
        Case(
            f"field-name-{name}",
            "".join(f"{start}{payload(each)}\n\n" for each in ("x", "y")).encode(),
            findings={"unknown-field": f'error ^2 lines .*{words}.*2 payloads: "xy"'},
        )
        for name, start, words in (
            ("capital", "Data: ", "in other letters"),
            ("space-before-colon", "data : ", "space before the colon"),
            ("indented", "    data: ", "indentation"),
            ("equals", "data=", "'='"),
            ("no-colon", "data ", "without a colon"),
            ("quoted", '"data": ', "in quotes"),
            ("semicolon", "data; ", "semicolon"),
            ("message", "message: ", "under another name"),
        )
    ),
    # BerriAI/litellm#29494: the notation of Python's bytes, with no field around it.
    Case(
        "lines-of-python-bytes",
        "".join(f"{f'data: {payload(each)}'.encode()!r}\n\n" for each in ("x", "y")).encode(),
        findings={"unknown-field": 'error ^2 lines .*Python literal.*2 chunks: "xy"'},
    ),
    # mpetazzoni/sseclient#21: a dictionary as Python writes it.
    Case(
        "payload-as-a-python-dictionary",
        lines(*(str(json.loads(payload(each))) for each in ("x", "y")), end="\n\n"),
        findings={"invalid-json-event": 'error ^2 payloads are in Python\'s notation.*"xy"'},
    ),
    # openai/openai-go#651
    Case(
        "comments-before-blank-lines",
        b": PROCESSING\n\n" * 3 + b":\n\n" + text("a") + STOP + DONE,
        findings={"phantom-event-risk": "info ^4 comments .*bare colon"},
        quiet=True,
    ),
    Case(
        "chunk-sizes-in-the-body",
        b"".join(b"%x\r\n%b\r\n" % (len(each), each) for each in (text("a"), text("b"), STOP, DONE))
        + b"0\r\n\r\n",
        findings={"unknown-field": "warning ^5 lines .*size of a chunk"},
        text="ab",
    ),
    Case(
        "a-head-in-the-body",
        text("a") + b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + STOP + DONE,
        findings={"unknown-field": "warning ^2 lines .*head of a response"},
        text="a",
    ),
    Case(
        "a-comma-behind-each-payload",
        text("a") + lines(payload("b") + ",", end="\n\n"),
        findings={"invalid-json-event": "error ',' follows the JSON text"},
        dialect="openai-chat",
    ),
    # Glued.
    Case(
        "s36-glued-objects",
        text("") + lines(payload("'s") + payload(" tongue"), end="\n\n") + STOP + DONE,
        findings={"invalid-json-event": 'error 2 JSON texts run together.*"\'s (tongue|language)"'},
        silent=("missing-blank-lines", "escaped-line-ends"),
    ),
    Case(
        "end-marker-glued-to-a-chunk",
        text("x") + lines(payload("y", "stop") + "[DONE]", end="\n\n"),
        findings={"invalid-json-event": 'error 2 JSON texts run together.*"y"'},
    ),
    Case(
        "line-end-missing-between-events",
        text("x") + lines(payload("y") + "data: " + payload("z"), end="\n\n") + STOP + DONE,
        findings={"invalid-json-event": 'error 2 JSON texts run together.*"yz"'},
    ),
    Case(
        "a-payload-cut-into-events",
        lines(
            *(part for each in ("x", "y") for part in (payload(each)[:50], payload(each)[50:])), end="\n\n"
        ),
        findings={"invalid-json-event": "error 2 JSON texts were cut up"},
        dialect="openai-chat",
    ),
    # EventSource/eventsource#18
    Case(
        "fields-joined",
        b"id: 1data: hello\n\nid: 2data: world\n\n",
        findings={"joined-fields": "error id field.*'data: hello'"},
    ),
    # Spaces.
    Case(
        "s32-spring-no-space",
        b"data:The\n\ndata: cat\n\ndata:s\n\ndata: sat\n\n",
        findings={"stripped-spaces": 'warning .*"(The cats sat|La frase "come stai.")'},
    ),
    Case(
        "json-without-the-space",
        b'data:{"a":1}\n\ndata: {"a":2}\n\ndata:{"a":3}\n\n',
        quiet=True,
        silent=SILENT,
    ),
    # Healthy, though they look odd.
    Case(
        "s39-datastar-blank-data-lines",
        b"event: datastar-patch\nid: 7\ndata: elements <p>\ndata: a\ndata: \ndata: b</p>\n\n",
        quiet=True,
        silent=("invalid-json-event", "multi-line-data", *SILENT),
    ),
    Case(
        "s66-extra-blank-lines",
        b"\n\n" + text("a") + b"\n\n\n" + text("b") + b"\n" + STOP + b"\n" + DONE + b"\n\n\n",
        outcome="complete",
        text="ab",
        quiet=True,
        silent=("phantom-event-risk", *SILENT),
    ),
    Case(
        "brackets-in-a-text",
        b"data: [1][2]\n\ndata: {a}{b}\n\ndata: C:\\new/n\n\n",
        quiet=True,
        silent=SILENT,
    ),
    Case("html-as-the-payload", b"data: <html><body>Hi</body></html>\n\n" * 2, quiet=True, silent=SILENT),
    Case(
        "id-with-nul-then-the-same-id",
        b"id: 1\ndata: a\n\nid: 2\0\ndata: b\n\nid: 1\ndata: c\n\nid: 2\ndata: d\n\n",
        findings={"id-nul": "warning "},
        silent=("id-reused", "id-not-monotonic"),
    ),
    Case(
        "cut-after-the-last-cr",
        (text("a") + STOP + DONE).replace(b"\n", b"\r\n")[:-1],
        outcome="complete",
        quiet=True,
    ),
]

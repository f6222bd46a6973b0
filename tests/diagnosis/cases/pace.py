"""Heartbeats in the place of content, and healthy streams that were taken for broken ones; times have tests of their
own, since a file without a clock has none.
"""

from __future__ import annotations

from tests.diagnosis.answering import event, gemini, parts
from tests.diagnosis.cases.case import Case
from tests.diagnosis.telling import DONE, STOP, chunk, text

END = STOP + chunk(choices=[], usage={"prompt_tokens": 3, "completion_tokens": 1}) + DONE
ROLE = chunk({"role": "assistant", "content": ""})
ANSWER = text("Paris") + END
SEARCH = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
PIECE = {"type": "input_json_delta", "partial_json": '{"q":1}'}


def typed(kind: str, **members: object) -> bytes:
    return event({"type": kind, **members}, kind)


CASES: list[Case] = [
    Case(
        "chunks without a delta's content before the answer",
        ROLE + chunk({}) * 8 + ANSWER,
        outcome="complete",
        text="Paris",
        findings={"heartbeat-form": r"info \d empty chunks"},
        quiet=True,
    ),
    Case(
        "chunks of empty content before the answer",
        ROLE + text("") * 8 + ANSWER,
        text="Paris",
        findings={"heartbeat-form": r"info \d empty chunks"},
        quiet=True,
    ),
    Case(
        "chunks of zero-width spaces before the answer",
        text("\u200b") * 8 + ANSWER,
        findings={"heartbeat-form": r"info \d blank chunks"},
        quiet=True,
    ),
    Case(
        "a type that says heartbeat, in a chat",
        b'data: {"type":"heartbeat"}\n\n' * 3 + ANSWER,
        text="Paris",
        findings={"heartbeat-form": "info 3 ping events"},
        quiet=True,
    ),
    Case(
        "a type that says keepalive, in a stream of unknown dialect",
        b'data: {"type":"keepalive","at":1}\n\ndata: {"temperature":20}\n\n' * 3,
        outcome="ended",
        findings={"heartbeat-form": "info 3 ping events"},
        quiet=True,
    ),
    Case(
        "events named keep-alive with an object",
        b"event: keep-alive\ndata: {}\n\n" * 3 + ANSWER,
        findings={"heartbeat-form": "info 3 ping events"},
        quiet=True,
    ),
    Case(
        "empty parts of Gemini's between the others",
        gemini(parts("")) * 5 + gemini(parts("Paris"), parts("") | {"finishReason": "STOP"}),
        outcome="complete",
        text="Paris",
        quiet=True,
    ),
    Case(
        "a comment of OpenRouter's as content",
        text(": OPENROUTER PROCESSING") * 3 + ANSWER,
        findings={"placeholder-content": "warning 3 chunks held a placeholder"},
    ),
    Case(
        "a chunk whose id says that it keeps the connection alive",
        chunk({"content": ""}, id="chatcmpl-keepalive") * 2 + ANSWER,
        text="Paris",
        findings={"placeholder-content": "info .*'chatcmpl-keepalive'"},
        quiet=True,
    ),
    Case(
        "a placeholder, sent again and again",
        text("Processing…") * 4 + ANSWER,
        findings={"placeholder-content": "warning 4 chunks.*Processing"},
    ),
    Case(
        "an answer that is no placeholder",
        text("Loading...") + END,
        text="Loading...",
        silent=("placeholder-content", "heartbeat-form"),
        quiet=True,
    ),
    Case(
        "white space within an answer",
        text("a") + text(" ") * 5 + text("\n") * 5 + ANSWER,
        text="a     \n\n\n\n\nParis",
        silent=("heartbeat-form", "placeholder-content"),
        quiet=True,
    ),
    Case(
        "a search by the server itself, with pings",
        typed("message_start", message={"model": "m", "usage": {"input_tokens": 1, "output_tokens": 1}})
        + typed("content_block_start", index=0, content_block=SEARCH)
        + 4 * (typed("content_block_delta", index=0, delta=PIECE) + typed("ping")),
        silent=("keepalive-masked-stall",),
    ),
    Case(
        "MCP: a priming event, a heartbeat and the response",
        b"id: s_0\nretry: 500\ndata:\n\n: ping\n\n"
        b'id: s_1\nevent: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n',
        outcome="complete",
        quiet=True,
    ),
    Case(
        "comments and ids of a feed, each in a block of its own",
        b": ok\n\nid: 1\nevent: update\ndata: {}\n\n: hb\n\nid: 2\nevent: update\ndata: {}\n\n: hb\n\n",
        outcome="ended",
        quiet=True,
    ),
]

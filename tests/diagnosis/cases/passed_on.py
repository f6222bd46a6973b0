"""What gateways pass on in a form of their own: errors inside errors, pages, payloads encoded twice, line ends."""

from __future__ import annotations

import json

from tests.diagnosis.answering import anthropic, event
from tests.diagnosis.cases.case import Case
from tests.diagnosis.telling import DONE, STOP, text

ERROR = "in-band-error"
_INNER = json.dumps({"error": {"type": "rate_limit_error", "code": 429, "message": "slow down"}})
_PAGE = b"<html>\n<head><title>504 Gateway Time-out</title></head>\n<h1>504 Gateway Time-out</h1>\n</html>\n"
_CHUNKS = [text("Good"), text(" day"), STOP]


def _again(payload: bytes) -> bytes:
    return event(payload.decode().removeprefix("data: ").strip())


CASES = [
    Case(
        "an error whose text is the JSON of another",
        text("Wor") + event({"error": _INNER}),
        "error",
        findings={ERROR: "error rate_limit_error 429: slow down.*may succeed"},
        error="429",
    ),
    Case(
        "an error whose message is the JSON of another, with a code of its own",
        text("Wor") + event({"error": {"code": 502, "message": _INNER}}),
        "error",
        findings={ERROR: "error rate_limit_error 502: slow down"},
        error="slow down",
    ),
    Case(
        "an error of Anthropic's inside a message of a gateway",
        anthropic("Wor", stop=None, end=False)
        + event(
            {
                "type": "error",
                "message": '{"type":"error","error":{"type":"overloaded_error","message":"Over"}}',
            },
            "error",
        ),
        "error",
        findings={ERROR: "error overloaded_error: Over.*may succeed"},
        error="overloaded_error",
    ),
    Case(
        "a page of a proxy behind half an answer",
        text("Wor") + _PAGE,
        "error",
        "Wor",
        {ERROR: "error 504: Gateway Time-out.*may succeed.*HTML page"},
        error="504",
    ),
    Case(
        "a page of a proxy as data",
        text("Wor") + b"data: " + _PAGE.replace(b"\n", b"") + b"\n\n",
        "error",
        "Wor",
        {ERROR: "error 504: Gateway", "invalid-json-event": "error HTML"},
    ),
    Case(
        "a page of Cloudflare's as data",
        text("Wor") + b"data: <!DOCTYPE html><title>some.example | 522: Connection timed out</title>\n\n",
        "error",
        findings={ERROR: "error 522: Connection timed out"},
    ),
    Case(
        "a page as the words of the model",
        text("<title>504 Gateway Time-out</title>") + text(" is a title") + STOP + DONE,
        "complete",
        silent=(ERROR,),
    ),
    Case(
        "an error in plain text as the whole body",
        b"upstream connect error or disconnect/reset before headers. reset reason: connection termination",
        "error",
        findings={ERROR: "error upstream connect error.*sent as plain text"},
    ),
    Case(
        "an answer that is an error message",
        text("Error: Rate limit exceeded. Please try again in 20s.") + STOP + DONE,
        "complete",
        findings={ERROR: "info whole answer reads like an error message"},
    ),
    Case(
        "payloads encoded twice",
        b"".join(map(_again, _CHUNKS)) + DONE,
        findings={"wrapped-twice": 'error encoded twice.*3 chunks: "Good day"'},
    ),
    Case(
        "one string of JSON among other strings",
        event("a") + event(json.dumps({"a": 1})) + event("b") + event("c"),
        silent=("wrapped-twice",),
    ),
    Case(
        "line ends translated twice",
        (b"".join(_CHUNKS) + DONE).replace(b"\n", b"\r\r\n"),
        "complete",
        "Good day",
        {"line-endings": "warning CR CR LF"},
    ),
]

"""Ends that are not quite the dialect's own, and data that is not JSON for a reason that can be named."""

from __future__ import annotations

import json
from typing import Any

from tests.diagnosis.answering import anthropic, cohere
from tests.diagnosis.answering import event as sent
from tests.diagnosis.cases.case import Case
from tests.diagnosis.telling import DONE, STOP, text

MARKS = "missing-end-marker"
JSON = "invalid-json-event"

# By a name: what stands where [DONE] belongs, the rule that names it, and what that says.
_MARKS = {
    "in small letters": (b"data: [done]\n\n", JSON, "warning '.done.' stands where the end marker would be"),
    "without brackets": (b"data: DONE\n\n", JSON, "warning 'DONE'"),
    "another word": (b"data: [END]\n\n", JSON, "warning '.END.'"),
    "a token of the model": (b"data: <|end|>\n\n", JSON, "warning '<.end.>'"),
    "in quotes": (b'data: "[DONE]"\n\n', "wrong-type", "warning end marker in quotes"),
    "without data": (b"[DONE]\n\n", "unknown-field", "warning end marker without 'data:'"),
    "without a blank line": (b"data: [DONE]\n", "unterminated-tail", "error contain the end marker"),
    "without a line end": (
        b"data: [DONE]",
        "unterminated-tail",
        r"error contain the end marker \[DONE\], so",
    ),
}
_CUT_MARK = text("a") + STOP + b"data: [DON"

# By a name: data that is not JSON, and the cause that is named.
_CAUSES = {
    "an object that JavaScript printed": ("[object Object]", "how JavaScript prints an object"),
    "a value that JavaScript does not have": ("undefined", "JavaScript's undefined"),
    "Python's None": ("None", "Python's None"),
    "a notice in plain text": ("Your request is being processed", "plain text"),
    "a comma too many": (
        '{"choices": [{"delta": {"content": "b"},}]}',
        "comma stands before a closing bracket",
    ),
    "a tab in a string": ('{"choices": [{"delta": {"content": "b\tc"}}]}', "control character"),
    "a payload that ends early": ('{"choices": [{"delta": {"content": "b', "cut short"),
    "an event inside another (anomalyco/opencode#23442)": (
        '{"id": "c1", "object": "chat.completion.c' + text("lost").decode().strip(),
        'Another event was written into it .* says "lost"',
    ),
}

# By where it stands: a chunk with a finish reason out of its place.
_MISPLACED: dict[str, dict[str, Any]] = {
    "the delta": {"choices": [{"index": 0, "delta": {"finish_reason": "stop"}}]},
    "camel case: finishReason": {"choices": [{"index": 0, "delta": {}, "finishReason": "stop"}]},
    "the chunk: finish_reason": {"choices": [], "finish_reason": "stop"},
    "the chunk, with usage: finish_reason": {
        "choices": [],
        "finish_reason": "stop",
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    },
}

CASES = [
    *(
        Case(f"end mark {name}", text("a") + STOP + mark, "complete", "a", {rule: words}, silent=(MARKS,))
        for name, (mark, rule, words) in _MARKS.items()
    ),
    Case(
        "end mark that was cut",
        _CUT_MARK,
        "complete",
        "a",
        {"unterminated-tail": r"warning ends inside the end marker \[DONE\]", MARKS: "info"},
    ),
    *(
        Case(
            f"not JSON: {name}",
            text("a") + f"data: {data}\n\n".encode() + text("z") + STOP + DONE,
            "complete",
            "az",
            {JSON: f"error {words}"},
        )
        for name, (data, words) in _CAUSES.items()
    ),
    *(
        Case(
            f"not JSON, before all others: {name}",
            f"data: {data}\n\n".encode() + text("z") + STOP + DONE,
            "complete",
            "z",
            {JSON: f"error {words}"},
        )
        for name, (data, words) in _CAUSES.items()
    ),
    Case(
        "message_stop without a stop_reason",
        anthropic("Good", " day", stop=None),
        "ended",
        "Good day",
        {"missing-finish-reason": "warning message_stop arrived"},
    ),
    Case(
        "message-end without a finish_reason",
        cohere("Good", " day", reason=None) + sent({"type": "message-end", "delta": {}}, "message-end"),
        "ended",
        "Good day",
        {"missing-finish-reason": "warning message-end arrived"},
    ),
    *(
        Case(
            f"finish reason in {path}",
            text("Good") + text(" day") + sent({"object": "chat.completion.chunk", **chunk}) + DONE,
            "complete",
            "Good day",
            {"missing-finish-reason": f"warning stands in .*{path.rpartition(' ')[2]}"},
            result={"finish_reason": "stop"},
        )
        for path, chunk in _MISPLACED.items()
    ),
    Case(
        "a stop_reason of vLLM's beside a finish reason that is null",
        text("Good")
        + sent({"choices": [{"index": 0, "delta": {}, "finish_reason": None, "stop_reason": "x"}]})
        + DONE,
        "ended",
    ),
    Case(
        "stop_reason without message_stop",
        anthropic("Good", end=False),
        "complete",
        findings={MARKS: "warning message_stop did not follow"},
    ),
    Case(
        "a whole completion in place of a stream",
        json.dumps(
            {
                "object": "chat.completion",
                "choices": [
                    {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
                ],
            }
        ).encode(),
        "complete",
        "Hi",
        silent=(MARKS,),
    ),
    Case("message-end with its finish_reason", cohere("Good"), "complete", silent=("missing-finish-reason",)),
    Case(
        "chunks on lines, with the end mark on a line",
        (text("Good") + text(" day") + STOP + DONE).replace(b"data: ", b""),
        "complete",
        "Good day",
        {"wrong-content-type": "warning JSON lines"},
        silent=("empty-answer",),
    ),
]

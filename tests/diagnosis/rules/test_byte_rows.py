"""Reported bugs as bytes: each input gives the findings of the rules that cover it, and no error beside them.

The numbers are those of a list of reported bugs: where one is missing, no rule is about it.
"""

from __future__ import annotations

import json

import pytest

from tests.diagnosis.telling import findings, of_bytes

A = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'


def _call(id: str, name: str) -> bytes:
    call = {"index": 0, "id": id, "function": {"name": name, "arguments": "{}"}}
    return f"data: {json.dumps({'choices': [{'delta': {'tool_calls': [call]}}]})}\n\n".encode()


# number: (reads, rules that must fire, the errors among them)
ROWS: dict[int, tuple[list[bytes], set[str], set[str]]] = {
    1: (['data: {"t":"a\u2028b"}\n\n'.encode()], {"unicode-line-separators"}, set()),
    2: (['data: {"t":"a\u0085b\u2029c"}\n\n'.encode()], {"unicode-line-separators"}, set()),
    4: ([b"data: a\ndata:\n\n"], set(), set()),
    5: ([b"data:[DONE]\n\n"], {"no-space-after-colon"}, {"empty-answer"}),
    7: ([b"data: key: value: more\n\n"], set(), set()),
    8: ([b"data:  hello \n\n"], set(), set()),
    10: ([b"data: a\r\n\r\ndata: b\r\rdata: c\n\n"], {"line-endings"}, set()),
    11: ([b'data: {"a":\ndata: 1}\n\n'], {"multi-line-data"}, set()),
    13: ([b"data: a\r\n\r\n"], {"line-endings"}, set()),
    14: ([b"data: a\r\r"], {"line-endings"}, set()),
    16: ([b"\xef", b"\xbb\xbfdata: a\n\n"], {"bom"}, set()),
    17: (["\ufeff\ufeffdata: a\n\ndata: b\n\n".encode()], {"bom", "unknown-field"}, set()),
    19: ([b"data: \xf0\x9f", b"\x98\x80\n\n"], set(), set()),
    20: ([b"data: a\xffb\n\ndata: c\n\n"], {"invalid-utf8"}, set()),
    22: ([b"id: 1\ndata: a\n\ndata: b\n\n"], {"id-missing"}, set()),
    23: ([b"id: 1\ndata: a\n\nid:\ndata: b\n\n"], set(), set()),
    25: ([b"retry: 500\n\ndata: a\n\n"], {"retry-alone", "phantom-event-risk"}, set()),
    26: ([b"event: tick\n\n"], {"event-without-data", "phantom-event-risk"}, set()),
    28: ([b"id: 5\n" + A], {"truncated-stream"}, {"truncated-stream"}),
    29: ([A + A[:-2]], {"unterminated-tail", "truncated-stream"}, {"truncated-stream"}),
    31: ([b"data: a\n\nid: 9\ndata: b"], {"unterminated-tail"}, set()),
    32: ([b"data: " + 70_000 * b"x" + b"\n\n"], {"oversized-event"}, set()),
    34: ([b"data: " + 1_048_576 * b"x" + b"\n\n"], {"oversized-event"}, set()),
    35: ([b": OPENROUTER PROCESSING\n\n" + A], {"heartbeat-form"}, {"truncated-stream"}),
    37: ([b"id: 1\ndata: a\n\n: ping\n\ndata: b\n\n"], {"phantom-event-risk", "heartbeat-form"}, set()),
    38: ([b":\n\n:\n\n" + A], {"heartbeat-form"}, {"truncated-stream"}),
    40: ([b"data: : ping\n\n"], {"comment-as-data"}, {"comment-as-data"}),
    41: ([b"data: : keepalive\n\n" + A], {"comment-as-data"}, {"comment-as-data", "truncated-stream"}),
    43: ([b"data: a\n: hb\ndata: b\n\n"], {"heartbeat-form"}, set()),
    44: ([b"event: ping\ndata:\n\n" + A], {"comment-as-data"}, {"comment-as-data", "truncated-stream"}),
    46: ([b'event: ping\ndata: {"type":"ping"}\n\n' + A], {"heartbeat-form"}, {"truncated-stream"}),
    47: (
        [b'data: {"choices":[],"prompt_filter_results":[]}\n\n' + A],
        {"empty-or-null-choices"},
        {"truncated-stream"},
    ),
    49: (
        [b'data: {"choices":null,"usage":{"completion_tokens":1}}\n\n'],
        {"empty-or-null-choices"},
        {"truncated-stream"},
    ),
    50: (
        [b'data: {"choices":[{"delta":{"role":null,"content":null,"tool_calls":null}}]}\n\n'],
        {"empty-or-null-choices"},
        {"truncated-stream"},
    ),
    52: ([_call("a", "f") + _call("b", "g")], {"tool-call-index"}, {"truncated-stream"}),
    53: (
        [b'data: {"choices":[{"delta":{"reasoning":"hm"}}]}\n\n'],
        {"truncated-stream"},
        {"truncated-stream"},
    ),
    55: (
        [
            b'data: {"choices":[{"delta":{"content":"par"}}]}\n\n'
            b'data: {"choices":[{"delta":{},"finish_reason":null}]}\n\n'
        ],
        {"truncated-stream"},
        {"truncated-stream"},
    ),
    56: ([A + b"data: [DONE]\n\ndata: [DONE]\n\n"], {"double-terminal"}, set()),
    58: (
        [
            b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n'
            b'event: message_stop\ndata: {"type":"m'
        ],
        {"unterminated-tail"},
        {"unterminated-tail", "empty-answer"},  # no block is among these events
    ),
    59: (
        [
            b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
            b'"delta":{"type":"text_delta","text":"a"}}\n\n'
        ],
        {"truncated-stream"},
        {"truncated-stream"},
    ),
    61: (
        [b'error: {"code":500,"message":"x"}\n\ndata: [DONE]\n\n'],
        {"in-band-error", "unknown-field"},
        {"in-band-error"},
    ),
    62: (
        [A + b'{\n  "error": {"code": 503}\n}\n\n'],
        {"in-band-error", "unknown-field"},
        {"in-band-error"},
    ),
    64: (
        [b'data: {"choices":[{"delta":{"content":"a\ndata: {"error":{"message":"x"}}\n\n'],
        {"invalid-json-event", "multi-line-data", "in-band-error"},
        {"invalid-json-event", "in-band-error"},
    ),
    65: (
        [
            b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
        ],
        {"in-band-error"},
        {"in-band-error"},
    ),
    67: (
        [
            b'data: {"x_groq":{"id":"r","error":"over capacity"},"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
        ],
        {"in-band-error"},
        {"in-band-error"},
    ),
    68: (
        [b"<html><body>502</body></html>\n\n"],
        {"wrong-content-type"},
        {"wrong-content-type"},
    ),
    92: (
        [b'event: a\ndata: {"sequence_number":1}\n\nevent: a\ndata: {"sequence_number":3}\n\n'],
        {"resume-gap"},
        set(),
    ),
}


@pytest.mark.parametrize("number", ROWS)
def test_the_input_gives_that_finding(number: int) -> None:
    reads, expected, errors = ROWS[number]
    found = findings(of_bytes(*reads))
    assert expected <= {finding.rule for finding in found}
    assert {finding.rule for finding in found if finding.severity == "error"} == errors


def placed(reads: list[bytes]) -> set[tuple[str, str, int | None, int | None, int | None]]:
    """What was found where; how often line ends and characters were split is a matter of the reads."""
    return {
        (finding.rule, finding.severity, finding.start, finding.end, finding.event)
        for finding in findings(of_bytes(*reads))
        if finding.rule != "line-endings"
    }


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("number", [number for number in ROWS if number not in (32, 34)])
def test_the_reads_do_not_matter(number: int, size: int) -> None:
    body = b"".join(ROWS[number][0])
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    assert placed(pieces) == placed([body])

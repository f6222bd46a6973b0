"""Values of wrong types, and characters that were cut or lost before they were sent."""

from __future__ import annotations

from tests.diagnosis.building import (
    CLAUDE_BLOCK,
    CLAUDE_START,
    CLAUDE_STOP,
    COUNTS,
    DONE,
    END,
    ROLE,
    STOP,
    chunk,
    claude,
    claude_end,
    claude_text,
    event,
    gemini,
    odd,
    said,
)
from tests.diagnosis.cases.case import Case

CHARACTERS = [
    Case(
        "s13-logprob-minus-infinity",
        odd(chunk({"content": "a"}, logprob="~") + chunk({"content": "b", "logprob": "~"}), "-Infinity")
        + END,
        outcome="complete",
        text="ab",
        findings={"invalid-json-event": "error the constant -Infinity at column [0-9]+. JavaScript"},
    ),
    Case(
        "nan-in-a-line-of-json",
        b'{"model":"m","message":{"role":"assistant","content":"a"},"done":false}\n'
        b'{"model":"m","message":{"role":"assistant","content":"b"},"p":NaN,"done":false}\n'
        b'{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}\n',
        outcome="complete",
        text="ab",
        findings={"invalid-json-event": "error the constant NaN at column"},
    ),
    Case(
        "nan-in-a-gemini-answer",
        odd(gemini("warm", "STOP", avgLogprobs="~"), "NaN"),
        outcome="complete",
        text="warm",
        findings={"invalid-json-event": "error the constant NaN at column"},
    ),
    Case(
        "infinity-only-in-the-text",
        said("-Infinity", " and NaN", ' "NaN"') + END,
        text='-Infinity and NaN "NaN"',
        quiet=True,
    ),
    Case(
        "s14-lone-surrogates",
        ROLE + said("so \ud83d", "\ude80 high") + END,
        outcome="complete",
        text="so 🚀 high",
        only_own=True,
        findings={"split-surrogates": "warning half of a surrogate pair"},
        silent=("lone-surrogates",),
    ),
    Case(
        "half-a-pair-at-the-end",
        ROLE + said("so \ud83d") + END,
        text="so \ufffd",
        findings={"lone-surrogates": "warning character is lost"},
    ),
    Case(
        "half-a-pair-where-the-stream-was-cut",
        ROLE + said("so \ud83d"),
        outcome="truncated",
        text="so ",
        findings={"lone-surrogates": "warning ended after half of a surrogate pair"},
    ),
    Case(
        "halves-in-the-wrong-order",
        ROLE + said("a\ude80", "\ud83db") + END,
        text="a\ufffd\ufffdb",
        findings={"lone-surrogates": "warning"},
    ),
    Case(
        "half-a-pair-in-the-arguments-own-escapes",
        chunk(
            {
                "tool_calls": [
                    {"index": 0, "id": "t", "function": {"name": "f", "arguments": r'{"a":"\ud83d"}'}}
                ]
            }
        )
        + chunk({}, "tool_calls")
        + DONE,
        findings={"lone-surrogates": "warning call to 'f'"},
    ),
    Case(
        "t12-surrogate-in-args",
        ROLE
        + chunk(
            {"tool_calls": [{"index": 0, "id": "t1", "function": {"name": "say", "arguments": '{"t":"'}}]}
        )
        + chunk({"tool_calls": [{"index": 0, "function": {"arguments": "\ud83d"}}]})
        + chunk({"tool_calls": [{"index": 0, "function": {"arguments": '\ude00"}'}}]})
        + chunk({}, "tool_calls")
        + DONE,
        result={"tool_calls": [{"id": "t1", "name": "say", "arguments": '{"t":"😀"}'}]},
        findings={"split-surrogates": "warning"},
    ),
    Case(
        "t12b-surrogate-anthropic",
        claude(
            CLAUDE_START,
            CLAUDE_BLOCK,
            claude_text("a\ud83d"),
            claude_text("\ude00"),
            claude_text("b"),
            CLAUDE_STOP,
            *claude_end(),
        ),
        outcome="complete",
        text="a😀b",
        findings={"split-surrogates": "warning"},
    ),
    Case(
        "a-whole-pair-in-one-delta",
        ROLE + said("so \ud83d\ude80") + END,
        text="so 🚀",
        quiet=True,
        silent=("split-surrogates",),
    ),
    Case(
        "s15-replacement-characters",
        ROLE + said("so \ufffd\ufffd", "\ufffd\ufffd high").replace(rb"\ufffd", "\ufffd".encode()) + END,
        findings={"replacement-characters": "warning 4 times .*server"},
    ),
    Case(
        "v09-fffd-anthropic",
        claude(CLAUDE_START, CLAUDE_BLOCK, claude_text("\ufffd\ufffd!"), CLAUDE_STOP, *claude_end(2)),
        findings={"replacement-characters": "warning 2 times"},
    ),
    Case(
        "one-replacement-character-in-a-quotation",
        ROLE + said("The sign is called \ufffd.") + END,
        quiet=True,
        findings={"replacement-characters": "info 1 time"},
    ),
    Case(
        "replacement-characters-in-what-people-wrote",
        b"".join(event({"title": "caf\ufffd", "n": n}) for n in range(3)),
        quiet=True,
        findings={"replacement-characters": "info 3 times"},
    ),
]


def payload(value: str, name: str, words: str) -> Case:
    """A chat in which one event is not an object."""
    return Case(
        name,
        ROLE + said("calm") + event(value) + said(" sea") + END,
        outcome="complete",
        text="calm sea",
        only_own=True,
        findings={"wrong-type": f"warning The payload is {words} where an object is due"},
    )


TYPES = [
    payload("null", "s67-data-null", "null"),
    payload("null", "t09a-payload-null", "null"),
    payload('"adieu"', "t09b-payload-string", "a string"),
    payload("17", "t09c-payload-number", "a number"),
    payload("[]", "t09d-payload-list", "an array"),
    payload("true", "t09e-payload-true", "a boolean"),
    payload('["a"]', "payload-list-of-strings", "an array"),
    Case(
        "done-in-quotes",
        ROLE + said("a") + STOP + COUNTS + event('"[DONE]"'),
        outcome="complete",
        text="a",
        findings={"wrong-type": "warning the end marker in quotes"},
    ),
    Case(
        "tool-calls-object",
        chunk({"tool_calls": {"index": 0, "id": "t", "function": {"name": "look", "arguments": "{}"}}})
        + chunk({}, "tool_calls")
        + DONE,
        findings={"wrong-type": "warning delta.tool_calls is an object where an array is due"},
    ),
    Case(
        "id-number",
        said("a").replace(b'"r-1"', b"7")
        + said("b").replace(b'"r-1"', b"7")
        + STOP.replace(b'"r-1"', b"7")
        + DONE,
        text="ab",
        findings={"wrong-type": "info id is a number where a string is due"},
        quiet=True,
    ),
    Case(
        "payload-null-in-an-anthropic-answer",
        claude(CLAUDE_START, CLAUDE_BLOCK, claude_text("a"))
        + event("null", "content_block_delta")
        + claude(CLAUDE_STOP, *claude_end()),
        text="a",
        findings={"wrong-type": "warning The payload is null"},
    ),
    Case(
        "t10a-content-number",
        ROLE + chunk({"content": 12.5}) + END,
        findings={
            "wrong-type": "warning choices.0..delta.content is a number where a string or an array is due"
        },
    ),
    Case(
        "content-zero",
        ROLE + chunk({"content": 0}) + said("1") + END,
        findings={"wrong-type": "warning delta.content is a number"},
    ),
    Case(
        "content-object",
        ROLE + chunk({"content": {"text": "lost"}}) + END,
        findings={"wrong-type": "warning delta.content is an object .*'lost'"},
    ),
    Case(
        "content-empty-object",
        ROLE + chunk({"content": {}}) + said("kept") + END,
        text="kept",
        findings={"wrong-type": "info delta.content is an object"},
        quiet=True,
    ),
    Case(
        "t10b-choices-object",
        ROLE
        + event({"object": "chat.completion.chunk", "choices": {"0": 1, "delta": {"content": "a"}}})
        + END,
        findings={"wrong-type": "warning choices is an object where an array is due: the text in it, 'a',"},
    ),
    Case(
        "choices-string",
        ROLE + event({"object": "chat.completion.chunk", "choices": "all of it"}) + END,
        findings={"wrong-type": "warning choices is a string .*'all of it'"},
    ),
    Case(
        "t10c-delta-string",
        ROLE + event({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": "a"}]}) + END,
        findings={"wrong-type": "warning delta is a string where an object is due: the text in it, 'a',"},
    ),
    Case(
        "null-members-are-absent",
        event(
            {
                "object": "chat.completion.chunk",
                "choices": [{"index": 0, "delta": None, "finish_reason": None}],
            }
        )
        + chunk({"content": None, "role": None}, usage=None)
        + said("a")
        + END,
        text="a",
        quiet=True,
        silent=("wrong-type",),
    ),
    Case(
        "index-as-a-string",
        said("a").replace(b'"index": 0', b'"index": "0"') + END,
        text="a",
        findings={"wrong-type": "info index is a string where a number is due"},
        quiet=True,
    ),
    Case(
        "usage-as-a-string",
        ROLE + said("a") + STOP + event({"choices": [], "usage": "12 tokens"}) + DONE,
        findings={"wrong-type": "info usage is a string where an object is due"},
        quiet=True,
    ),
    Case(
        "anthropic-delta-string",
        claude(CLAUDE_START, CLAUDE_BLOCK, {"type": "content_block_delta", "index": 0, "delta": "lost"})
        + claude(claude_text("a"), CLAUDE_STOP, *claude_end()),
        text="a",
        findings={"wrong-type": "warning delta is a string .*'lost'"},
    ),
    Case(
        "anthropic-text-number",
        claude(
            CLAUDE_START,
            CLAUDE_BLOCK,
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 7}},
            claude_text("a"),
            CLAUDE_STOP,
            *claude_end(),
        ),
        findings={"wrong-type": "warning delta.text is a number where a string is due"},
    ),
    Case(
        "gemini-parts-object",
        gemini("a")
        + event({"candidates": [{"index": 0, "content": {"parts": {"text": "lost"}}}], "modelVersion": "m"})
        + gemini("b", "STOP"),
        text="ab",
        findings={"wrong-type": "warning candidates.0..content.parts is an object .*'lost'"},
    ),
    Case(
        "gemini-candidates-object",
        gemini("a")
        + event({"candidates": {"content": {"parts": [{"text": "lost"}]}}, "modelVersion": "m"})
        + gemini("b", "STOP"),
        text="ab",
        findings={"wrong-type": "warning candidates is an object .*'lost'"},
    ),
    Case(
        "responses-delta-object",
        claude(
            {"type": "response.created", "response": {"id": "r", "model": "m"}},
            {"type": "response.output_text.delta", "output_index": 0, "delta": {"text": "lost"}},
            {"type": "response.output_text.delta", "output_index": 0, "delta": "a"},
            {"type": "response.completed", "response": {"id": "r", "status": "completed"}},
        ),
        text="a",
        findings={"wrong-type": "warning delta is an object where a string is due: the text in it, 'lost',"},
    ),
    Case(
        "cohere-content-string",
        claude(
            {"type": "message-start", "id": "c", "delta": {"message": {"role": "assistant", "content": []}}},
            {"type": "content-delta", "index": 0, "delta": {"message": {"content": "lost"}}},
            {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "a"}}}},
            {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
        ),
        text="a",
        findings={"wrong-type": "warning delta.message.content is a string .*'lost'"},
    ),
    Case(
        "completions-text-number",
        event({"object": "text_completion", "choices": [{"index": 0, "text": "a"}]})
        + event({"object": "text_completion", "choices": [{"index": 0, "text": 1}]})
        + event({"object": "text_completion", "choices": [{"index": 0, "text": "", "finish_reason": "stop"}]})
        + DONE,
        text="a",
        findings={"wrong-type": "warning choices.0..text is a number"},
    ),
    Case(
        "dify-answer-object",
        event({"event": "message", "message_id": "m", "conversation_id": "c", "answer": "a"})
        + event({"event": "message", "message_id": "m", "conversation_id": "c", "answer": {"text": "lost"}})
        + event({"event": "message_end", "message_id": "m", "conversation_id": "c", "metadata": {}}),
        text="a",
        findings={"wrong-type": "warning answer is an object .*'lost'"},
    ),
    Case(
        "ollama-content-number",
        b'{"model":"m","message":{"role":"assistant","content":"a"},"done":false}\n'
        b'{"model":"m","message":{"role":"assistant","content":5},"done":false}\n'
        b'{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}\n',
        text="a",
        findings={"wrong-type": "warning message.content is a number"},
    ),
]

CASES = [*CHARACTERS, *TYPES]

"""Answers with several choices, and tool calls whose pieces are numbered, named or encoded badly."""

from __future__ import annotations

import json
from typing import Any

from tests.diagnosis.cases.case import Case
from tests.diagnosis.telling import DONE, USAGE, chunk

ARGUMENTS = '{"path":"notes.txt"}'
COMPLETE = "complete"


def events(*payloads: dict[str, Any], named: bool = False) -> bytes:
    """Payloads as events, with `named` each under its type."""
    lines = []
    for payload in payloads:
        head = f"event: {payload['type']}\n" if named else ""
        lines.append(f"{head}data: {json.dumps(payload)}\n\n")
    return "".join(lines).encode()


def call(arguments: Any = "", *, name: str | None = None, **members: Any) -> dict[str, Any]:
    """A piece of a tool call, as chat completions have it."""
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    return {"index": 0, **members, "function": function}


def calls(*pieces: dict[str, Any], finish: str = "tool_calls") -> bytes:
    """A chat completion of nothing but these pieces, one a chunk."""
    body = b"".join(chunk({"tool_calls": [piece]}) for piece in pieces)
    return body + chunk({}, finish) + USAGE + DONE


def choice(index: int, content: str | None = None, finish: str | None = None, **delta: Any) -> bytes:
    """A chunk with one choice."""
    text = {} if content is None else {"content": content}
    return chunk(choices=[{"index": index, "delta": {**text, **delta}, "finish_reason": finish}])


def told(
    index: int, text: str, finish: str | None, tools: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """A choice as the JSON has it."""
    return {
        "index": index,
        "text": text,
        "reasoning": "",
        "refusal": "",
        "tool_calls": tools or [],
        "finish_reason": finish,
    }


def tool(name: str | None, arguments: str, ident: str | None) -> dict[str, Any]:
    """A call as the JSON has it."""
    return {"id": ident, "name": name, "arguments": arguments}


def responses(*argument_events: dict[str, Any]) -> bytes:
    """A response with one function call, whose arguments these events bring."""
    item = {"type": "function_call", "id": "fc1", "call_id": "c1", "name": "read", "arguments": ""}
    parts: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "r", "model": "m", "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        *argument_events,
        {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": []}},
    ]
    return events(*({**part, "sequence_number": n} for n, part in enumerate(parts)), named=True)


def anthropic(*pieces: str, stop: str = "tool_use", begins: bool = True) -> bytes:
    """A message with one tool call, its input in these pieces; without `begins` no block at all."""
    block = {"type": "tool_use", "id": "c1", "name": "read", "input": {}}
    body: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "m", "model": "m", "role": "assistant", "content": []}}
    ]
    if begins:
        body.append({"type": "content_block_start", "index": 0, "content_block": block})
        deltas = ({"type": "input_json_delta", "partial_json": piece} for piece in pieces)
        body += ({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas)
        body.append({"type": "content_block_stop", "index": 0})
    usage = {"input_tokens": 3, "output_tokens": 2}
    body += [
        {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage},
        {"type": "message_stop"},
    ]
    return events(*body, named=True)


def gemini(*candidates: list[dict[str, Any]]) -> bytes:
    """Gemini responses with these candidates."""
    return events(*({"candidates": found} for found in candidates))


def candidate(index: int, text: str, finish: str | None = None) -> dict[str, Any]:
    """A candidate with a piece of text."""
    ended = {} if finish is None else {"finishReason": finish}
    return {"index": index, "content": {"role": "model", "parts": [{"text": text}]}, **ended}


TWICE = {"tool-call-arguments": "error sent twice: the same object twice"}

CHOICES = [
    Case(
        "s20-two-choices",
        choice(0, "AAA")
        + choice(1, "BBB")
        + choice(1, " bbb")
        + choice(0, " aaa")
        + choice(1, finish="length")
        + choice(0, finish="stop")
        + USAGE
        + DONE,
        COMPLETE,
        "AAA aaa",
        quiet=True,
        result={
            "choices": [told(0, "AAA aaa", "stop"), told(1, "BBB bbb", "length")],
            "finish_reason": "stop",
        },
    ),
    Case(
        "t14-two-choices-tools",
        choice(0, "Hi")
        + choice(1, tool_calls=[call("{", id="t1", name="f")])
        + choice(1, tool_calls=[call("}")])
        + choice(0, finish="stop")
        + choice(1, finish="tool_calls")
        + DONE,
        COMPLETE,
        "Hi",
        quiet=True,
        result={
            "choices": [told(0, "Hi", "stop"), told(1, "", "tool_calls", [tool("f", "{}", "t1")])],
            "tool_calls": [],
            "finish_reason": "stop",
        },
    ),
    Case(
        "t14b-completions-two",
        events(
            *(
                {
                    "object": "text_completion",
                    "choices": [{"index": index, "text": text, "finish_reason": finish}],
                }
                for index, text, finish in (
                    (1, "BBB", None),
                    (0, "AAA", None),
                    (0, "aaa", "stop"),
                    (1, "bbb", "length"),
                )
            )
        )
        + DONE,
        COMPLETE,
        "AAAaaa",
        quiet=True,
        result={"choices": [told(0, "AAAaaa", "stop"), told(1, "BBBbbb", "length")]},
    ),
    Case(
        "t14c-gemini-two-candidates",
        gemini(
            [candidate(0, "AAA")],
            [candidate(1, "BBB")],
            [candidate(1, "bbb", "MAX_TOKENS"), candidate(0, "aaa", "STOP")],
        ),
        COMPLETE,
        "AAAaaa",
        quiet=True,
        result={"choices": [told(0, "AAAaaa", "STOP"), told(1, "BBBbbb", "MAX_TOKENS")]},
    ),
    Case(
        "two choices, of which the second came first",
        choice(1, "B") + choice(0, "A") + choice(1, "b", "stop") + choice(0, "a", "stop") + DONE,
        COMPLETE,
        "Aa",
        result={"choices": [told(0, "Aa", "stop"), told(1, "Bb", "stop")]},
    ),
    Case(
        "a first choice that is empty beside another",
        choice(0, "") + choice(1, "B") + choice(0, finish="stop") + choice(1, finish="stop") + DONE,
        COMPLETE,
        "",
        silent=("empty-answer",),
        quiet=True,
        result={"choices": [told(0, "", "stop"), told(1, "B", "stop")]},
    ),
    Case(
        "one choice is a list of one",
        choice(0, "A") + choice(0, finish="stop") + DONE,
        COMPLETE,
        "A",
        result={"choices": [told(0, "A", "stop")]},
    ),
    Case("no choice at all", DONE, result={"choices": [], "text": ""}, dialect="openai-chat"),
    Case(
        "microsoft/foundry-local#263",
        b"".join(
            choice(at, piece, role="assistant", tool_calls=[])
            for at, piece in enumerate(["Wh", "isper", " it"])
        )
        + choice(3, "", "stop")
        + DONE,
        COMPLETE,
        "Whisper it",
        findings={
            "choice-index": "warning rises with every chunk.*10 characters",
            "empty-tool-calls": "info empty list",
        },
        result={"choices": [told(0, "Whisper it", "stop")], "finish_reason": "stop"},
    ),
    Case(
        "huggingface/text-generation-inference#1648",
        choice(1, "I") + choice(2, "'") + choice(3, "m", "length"),
        COMPLETE,
        "I'm",
        findings={"choice-index": "warning rises with every chunk"},
        result={"choices": [told(1, "I'm", "length")]},
    ),
    Case(
        "a completion whose index counts the chunks",
        events(
            *(
                {
                    "object": "text_completion",
                    "choices": [{"index": at, "text": f"{at} ", "finish_reason": None}],
                }
                for at in range(6)
            ),
            {"object": "text_completion", "choices": [{"index": 6, "text": "", "finish_reason": "stop"}]},
        )
        + DONE,
        COMPLETE,
        "0 1 2 3 4 5 ",
        findings={"choice-index": "warning rises"},
    ),
    Case(
        "s28-empty-choices-first",
        chunk(choices=[]) * 4 + choice(0, "Hello") + choice(0, "!") + choice(0, finish="stop") + USAGE + DONE,
        COMPLETE,
        "Hello!",
        findings={"empty-or-null-choices": r"info 5 chunks, 4 before the first token \(events 1 to 4\)"},
        quiet=True,
    ),
    Case(
        "empty choices after the finish reason",
        choice(0, "Hi", "stop") + chunk(choices=[]) * 2 + DONE,
        COMPLETE,
        "Hi",
        findings={"empty-or-null-choices": r"info 2 chunks, 2 after the finish reason \(events 2 to 3\)"},
        quiet=True,
    ),
]

JOINED = [
    Case(
        "s03-name-repeated",
        calls(
            call(id="t1", name="read_file"),
            call('{"p":', id="t1", name="read_file"),
            call('"a"}', id="t1", name="read_file"),
        ),
        COMPLETE,
        findings={
            "tool-call-name": "warning 2 later pieces.*read_fileread_file",
            "tool-call-id": "info comes again",
        },
        silent=("tool-call-arguments", "tool-call-index"),
        result={"tool_calls": [tool("read_file", '{"p":"a"}', "t1")]},
    ),
    Case(
        "s04-name-in-pieces",
        calls(call(id="t1", name="edit_ex"), call(name="isting_"), call(name="file"), call("{}")),
        COMPLETE,
        findings={"tool-call-name": "info pieces"},
        quiet=True,
        result={"tool_calls": [tool("edit_existing_file", "{}", "t1")]},
    ),
    Case(
        "t15-legacy-function-name-pieces",
        b"".join(
            chunk({"function_call": function})
            for function in (
                {"name": "get_wea", "arguments": ""},
                {"name": "ther"},
                {"arguments": "{"},
                {"arguments": "}"},
            )
        )
        + chunk({}, "function_call")
        + DONE,
        COMPLETE,
        silent=("tool-call-id", "tool-call-finish"),
        quiet=True,
        result={"tool_calls": [tool("get_weather", "{}", None)]},
    ),
    Case(
        "t10d-tool-index-string",
        calls(call("{", index="0", id="t1", name="f"), call("}", index="0")),
        COMPLETE,
        findings={"tool-call-index": 'warning a string as its index, "0"'},
        result={"tool_calls": [tool("f", "{}", "t1")]},
    ),
    Case(
        "agno-agi/agno#8880",
        calls(
            call('{"path":', id="a", name="read"),
            call('"notes.txt"}'),
            call('{"q":', index=0, id="b", name="find"),
            call('"x"}', index=1),
        ),
        COMPLETE,
        findings={"tool-call-index": "warning Index 0 belonged to"},
        silent=("tool-call-arguments",),
        result={"tool_calls": [tool("read", ARGUMENTS, "a"), tool("find", '{"q":"x"}', "b")]},
    ),
    Case(
        "dirac-run/dirac#215",
        calls(call(id="a", name="read"), call('{"path":', index=1), call('"notes.txt"}', index=2)),
        COMPLETE,
        silent=("tool-call-arguments", "tool-call-name", "tool-call-id"),
        result={"tool_calls": [tool("read", ARGUMENTS, "a")]},
    ),
    Case(
        "poolsideai/pool#9",
        calls(call(id="a", name="read"), call('{"path":', id="b"), call('"notes.txt"}', id="b")),
        COMPLETE,
        findings={"tool-call-id": "warning changes with 2 later pieces"},
        silent=("tool-call-arguments",),
        result={"tool_calls": [tool("read", ARGUMENTS, "a")]},
    ),
    Case(
        "mudler/LocalAI#9722",
        calls(
            call(id="a", name="exec"),
            call(ARGUMENTS, id="a", name="exec"),
            call(ARGUMENTS, index=1, id="a", name="exec"),
        ),
        COMPLETE,
        findings=TWICE,
        result={"tool_calls": [tool("exec", ARGUMENTS * 2, "a")]},
    ),
    Case(
        "one id for two calls",
        calls(call("{}", id="x", name="f"), call("{}", index=1, id="x", name="g")),
        COMPLETE,
        findings={"tool-call-id": "warning is that of two calls"},
        result={"tool_calls": [tool("f", "{}", "x"), tool("g", "{}", "x")]},
    ),
    Case(
        "a call without a name",
        calls(call(ARGUMENTS, id="x")),
        COMPLETE,
        findings={"tool-call-name": "error has no name"},
    ),
    Case(
        "a call without an id",
        calls(call(ARGUMENTS, name="read")),
        COMPLETE,
        findings={"tool-call-id": "warning has no id"},
    ),
    Case(
        "s06-empty-tool-calls-beside-text",
        b"".join(chunk({"content": text, "tool_calls": []}) for text in ("I ", "am ", "here"))
        + choice(0, finish="stop")
        + USAGE
        + DONE,
        COMPLETE,
        "I am here",
        findings={"empty-tool-calls": "info empty list beside the text"},
        quiet=True,
    ),
    Case(
        "tool calls promised and none sent",
        choice(0, "Let me look.") + choice(0, finish="tool_calls") + DONE,
        findings={"tool-call-finish": "warning 'tool_calls', but no tool call came"},
    ),
    Case(
        "tool use promised by Anthropic and none sent",
        anthropic(begins=False),
        findings={"tool-call-finish": "warning 'tool_use', but no tool call came"},
    ),
    Case(
        "stop beside a tool call",
        calls(call(ARGUMENTS, id="a", name="read"), finish="stop"),
        COMPLETE,
        findings={"tool-call-finish": r"info 'stop' beside a tool call \(read\)"},
        quiet=True,
    ),
    Case(
        "end_turn beside a tool call",
        anthropic(ARGUMENTS, stop="end_turn"),
        COMPLETE,
        findings={"tool-call-finish": "info 'end_turn' beside a tool call"},
        quiet=True,
    ),
    Case("a healthy call in Anthropic's form", anthropic('{"path":', '"notes.txt"}'), COMPLETE, quiet=True),
    Case(
        "a call without arguments in Anthropic's form",
        anthropic(),
        COMPLETE,
        silent=("tool-call-arguments",),
        quiet=True,
    ),
    Case(
        "a healthy call in the form of Responses",
        responses(
            {
                "type": "response.function_call_arguments.delta",
                "output_index": 0,
                "item_id": "fc1",
                "delta": ARGUMENTS,
            },
            {
                "type": "response.function_call_arguments.done",
                "output_index": 0,
                "item_id": "fc1",
                "arguments": ARGUMENTS,
            },
        ),
        COMPLETE,
        silent=("tool-call-arguments", "tool-call-name", "tool-call-id", "tool-call-finish"),
        quiet=True,
    ),
]

BROKEN = [
    Case(
        "s01-args-twice",
        calls(call(id="t1", name="read"), call('{"path":'), call('"notes.txt"}'), call(ARGUMENTS)),
        findings=TWICE,
    ),
    Case(
        "arguments in pieces and then whole with other white space",
        calls(
            call(id="t1", name="read"), call('{"path":'), call('"notes.txt"}'), call('{"path": "notes.txt"}')
        ),
        findings=TWICE,
    ),
    Case(
        "arguments begun and then sent whole",
        calls(call(id="t1", name="read"), call('{"path":'), call(ARGUMENTS)),
        findings={"tool-call-arguments": r"error after their beginning, \{\"path\":, all of them"},
    ),
    Case(
        "arguments of which each piece holds everything before it",
        calls(call(id="t1", name="read"), call('{"pa'), call('{"path":"no'), call(ARGUMENTS)),
        findings={"tool-call-arguments": "error each piece holds everything before it"},
    ),
    Case(
        "an empty object before the arguments",
        calls(call("{}", id="t1", name="read"), call('{"path":'), call('"notes.txt"}')),
        findings={"tool-call-arguments": r"error \{\} was sent before them"},
    ),
    Case(
        "arguments of two calls under one id",
        calls(call(id="t1", name="read"), call('{"a":1}'), call('{"b":2}')),
        findings={"tool-call-arguments": "error 2 JSON texts run together"},
    ),
    Case(
        "s02-args-summary-double-encoded",
        calls(
            call('{"path":', id="t1", name="read"),
            call('"notes.txt"}', id="t1"),
            call(json.dumps(ARGUMENTS), id="t1", name="read"),
        ),
        findings={
            "tool-call-arguments": "error sent twice: an object, and then the same encoded as a string"
        },
    ),
    Case(
        "s02b-args-double-encoded-only",
        calls(call(json.dumps(ARGUMENTS), id="t1", name="read")),
        findings={"tool-call-arguments": "error encoded twice"},
    ),
    Case(
        "arguments encoded twice in the form of Responses",
        responses(
            {
                "type": "response.function_call_arguments.done",
                "output_index": 0,
                "item_id": "fc1",
                "arguments": json.dumps(ARGUMENTS),
            }
        ),
        findings={"tool-call-arguments": "error encoded twice"},
    ),
    Case(
        "final arguments that are not those of the pieces",
        responses(
            {
                "type": "response.function_call_arguments.delta",
                "output_index": 0,
                "item_id": "fc1",
                "delta": ARGUMENTS,
            },
            {
                "type": "response.function_call_arguments.done",
                "output_index": 0,
                "item_id": "fc1",
                "arguments": '{"path":"other.txt"}',
            },
        ),
        findings={
            "tool-call-arguments": r"error final arguments .*other.txt.* are not those that its pieces brought"
        },
        result={"tool_calls": [tool("read", ARGUMENTS, "c1")]},
    ),
    Case(
        "final arguments with other white space, and a character cut in two",
        responses(
            *(
                {
                    "type": "response.function_call_arguments.delta",
                    "output_index": 0,
                    "item_id": "fc1",
                    "delta": piece,
                }
                for piece in ('{"path":"\ud83d', '\ude00"}')
            ),
            {
                "type": "response.function_call_arguments.done",
                "output_index": 0,
                "item_id": "fc1",
                "arguments": '{"path": "\U0001f600"}',
            },
        ),
        COMPLETE,
        silent=("tool-call-arguments",),
    ),
    Case(
        "input encoded twice in Anthropic's form",
        anthropic(json.dumps(ARGUMENTS)),
        findings={"tool-call-arguments": "error encoded twice"},
    ),
    Case(
        "v08-tool-args-object",
        calls(call({"a": 1}, id="t", name="f")),
        COMPLETE,
        findings={"tool-call-arguments": "warning an object, where the API sends a string"},
        result={"tool_calls": [tool("f", '{"a":1}', "t")]},
        only_own=True,
    ),
    Case(
        "arguments as a string in Ollama's form",
        b"".join(
            json.dumps(line).encode() + b"\n"
            for line in (
                {
                    "model": "m",
                    "created_at": "2026-01-01T00:00:00Z",
                    "message": {
                        "role": "assistant",
                        "content": "",
                        "tool_calls": [{"function": {"name": "read", "arguments": ARGUMENTS}}],
                    },
                    "done": False,
                },
                {
                    "model": "m",
                    "created_at": "2026-01-01T00:00:01Z",
                    "message": {"role": "assistant"},
                    "done": True,
                },
            )
        ),
        dialect="ollama",
        result={"tool_calls": [tool("read", ARGUMENTS, None)]},
    ),
    Case(
        "arguments that are no JSON",
        calls(call("{'path': 'notes.txt'}", id="t1", name="read")),
        findings={"tool-call-arguments": "error not JSON.*Python literal"},
    ),
    Case(
        "arguments that are a list",
        calls(call("[1]", id="t1", name="read")),
        findings={"tool-call-arguments": "warning an array, .1., not an object"},
    ),
    Case(
        "arguments that are null",
        calls(call("null", id="t1", name="read")),
        findings={"tool-call-arguments": "warning null"},
    ),
    Case(
        "arguments never sent",
        calls(call("", id="t1", name="read")),
        COMPLETE,
        findings={"tool-call-arguments": "info never sent"},
        quiet=True,
    ),
    Case(
        "free-form input",
        b"".join(
            chunk({"tool_calls": [piece]})
            for piece in (
                {"index": 0, "id": "t1", "type": "custom", "custom": {"name": "shell", "input": ""}},
                {"index": 0, "custom": {"input": "ls -l"}},
            )
        )
        + chunk({}, "tool_calls")
        + DONE,
        COMPLETE,
        quiet=True,
        silent=("tool-call-arguments",),
        result={"tool_calls": [tool("shell", "ls -l", "t1")]},
    ),
    Case(
        "arguments cut by the length limit",
        calls(call('{"path": "no', id="t1", name="read"), finish="length"),
        findings={
            "tool-call-arguments": r"warning unfinished: the answer ended at its limit \(length\) after 12 characters"
        },
    ),
    Case(
        "arguments cut with the stream",
        chunk({"tool_calls": [call('{"path": "no', id="t1", name="read")]}),
        "truncated",
        findings={"tool-call-arguments": "warning unfinished: the stream ended after 12 characters"},
    ),
]

CASES = CHOICES + JOINED + BROKEN

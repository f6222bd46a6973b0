"""Answers in other forms than deltas of text: whole objects, repetitions, audio, tags, and more dialects."""

from __future__ import annotations

import json
from typing import Any

from tests.diagnosis.cases.case import Case
from tests.diagnosis.telling import DONE, STOP, chunk, text

USAGE = chunk(choices=[], usage={"prompt_tokens": 4, "completion_tokens": 20, "total_tokens": 24})


def events(*payloads: Any, name: str = "", named_by: str = "") -> bytes:
    """Payloads as events, called `name`, or what their member `named_by` says."""
    blocks = []
    for payload in payloads:
        kind = payload[named_by] if named_by else name
        data = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False)
        blocks.append((f"event: {kind}\n" if kind else "") + f"data: {data}\n\n")
    return "".join(blocks).encode()


def chat(*pieces: str) -> bytes:
    return b"".join(map(text, pieces)) + STOP + USAGE + DONE


# The Responses API


def responses(*payloads: dict[str, Any]) -> bytes:
    numbered = [
        {"type": f"response.{payload['kind']}", "sequence_number": number, **payload}
        for number, payload in enumerate(payloads)
    ]
    return events(*numbered, named_by="type")


CREATED = {
    "kind": "created",
    "response": {"id": "resp_9", "model": "m", "status": "in_progress", "output": []},
}


def said(delta: str, *, item: str = "msg_9", output: int = 0, content: int = 0) -> dict[str, Any]:
    place = {"item_id": item, "output_index": output, "content_index": content}
    return {"kind": "output_text.delta", **place, "delta": delta}


def text_done(whole: str, *, content: int = 0) -> dict[str, Any]:
    place = {"item_id": "msg_9", "output_index": 0, "content_index": content}
    return {"kind": "output_text.done", **place, "text": whole}


def message(*texts: str, id: str = "msg_9") -> dict[str, Any]:
    content = [{"type": "output_text", "text": each, "annotations": []} for each in texts]
    return {"id": id, "type": "message", "role": "assistant", "content": content}


def item_done(*texts: str, output: int = 0, id: str = "msg_9") -> dict[str, Any]:
    return {"kind": "output_item.done", "output_index": output, "item": message(*texts, id=id)}


def completed(*items: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 4, "output_tokens": 5}
    return {
        "kind": "completed",
        "response": {
            "id": "resp_9",
            "model": "m",
            "status": "completed",
            "output": list(items),
            "usage": usage,
        },
    }


RESPONSES = [
    Case(
        "s22-responses-empty-terminal",
        responses(CREATED, said("for"), said("ty"), item_done(), completed()),
        "complete",
        "forty",
        {"final-text-mismatch": r"warning response\.completed and response\.output_item\.done.*hold none"},
        only_own=True,
    ),
    Case(
        "final-response-empty-but-items-whole",
        responses(CREATED, said("ok"), text_done("ok"), item_done("ok"), completed()),
        "complete",
        "ok",
        {"final-text-mismatch": r"info \(response\.completed\).*holds none"},
        quiet=True,
    ),
    Case(
        "s23-responses-done-too-early",
        responses(
            CREATED,
            said("a"),
            text_done("a"),
            item_done("a"),
            said(" b"),
            said(" c"),
            completed(message("a")),
        ),
        "complete",
        "a b c",
        {
            "late-delta": "warning came after its part was said to be done",
            "final-text-mismatch": r"warning response\.completed \(1 character\).*\(5 characters\)",
        },
        only_own=True,
    ),
    Case(
        "s24-responses-regular-close",
        responses(
            CREATED,
            said("good "),
            said("day"),
            text_done("good day"),
            item_done("good day"),
            completed(message("good day")),
        ),
        "complete",
        "good day",
        silent=("final-text-mismatch", "late-delta", "whole-object"),
        quiet=True,
        only_own=True,
    ),
    Case(
        "responses-content-index-from-one",
        responses(
            CREATED,
            said("good ", content=1),
            said("day", content=1),
            text_done("good day", content=1),
            item_done("good day"),
            completed(message("good day")),
        ),
        "complete",
        "good day",
        silent=("final-text-mismatch", "late-delta"),
        quiet=True,
    ),
    Case(
        "responses-other-ids-and-places-at-the-end",
        responses(
            CREATED,
            said("good ", output=1, item="a"),
            said("day", output=1, item="b"),
            item_done("good day", output=1, id="c"),
            completed(message("good day", id="d")),
        ),
        "complete",
        "good day",
        silent=("final-text-mismatch", "late-delta"),
        quiet=True,
    ),
    Case(
        "responses-two-equal-messages-without-deltas",
        responses(CREATED, completed(message("again", id="a"), message("again", id="b"))),
        "complete",
        "againagain",
        quiet=True,
    ),
    Case(
        "responses-done-text-differs",
        responses(
            CREATED, said("tea"), text_done("coffee"), item_done("coffee"), completed(message("coffee"))
        ),
        "complete",
        "tea",
        {"final-text-mismatch": r"warning response\.output_text\.done \(6 characters\)"},
    ),
    Case(
        "responses-terminal-only",
        responses(CREATED, completed(message("all of it"))),
        "complete",
        "all of it",
        quiet=True,
    ),
    Case(
        "responses-part-prefilled",  # PrimeIntellect-ai/verifiers#2164, abetlen/llama-cpp-python#2285
        responses(
            CREATED,
            {"kind": "output_item.added", "output_index": 0, "item": message("good day")},
            {
                "kind": "content_part.added",
                "output_index": 0,
                "content_index": 0,
                "part": {"type": "output_text", "text": "good day"},
            },
            said("good day"),
            text_done("good day"),
            item_done("good day"),
            completed(message("good day")),
        ),
        "complete",
        "good day",
        {"prefilled-part": "warning 'good day' already where it begins"},
        silent=("final-text-mismatch",),
    ),
    Case(
        "responses-nothing-but-the-end",  # raullenchai/Rapid-MLX#851
        responses(CREATED, {"kind": "completed", "response": {"id": "resp_9", "status": "completed"}}),
        "empty",
        "",
        {"empty-answer": "error"},
    ),
    Case(
        "responses-spoken",
        responses(
            CREATED,
            {"kind": "output_audio.delta", "output_index": 0, "delta": "UklGRg=="},
            {"kind": "output_audio_transcript.delta", "output_index": 0, "delta": "Good"},
            {"kind": "output_audio_transcript.delta", "output_index": 0, "delta": " day"},
            {"kind": "output_audio_transcript.done", "output_index": 0, "transcript": "Good day"},
            completed(),
        ),
        "complete",
        "Good day",
        {"audio-answer": "info transcript"},
    ),
]

# Whole objects

WHOLE = {
    "id": "c9",
    "object": "chat.completion",
    "model": "m",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Good day."}, "finish_reason": "stop"}
    ],
    "usage": {"prompt_tokens": 4, "completion_tokens": 6, "total_tokens": 10},
}
CALLED = [{"id": "t9", "type": "function", "function": {"name": "look", "arguments": '{"at":1}'}}]
ANTHROPIC_WHOLE = {
    "id": "m9",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "Good day."},
        {"type": "tool_use", "id": "t9", "name": "look", "input": {"at": 1}},
    ],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 4, "output_tokens": 6},
}
LOOK = [{"id": "t9", "name": "look", "arguments": '{"at":1}'}]


def instead(content: str, finish: str | None = None, **more: Any) -> bytes:
    """A chunk with a message where its delta should be."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
    return events({"id": "c9", "object": "chat.completion.chunk", "model": "m", "choices": [choice], **more})


WHOLES = [
    Case(
        "t08-completion-object-in-sse",
        events(WHOLE) + DONE,
        "complete",
        "Good day.",
        {"whole-object": r"warning whole message.*'chat\.completion'"},
        only_own=True,
        dialect="openai-chat",
    ),
    Case(
        "t08b-message-instead-of-delta",
        instead("Good") + instead(" day.", "stop") + DONE,
        "complete",
        "Good day.",
        {"whole-object": "warning where a chunk has a delta"},
        only_own=True,
    ),
    Case(
        "messages-that-accumulate",
        instead("Good") + instead("Good day") + instead("Good day.", "stop") + DONE,
        "complete",
        "Good day.",
        {"whole-object": "warning"},
    ),
    Case(
        "message-that-contradicts-the-deltas",
        text("Good") + text(" day.") + instead("Good night.", "stop") + DONE,
        "complete",
        "Good day.",
        {"final-text-mismatch": r"warning the message \(11 characters\)"},
    ),
    Case(
        "message-that-has-the-reasoning-in-tags",
        text("<think>so</think>Good day.") + instead("<think>so</think>Good day.", "stop") + DONE,
        "complete",
        "Good day.",
        silent=("final-text-mismatch", "whole-object"),
    ),
    Case(
        "cohere-message-as-one-event",
        events(
            {
                "id": "m9",
                "finish_reason": "TOOL_CALL",
                "message": {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "hm"},
                        {"type": "text", "text": "Good day."},
                    ],
                    "tool_calls": CALLED,
                },
                "usage": {"tokens": {"input_tokens": 4, "output_tokens": 6}},
            }
        ),
        "complete",
        "Good day.",
        {"whole-object": "warning"},
        result={"tool_calls": LOOK, "reasoning": "hm"},
    ),
    Case(
        "chunks-in-a-string",
        events({"data": json.dumps(WHOLE)}),
        "complete",
        "Good day.",
        {"wrapped-payload": "info 'data'", "whole-object": "warning"},
    ),
    Case(
        "message-that-repeats-the-deltas",
        text("Good") + text(" day.") + instead("Good day.", "stop") + DONE,
        "complete",
        "Good day.",
        silent=("whole-object",),
    ),
    Case(
        "completion-object-with-calls",
        events(
            WHOLE
            | {
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": None, "tool_calls": CALLED},
                        "finish_reason": "tool_calls",
                    }
                ]
            }
        ),
        "complete",
        "",
        {"whole-object": "warning"},
        result={"tool_calls": LOOK, "finish_reason": "tool_calls"},
    ),
    Case(
        "anthropic-message-in-message-start",
        events(
            {"type": "message_start", "message": ANTHROPIC_WHOLE}, {"type": "message_stop"}, named_by="type"
        ),
        "complete",
        "Good day.",
        {"whole-object": "warning message_start holds the whole message"},
        result={"tool_calls": LOOK, "reasoning": "hm", "finish_reason": "tool_use"},
    ),
    Case(
        "anthropic-message-as-one-event",
        events(ANTHROPIC_WHOLE),
        "complete",
        "Good day.",
        {"whole-object": "warning whole message"},
        result={"tool_calls": LOOK, "reasoning": "hm", "usage": {"input": 4, "output": 6}},
    ),
    Case(
        "anthropic-empty-text-in-message-start",
        events(
            {
                "type": "message_start",
                "message": {"role": "assistant", "content": [{"type": "text", "text": ""}]},
            },
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
            named_by="type",
        ),
        "complete",
        "Hi",
        silent=("whole-object",),
        quiet=True,
    ),
    Case(
        "responses-object-as-one-event",
        events({"object": "response"} | completed(message("Good day."))["response"]),
        "complete",
        "Good day.",
        {"whole-object": "warning whole response"},
    ),
    Case(
        "chunks-nested-by-a-gateway",
        events(
            {"code": 0, "data": {"choices": [{"index": 0, "delta": {"content": "Good day"}}]}},
            {"code": 0, "data": {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}},
        ),
        "complete",
        "Good day",
        {"wrapped-payload": "info 'data'"},
        quiet=True,
    ),
    Case(
        "dashscope-messages-in-output",
        events(
            *(
                {
                    "output": {
                        "choices": [
                            {"message": {"role": "assistant", "content": said}, "finish_reason": reason}
                        ]
                    },
                    "request_id": "r",
                }
                for said, reason in (("Good", None), ("Good day", "stop"))
            )
        ),
        "complete",
        "Good day",
        {"whole-object": "info"},
    ),
    Case(
        "t19-tgi-generated-text-first",
        b'data:{"token":{"id":1,"text":"Hot","logprob":-0.2,"special":false},"generated_text":"Cold",'
        b'"details":{"finish_reason":"length","generated_tokens":1,"seed":null}}\n\n',
        "complete",
        "Hot",
        {"final-text-mismatch": r"info generated_text \((4|17) characters\)"},
        quiet=True,
        only_own=True,
    ),
    Case(
        "tgi-answer-without-tokens",
        events({"generated_text": "Good day."}),
        "complete",
        "Good day.",
        {"whole-object": "warning generated_text"},
    ),
]

# Content parts and reasoning

PARTS: list[dict[str, Any]] = [
    {"type": "reasoning", "reasoning": "so "},
    {"type": "thinking", "thinking": [{"type": "text", "text": "then "}]},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "there"}]},
    {"type": "output_text", "text": "Good "},
    {"type": "text", "text": {"value": "day"}},
    {"type": "image_url", "image_url": {"url": "data:,"}},
]
TWICE = {
    "reasoning": "hm",
    "reasoning_content": "hm",
    "reasoning_details": [{"type": "reasoning.text", "text": "hm"}],
    "thinking_blocks": [{"type": "thinking", "thinking": "hm"}],
}

CONTENT = [
    Case(
        "content-parts-of-every-kind",
        chunk({"role": "assistant", "content": PARTS}) + STOP + USAGE + DONE,
        "complete",
        "Good day",
        result={"reasoning": "so then there"},
        quiet=True,
    ),
    Case(
        "reasoning-under-four-names",
        chunk({"role": "assistant", "content": None, **TWICE}) + text("Good day") + STOP + USAGE + DONE,
        "complete",
        "Good day",
        result={"reasoning": "hm"},
        quiet=True,
    ),
    Case(
        "reasoning-blocks-alone",
        chunk({"thinking_blocks": TWICE["thinking_blocks"]}) + text("Good day") + STOP + USAGE + DONE,
        "complete",
        "Good day",
        result={"reasoning": "hm"},
        quiet=True,
    ),
]

# Audio


def spoken(**audio: Any) -> bytes:
    return chunk({"audio": audio})


AUDIO = [
    Case(
        "s59-audio",
        spoken(id="a9", transcript="Hel")
        + spoken(transcript="lo")
        + spoken(data="UklGRiQA")
        + spoken(expires_at=1900000000)
        + DONE,
        "complete",
        "Hello",
        {"audio-answer": r"info transcript.*audio\.expires_at"},
        silent=("truncated-stream", "double-terminal", "missing-finish-reason"),
        quiet=True,
    ),
    Case(
        "gemini-audio",
        events(
            {
                "candidates": [
                    {
                        "content": {
                            "parts": [{"inlineData": {"mimeType": "audio/pcm;rate=24000", "data": "AAAA"}}]
                        },
                        "index": 0,
                    }
                ]
            },
            {"candidates": [{"content": {"parts": []}, "finishReason": "STOP", "index": 0}]},
        ),
        "complete",
        "",
        {"audio-answer": "info"},
        silent=("empty-answer",),
        quiet=True,
    ),
    Case(
        "audio-cut-short",
        spoken(id="a9", transcript="Hel") + spoken(data="UklGRiQA"),
        "truncated",
        "Hel",
        {"audio-answer": "info", "truncated-stream": "error"},
    ),
]

# What chat templates leave in the text

TAGS = [
    Case(
        "s65-openai-thinking-tags",
        chat("<", "think", ">pl", "an</thi", "nk>", "\n\nGood day."),
        "complete",
        "\n\nGood day.",
        {"reasoning-tags": "info between <think> and </think>"},
        result={"reasoning": "plan"},
        quiet=True,
        only_own=True,
    ),
    *(
        Case(
            f"reasoning-in-{name}",
            chat(f"{opening}so{closing}", "Good day."),
            "complete",
            "Good day.",
            {"reasoning-tags": "info"},
            result={"reasoning": "so"},
            quiet=True,
        )
        for name, opening, closing in (
            ("thinking", "<thinking>", "</thinking>"),
            ("thought", "<thought>", "</thought>"),
            ("reasoning", "<reasoning>", "</reasoning>"),
            ("kimi", "\u25c1think\u25b7", "\u25c1/think\u25b7"),
            ("magistral", "[THINK]", "[/THINK]"),
            ("seed", "<seed:think>", "</seed:think>"),
        )
    ),
    Case(
        "reasoning-without-its-opening-tag",
        chat("so ", "then\n", "</think>", "\n\n", "Good day."),
        "complete",
        "\n\nGood day.",
        {"reasoning-tags": "info before </think>, without an opening tag"},
        result={"reasoning": "so then\n"},
        quiet=True,
    ),
    Case(
        "closing-tag-glued-to-words-and-cut",  # nbramia/LifeOS#568
        chat("internal", " reasoning</thi", "nk>answer"),
        "complete",
        "answer",
        {"reasoning-tags": "info"},
        result={"reasoning": "internal reasoning"},
        quiet=True,
    ),
    Case(
        "a-second-closing-tag-in-the-answer",  # antirez/ds4#678
        events(
            {"type": "message_start", "message": {"role": "assistant", "content": []}},
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "thinking", "thinking": ""},
            },
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "thinking_delta", "thinking": "so"},
            },
            {"type": "content_block_stop", "index": 0},
            {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
            *(
                {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": piece}}
                for piece in ("a draft\n", "</think>", "\n\nHi")
            ),
            {"type": "content_block_stop", "index": 1},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
            {"type": "message_stop"},
            named_by="type",
        ),
        "complete",
        "\n\nHi",
        {"reasoning-tags": "info before </think>"},
        result={"reasoning": "soa draft\n"},
        quiet=True,
    ),
    *(
        Case(
            f"literal-tag-in-prose-{number}",  # raullenchai/Rapid-MLX#1778
            chat(*prose.split("|")),
            "complete",
            prose.replace("|", ""),
            silent=("reasoning-tags",),
            quiet=True,
        )
        for number, prose in enumerate(
            (
                "BEGIN <think> AFTER END",
                "BEGIN <think>inner</think>| AFTER END",
                "BEGIN| </thi|nk> AFTER END",
                "BEGIN `<think>` AFTER END",
            ),
            1,
        )
    ),
    Case(
        "reasoning-without-its-closing-tag",
        chat("<think>", "so ", "then"),
        text="",
        findings={"reasoning-tags": "info </think> never came"},
        result={"reasoning": "so then"},
    ),
    Case(
        "reasoning-tags-in-anthropic",
        events(
            {"type": "message_start", "message": {"role": "assistant", "content": []}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            *(
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
                for piece in ("<thinking>so", "</thinking>", "Hi")
            ),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
            {"type": "message_stop"},
            named_by="type",
        ),
        "complete",
        "Hi",
        {"reasoning-tags": "info"},
        result={"reasoning": "so"},
        quiet=True,
    ),
    Case(
        "a-text-about-tags",
        chat("Models put it between <think>", " and </think>", ", so take that out."),
        "complete",
        "Models put it between <think> and </think>, so take that out.",
        silent=("reasoning-tags",),
        quiet=True,
    ),
    Case(
        "a-text-that-begins-like-a-tag",
        chat("<", "th", ">Name</th>"),
        "complete",
        "<th>Name</th>",
        silent=("reasoning-tags", "control-token"),
        quiet=True,
    ),
    Case(
        "cut-within-a-tag",
        text("<thi"),
        "truncated",
        "<thi",
        silent=("reasoning-tags",),
    ),
    Case(
        "v11-harmony",
        chat(
            "<|channel|>analysis", "<|message|>so<|end|>", "<|start|>assistant<|channel|>final<|message|>Yes"
        ),
        "complete",
        findings={"control-token": r"warning <\|channel\|>.*Harmony"},
    ),
    Case(
        "control-token-cut-over-deltas",
        chat("Good day.", "<|", "im_end", "|>"),
        "complete",
        "Good day.<|im_end|>",
        {"control-token": r"warning <\|im_end\|>.*ChatML"},
    ),
    Case(
        "end-token-at-the-end",
        chat("Good day.", "</s>"),
        "complete",
        "Good day.</s>",
        {"control-token": "warning </s>"},
    ),
    Case(
        "a-text-about-templates",
        chat("ChatML ends a turn with <|im_end|>, ", "Llama 2 begins one with [INST]. See <s>old</s> news."),
        "complete",
        findings={"control-token": "info"},
        quiet=True,
    ),
]

# Dify

DIFY = [
    Case(
        "s37-dify",
        b"event: ping\n\n"
        + events(
            {"event": "message", "task_id": "k", "message_id": "m", "conversation_id": "c", "answer": "Hello"}
        )
        + b"event: ping\n\n"
        + events(
            {"event": "message", "task_id": "k", "message_id": "m", "conversation_id": "c", "answer": " you"}
        ),
        "truncated",
        "Hello you",
        {
            "truncated-stream": "error without message_end or workflow_finished",
            "event-without-data": "info ping",
        },
        result={"dialect": "dify"},
    ),
    Case(
        "v02-dify-workflow",
        events(
            {"event": "workflow_started", "task_id": "k", "workflow_run_id": "w", "data": {"id": "w"}},
            {"event": "text_chunk", "task_id": "k", "data": {"text": "Hel", "from_variable_selector": []}},
            {"event": "text_chunk", "task_id": "k", "data": {"text": "lo", "from_variable_selector": []}},
            {"event": "workflow_finished", "task_id": "k", "data": {"status": "failed", "error": "boom"}},
        ),
        "error",
        "Hello",
        {"in-band-error": "error boom"},
        error="boom",
        result={"dialect": "dify"},
    ),
    Case(
        "dify-chat",
        events(
            {"event": "agent_message", "task_id": "k", "message_id": "m", "answer": "Good"},
            {
                "event": "agent_thought",
                "id": "t",
                "thought": "Good",
                "tool": "look",
                "tool_input": '{"at":1}',
            },
            {"event": "agent_message", "task_id": "k", "message_id": "m", "answer": " day"},
            {
                "event": "message_end",
                "task_id": "k",
                "message_id": "m",
                "metadata": {"usage": {"prompt_tokens": 4, "completion_tokens": 2}},
            },
            {"event": "tts_message", "task_id": "k", "audio": "UklGRg=="},
            {"event": "tts_message_end", "task_id": "k", "audio": ""},
        ),
        "complete",
        "Good day",
        quiet=True,
        result={
            "usage": {"input": 4, "output": 2},
            "server_tool_calls": [{"type": "dify", "name": "look", "arguments": '{"at":1}'}],
        },
    ),
    Case(
        "dify-workflow-without-chunks",
        events(
            {"event": "workflow_started", "task_id": "k", "workflow_run_id": "w", "data": {"id": "w"}},
            {"event": "node_started", "task_id": "k", "workflow_run_id": "w", "data": {"node_id": "1"}},
            {"event": "ping"},
            {
                "event": "workflow_finished",
                "task_id": "k",
                "data": {
                    "status": "succeeded",
                    "outputs": {"files": [], "result": "Good day"},
                    "error": None,
                },
            },
        ),
        "complete",
        "Good day",
        quiet=True,
    ),
    Case(
        "dify-workflow-that-says-nothing",
        events(
            {"event": "workflow_started", "task_id": "k", "workflow_run_id": "w", "data": {"id": "w"}},
            {
                "event": "workflow_finished",
                "task_id": "k",
                "data": {"status": "succeeded", "outputs": {"n": 3}},
            },
        ),
        "complete",
        "",
        quiet=True,
    ),
    Case(
        "dify-stopped",
        events(
            {"event": "text_chunk", "task_id": "k", "data": {"text": "Good"}},
            {"event": "workflow_finished", "task_id": "k", "data": {"status": "stopped", "outputs": {}}},
        ),
        "stopped-by-provider",
        "Good",
        {"provider-stop": "error stopped"},
    ),
    Case(
        "dify-partly-succeeded",
        events(
            {"event": "text_chunk", "task_id": "k", "data": {"text": "Good"}},
            {
                "event": "workflow_finished",
                "task_id": "k",
                "data": {"status": "partial-succeeded", "outputs": {}},
            },
        ),
        "complete",
        "Good",
        quiet=True,
    ),
    Case(
        "dify-error",
        events(
            {"event": "message", "task_id": "k", "message_id": "m", "answer": "Go"},
            {
                "event": "error",
                "task_id": "k",
                "status": 400,
                "code": "provider_quota_exceeded",
                "message": "full",
            },
        ),
        "error",
        "Go",
        {"in-band-error": "error full"},
        error="provider_quota_exceeded",
    ),
]

# Gemini's interactions


def interaction(*kinds: dict[str, Any]) -> bytes:
    return events(*kinds, named_by="event_type")


BEGUN = {
    "event_type": "interaction.created",
    "interaction": {"id": "v9", "model": "g", "status": "in_progress"},
}
THOUGHT = [
    {"event_type": "step.start", "index": 0, "step": {"type": "thought"}},
    {
        "event_type": "step.delta",
        "index": 0,
        "delta": {"type": "thought_summary", "content": {"type": "text", "text": "hm"}},
    },
    {"event_type": "step.delta", "index": 0, "delta": {"type": "thought_signature", "signature": "s"}},
    {"event_type": "step.stop", "index": 0},
]
SPEECH = [
    {"event_type": "step.start", "index": 1, "step": {"type": "model_output"}},
    {"event_type": "step.delta", "index": 1, "delta": {"type": "text", "text": "Good"}},
    {"event_type": "step.delta", "index": 1, "delta": {"type": "text", "text": " day"}},
    {"event_type": "step.stop", "index": 1},
]
CALLING = [
    {
        "event_type": "step.start",
        "index": 2,
        "step": {"type": "function_call", "id": "t9", "name": "look", "arguments": {}},
    },
    {"event_type": "step.delta", "index": 2, "delta": {"type": "arguments_delta", "arguments": '{"at"'}},
    {"event_type": "step.delta", "index": 2, "delta": {"type": "arguments_delta", "arguments": ":1}"}},
    {"event_type": "step.stop", "index": 2},
]


def over(status: str, **more: Any) -> dict[str, Any]:
    usage = {"total_tokens": 12, "total_input_tokens": 4, "total_output_tokens": 3, "total_thought_tokens": 5}
    return {
        "event_type": "interaction.completed",
        "interaction": {"id": "v9", "status": status, "usage": usage, **more},
    }


LAST = b"event: done\ndata: [DONE]\n\n"

INTERACTIONS = [
    Case(
        "interactions-text",
        interaction(BEGUN, *THOUGHT, *SPEECH, over("completed")) + LAST,
        "complete",
        "Good day",
        quiet=True,
        result={
            "dialect": "gemini-interactions",
            "reasoning": "hm",
            "model": "g",
            "usage": {"input": 4, "output": 8, "reasoning": 5},
        },
    ),
    Case(
        "interactions-function",
        interaction(BEGUN, *CALLING, over("requires_action")) + LAST,
        "complete",
        "",
        quiet=True,
        result={"tool_calls": LOOK},
    ),
    Case(
        "interactions-arguments-in-the-start",
        interaction(
            BEGUN,
            CALLING[0]
            | {"step": {"type": "function_call", "id": "t9", "name": "look", "arguments": {"at": 1}}},
            CALLING[3],
            over("requires_action"),
        ),
        "complete",
        quiet=True,
        result={"tool_calls": LOOK},
    ),
    Case(
        "interactions-steps-in-the-end-only",
        interaction(
            BEGUN,
            over(
                "completed",
                steps=[{"type": "model_output", "content": [{"type": "text", "text": "Good day"}]}],
            ),
        ),
        "complete",
        "Good day",
        quiet=True,
    ),
    Case(
        "interactions-cut",
        interaction(BEGUN, *SPEECH[:2]) + LAST,
        "truncated",
        "Good",
        {"truncated-stream": r"error without interaction\.completed"},
    ),
    Case(
        "interactions-error",
        interaction(
            BEGUN,
            *SPEECH[:2],
            {"event_type": "error", "error": {"code": "gateway_timeout", "message": "too late"}},
        ),
        "error",
        "Good",
        {"in-band-error": "error too late"},
        error="gateway_timeout",
    ),
    Case(
        "interactions-failed",
        interaction(BEGUN, over("failed")),
        "error",
        error="failed",
    ),
    Case(
        "interactions-of-before-steps",
        interaction(
            {"event_type": "interaction.start", "interaction": {"id": "v9", "status": "in_progress"}},
            {"event_type": "content.start", "index": 0, "content": {"type": "text"}},
            {"event_type": "content.delta", "index": 0, "delta": {"type": "text", "text": "Good day"}},
            {"event_type": "content.stop", "index": 0},
            {"event_type": "interaction.complete", "interaction": {"id": "v9", "status": "completed"}},
        ),
        "complete",
        "Good day",
        quiet=True,
    ),
]

# LangServe, Workers AI, Ollama's lines as events

SERVED_END = b"event: end\n\n"
OTHERS = [
    Case("langserve-text", events('"Good"', '" day"', name="data") + SERVED_END, text="Good day"),
    Case(
        "langserve-messages",
        events(
            {"type": "AIMessageChunk", "id": "r", "content": [{"type": "text", "text": "Good day"}]},
            name="data",
        )
        + SERVED_END,
        text="Good day",
    ),
    Case(
        "langserve-outputs",
        events({"context": []}, {"answer": "Good"}, {"answer": " day"}, name="data") + SERVED_END,
        text="Good day",
    ),
    Case(
        "langserve-log",
        events(
            {"ops": [{"op": "replace", "path": "", "value": {"streamed_output": [], "final_output": None}}]},
            {
                "ops": [
                    {"op": "add", "path": "/logs/M/streamed_output_str/-", "value": "Good day"},
                    {"op": "add", "path": "/streamed_output/-", "value": {"content": "Good day"}},
                ]
            },
            name="data",
        )
        + SERVED_END,
        text="Good day",
    ),
    Case(
        "langserve-trace",
        events(
            {"event": "on_chain_start", "data": {"input": "x"}},
            {"event": "on_chat_model_stream", "data": {"chunk": {"content": "Good day"}}},
            name="data",
        )
        + SERVED_END,
        text="Good day",
    ),
    Case(
        "langserve-error",
        events('"Good"', name="data")
        + events({"status_code": 500, "message": "Internal Server Error"}, name="error"),
        "error",
        "Good",
        error="500",
    ),
    Case(
        "workers-ai",
        events(
            {"response": "Good", "p": "abcd"},
            {"response": " day", "p": "ab"},
            {"response": "", "usage": {"prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 6}},
        )
        + DONE,
        "complete",
        "Good day",
        quiet=True,
        result={"dialect": "workers-ai", "usage": {"input": 4, "output": 2}},
    ),
    Case(
        "ollama-lines-as-events",
        events(
            {"model": "m", "message": {"role": "assistant", "content": "Good day"}, "done": False},
            {
                "model": "m",
                "message": {"role": "assistant", "content": ""},
                "done": True,
                "done_reason": "stop",
            },
        ),
        "complete",
        "Good day",
        result={"dialect": "ollama"},
    ),
]

CASES = [*RESPONSES, *WHOLES, *CONTENT, *AUDIO, *TAGS, *DIFY, *INTERACTIONS, *OTHERS]

"""Marks of the end: another dialect's, one without a finish reason behind it, one that never comes."""

from __future__ import annotations

from tests.diagnosis.answering import DONE, anthropic, chat, cohere, event, gemini, parts, responses, said
from tests.diagnosis.cases.case import Case

CASES: list[Case] = [
    Case(
        "a server that never names a finish reason",
        b"".join(
            event({"object": "chat.completion.chunk", "choices": choices, **more})
            for choices, more in (
                ([{"index": 0, "delta": said("All of it")}], {}),
                ([], {"usage": {"prompt_tokens": 3, "completion_tokens": 4}}),
            )
        )
        + DONE,
        outcome="ended",
        findings={"missing-finish-reason": "info never sends one"},
        quiet=True,
    ),
    Case(
        "a completion without a finish reason",
        event({"object": "text_completion", "choices": [{"index": 0, "text": "Only", "finish_reason": None}]})
        + DONE,
        outcome="ended",
        findings={"missing-finish-reason": "warning [DONE]"},
        silent=("double-terminal",),
    ),
    Case(
        "a UI message without its finish",
        event({"type": "start", "messageId": "m"})
        + event({"type": "text-start", "id": "0"})
        + event({"type": "text-delta", "id": "0", "delta": "Only"})
        + DONE,
        outcome="ended",
        findings={"missing-finish-reason": "warning [DONE]"},
    ),
    Case("[DONE] in a stream of an unknown dialect", b"data: tick\n\n" + DONE, outcome="ended", quiet=True),
    Case(
        "[DONE] behind half a message",
        anthropic("Only", stop=None, end=False) + DONE,
        outcome="truncated",
        findings={"foreign-terminal": r"warning \[DONE\].*before", "truncated-stream": "error message_stop"},
    ),
    Case(
        "[DONE] behind half a response",
        responses("Only", status=None) + DONE,
        outcome="truncated",
        findings={
            "foreign-terminal": r"warning \[DONE\].*before",
            "truncated-stream": "error response.completed",
        },
    ),
    Case(
        "[DONE] behind half a chat of Cohere",
        cohere("Only", reason=None) + DONE,
        outcome="truncated",
        findings={"foreign-terminal": r"warning \[DONE\].*before", "truncated-stream": "error message-end"},
    ),
    Case(
        "[DONE] behind a whole chat of Cohere",
        cohere("All") + DONE,
        outcome="complete",
        silent=("foreign-terminal",),
    ),
    Case(
        "[DONE] behind half of Gemini's candidates",
        gemini(parts("Only")) + DONE,
        outcome="truncated",
        findings={"foreign-terminal": r"warning \[DONE\].*before", "truncated-stream": "error finishReason"},
    ),
    Case(
        "[DONE] behind half a completion of llama.cpp",
        event({"content": "Only", "stop": False, "id_slot": 0, "multimodal": False, "index": 0}) + DONE,
        dialect="llamacpp-native",
        outcome="truncated",
        findings={"foreign-terminal": r"warning \[DONE\].*before"},
    ),
    Case(
        "message_stop behind half a chat completion",
        chat(said("Only"), finish=None, tokens=None) + event({"type": "message_stop"}, "message_stop"),
        outcome="truncated",
        findings={"foreign-terminal": "warning message_stop.*before"},
    ),
    Case(
        "a service that finishes with every chunk, cut or not",
        gemini({**parts("Per"), "finishReason": "STOP"}, {**parts("haps"), "finishReason": "STOP"}),
        outcome="ended",
        text="Perhaps",
        quiet=True,
    ),
    Case(
        "a candidate that goes on when another has finished",
        gemini(
            {**parts("One."), "index": 0, "finishReason": "STOP"},
            {**parts("Tw"), "index": 1},
        ),
        outcome="truncated",
    ),
    Case(
        "a finish reason, and no [DONE]",
        chat(said("All of it")),
        outcome="complete",
        findings={"missing-end-marker": "info"},
        quiet=True,
    ),
]

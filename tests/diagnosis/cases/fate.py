"""How answers end: failed finish reasons, empty answers, marks of the end that are missing or another dialect's."""

from __future__ import annotations

from tests.diagnosis.answering import DONE, anthropic, chat, event, gemini, parts, responses, said
from tests.diagnosis.cases.case import Case

CALL = {
    "tool_calls": [
        {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    ]
}
TWO = [
    {"index": 0, "delta": {"content": "One."}, "finish_reason": None},
    {"index": 1, "delta": {"content": "Tw"}, "finish_reason": None},
    {"index": 0, "delta": {}, "finish_reason": "stop"},
    {"index": 1, "delta": {}, "finish_reason": "content_filter"},
]

# By the public reports of these kinds: cases of our own beside the shared ones.
REPORTED = [
    Case(
        "a content filter ends the answer as any stop would (BerriAI/litellm#40857)",
        chat({"role": "assistant", "content": None}, finish="content_filter", tokens=0) + DONE,
        outcome="stopped-by-provider",
        findings={"provider-stop": "error content filter.*nothing visible"},
        silent=("empty-answer",),
        error="content_filter",
    ),
    Case(
        "a refusal that a gateway gives an empty text block (BerriAI/litellm#40864)",
        anthropic("", stop="refusal"),
        outcome="stopped-by-provider",
        findings={"provider-stop": "error refusal.*nothing visible"},
    ),
    Case(
        "Gemini ends with STOP and without a part (BerriAI/litellm#24462)",
        gemini(
            {"content": {"role": "model"}, "finishReason": "STOP", "index": 0},
            usageMetadata={"promptTokenCount": 8},
        ),
        outcome="empty",
        findings={"empty-answer": "error no text and no tool call"},
        error="empty-answer",
    ),
    Case(
        "stop and [DONE], and nothing before (mario-andreschak/FLUJO#312, wicm84266964/Buddy2api#23)",
        chat({"role": "assistant"}, tokens=None) + DONE,
        outcome="empty",
        findings={"empty-answer": "error no text and no tool call"},
    ),
    Case(
        "content null to the end, finish stop, no tokens (diegosouzapw/OmniRoute#5131)",
        chat({"role": "assistant", "content": None}, {"content": None}, tokens=0) + DONE,
        outcome="empty",
        findings={"empty-answer": "error no text and no tool call"},
    ),
    Case(
        "one token that shows nothing (anthropics/anthropic-sdk-typescript#399)",
        anthropic(stop="max_tokens"),
        outcome="empty",
        findings={"empty-answer": "error 3 output tokens, no visible text; the limit on output tokens"},
    ),
]

VARIANTS = [
    Case(
        "one choice of two is filtered",
        b"".join(event({"object": "chat.completion.chunk", "choices": [choice]}) for choice in TWO) + DONE,
        outcome="stopped-by-provider",
        findings={"provider-stop": "error choice 1.*content_filter"},
        error="choice 1: content_filter",
    ),
    Case(
        "a response that is incomplete for its content",
        responses("Only a", status="incomplete", incomplete_details={"reason": "content_filter"}),
        outcome="stopped-by-provider",
        findings={"provider-stop": "error 'content_filter'"},
        result={"incomplete_reason": "content_filter"},
    ),
    Case(
        "a response that is incomplete, and no reason",
        responses("Only a", status="incomplete"),
        outcome="stopped-by-provider",
        findings={"provider-stop": "error 'incomplete'"},
    ),
    Case(
        "a response that is as long as it may be",
        responses("Only a", status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
        outcome="complete",
        findings={"length-limit": "info max_output_tokens"},
        quiet=True,
    ),
    Case("a turn that was paused", anthropic("Wait.", stop="pause_turn"), outcome="complete", quiet=True),
    Case(
        "a reason that nobody documents",
        chat(said("Well."), finish="sated") + DONE,
        outcome="complete",
        findings={"unknown-finish-reason": "warning 'sated'"},
    ),
    Case(
        "a failure that another attempt may mend",
        chat(said("Only"), finish="network_error") + DONE,
        outcome="stopped-by-provider",
        findings={"provider-stop": "error failed inside the provider"},
    ),
    Case(
        "a gateway's stop over the model's failure",
        chat(said("Well."), finish=None, tokens=None)
        + event(
            {
                "object": "chat.completion.chunk",
                "choices": [
                    {
                        "index": 0,
                        "delta": {},
                        "finish_reason": "stop",
                        "native_finish_reason": "MALFORMED_FUNCTION_CALL",
                    }
                ],
            }
        )
        + DONE,
        outcome="complete",
        findings={"provider-stop": "warning 'stop', but the model's own.*MALFORMED_FUNCTION_CALL"},
    ),
    Case(
        "a gateway's stop over the model's own",
        chat(said("Well."), finish=None, tokens=None)
        + event(
            {
                "object": "chat.completion.chunk",
                "choices": [
                    {"index": 0, "delta": {}, "finish_reason": "stop", "native_finish_reason": "completed"}
                ],
            }
        )
        + DONE,
        outcome="complete",
        silent=("provider-stop",),
    ),
    Case(
        "a finish reason with its details (SGLang)",
        chat(said("Only a"), finish=None, tokens=None)
        + event(
            {
                "object": "chat.completion.chunk",
                "choices": [
                    {
                        "index": 0,
                        "delta": {},
                        "finish_reason": {"type": "abort", "message": "Request aborted"},
                    }
                ],
            }
        ),
        outcome="stopped-by-provider",
        findings={"provider-stop": "error abort"},
    ),
    Case(
        "a null that became text is no finish reason",
        chat(said("Only a"), finish="null", tokens=None),
        outcome="truncated",
        silent=("unknown-finish-reason",),
    ),
    Case(
        "reasoning that used up the limit",
        chat({"reasoning_content": "I think"}, finish="length", tokens=None)
        + event(
            {
                "object": "chat.completion.chunk",
                "choices": [],
                "usage": {
                    "prompt_tokens": 4,
                    "completion_tokens": 212,
                    "completion_tokens_details": {"reasoning_tokens": 212},
                },
            }
        )
        + DONE,
        outcome="empty",
        findings={
            "empty-answer": "error 212 reasoning tokens, no visible text; the limit",
            "length-limit": "info length",
        },
    ),
    Case("[DONE] alone", DONE, outcome="empty", findings={"empty-answer": "error empty"}),
    Case("[DONE] behind heartbeats", b": hb\n\nevent: ping\ndata: {}\n\n" + DONE, outcome="empty"),
    Case("[DONE] alone, read in a dialect without it", DONE, dialect="anthropic-messages", outcome="empty"),
    Case(
        "only white space",
        chat(said(" "), {"content": "\n"}) + DONE,
        outcome="complete",
        findings={"empty-answer": "warning only white space"},
    ),
    Case("only a tool call", chat(CALL, finish="tool_calls") + DONE, outcome="complete", quiet=True),
    Case("only a refusal in words", chat({"refusal": "No."}) + DONE, outcome="complete", quiet=True),
    Case(
        "read in another dialect",
        chat(said("The whole")) + DONE,
        dialect="anthropic-messages",
        outcome="empty",
        findings={"empty-answer": "error look like openai-chat, but were read as anthropic-messages"},
        silent=("truncated-stream",),
    ),
    Case(
        "completions read as chat",
        event(
            {
                "object": "text_completion",
                "id": "cmpl-1",
                "choices": [{"index": 0, "text": "Hi", "finish_reason": "stop"}],
            }
        )
        + DONE,
        dialect="openai-chat",
        outcome="empty",
        findings={"empty-answer": "error look like openai-completions"},
    ),
]

CASES: list[Case] = [
    *REPORTED,
    *VARIANTS,
    Case(
        "s08-function-call-filter",
        chat(said("<thought>call the tool</thought>"), finish="function_call_filter: MALFORMED_FUNCTION_CALL")
        + DONE,
        outcome="stopped-by-provider",
        findings={"provider-stop": "error function_call_filter.*rejected the model's tool call"},
        error="function_call_filter",
    ),
    Case(
        "s09-gemini-malformed-call",
        gemini(
            {"content": {"role": "model", "parts": [{"text": "", "thoughtSignature": "YWJj"}]}, "index": 0},
            {"finishReason": "MALFORMED_FUNCTION_CALL", "index": 0},
        ),
        outcome="stopped-by-provider",
        text="",
        findings={"provider-stop": "error MALFORMED_FUNCTION_CALL.*nothing visible"},
    ),
    Case(
        "s09b-gemini-finish-without-content",
        gemini(parts("H"), parts("i"))
        + gemini(
            {"finishReason": "STOP"},
            usageMetadata={"promptTokenCount": 4, "candidatesTokenCount": 6, "totalTokenCount": 10},
        ),
        outcome="complete",
        text="Hi",
        quiet=True,
        result={"finish_reason": "STOP"},
    ),
    Case(
        "s26-done-without-finish",
        chat(said("The whole"), said(" of it."), finish=None) + DONE,
        outcome="ended",
        text="The whole of it.",
        only_own=True,
        findings={"missing-finish-reason": r"warning \[DONE\]"},
        silent=("double-terminal",),
    ),
    Case(
        "s64-gemini-prompt-blocked",
        event(
            {
                "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
                "usageMetadata": {"promptTokenCount": 3},
            }
        ),
        outcome="stopped-by-provider",
        findings={"provider-stop": "error blocked the prompt.*PROHIBITED_CONTENT"},
        result={"dialect": "gemini"},
    ),
    Case(
        "t03-anthropic-done-after-stop",
        anthropic("Hel", "lo") + DONE,
        outcome="complete",
        findings={"foreign-terminal": r"info \[DONE\].*after the answer was whole; JSON decoders fail"},
        quiet=True,
    ),
    Case(
        "t04a-finish-insufficient_system_resource",
        chat(said("Only a"), said(" part"), finish="insufficient_system_resource") + DONE,
        outcome="stopped-by-provider",
        findings={"provider-stop": "error insufficient_system_resource.*resources"},
    ),
    Case(
        "t04d-finish-content_filter",
        chat(said("Only a"), said(" part"), finish="content_filter") + DONE,
        outcome="stopped-by-provider",
        findings={"provider-stop": "error content_filter.*not a whole answer"},
    ),
    Case(
        "t05-only-reasoning",
        chat(
            {"role": "assistant", "content": ""},
            {"reasoning_content": "I think"},
            {"reasoning_content": " so."},
        )
        + DONE,
        outcome="empty",
        text="",
        findings={"empty-answer": "error reasoning, no visible text"},
        silent=("truncated-stream",),
    ),
    Case(
        "t21-anthropic-refusal",
        anthropic(stop="refusal"),
        outcome="stopped-by-provider",
        findings={"provider-stop": "error refusal"},
    ),
    Case(
        "t23-gemini-safety",
        gemini(parts("Only a part"), {"finishReason": "SAFETY"}),
        outcome="stopped-by-provider",
        findings={"provider-stop": "error SAFETY.*safety filter"},
    ),
]

"""What finish reasons mean, however they are spelled."""

from __future__ import annotations

import pytest

from sse_tui import dialects
from sse_tui.dialects.finish_reasons import FinishKind, is_finish, is_transient, meaning_of

NORMAL, LENGTH, TOOL = FinishKind.NORMAL, FinishKind.LENGTH, FinishKind.TOOL
FAILURE, UNKNOWN = FinishKind.FAILURE, FinishKind.UNKNOWN

# As the references of the providers list them.
DOCUMENTED: dict[str, dict[FinishKind, str]] = {
    "openai-chat": {
        NORMAL: "stop",
        LENGTH: "length",
        TOOL: "tool_calls function_call",
        # DeepSeek's, Zhipu's, vLLM's and OpenRouter's are among them.
        FAILURE: "content_filter insufficient_system_resource sensitive network_error abort error repetition",
    },
    "openai-responses": {
        NORMAL: "completed",
        LENGTH: "max_output_tokens",
        FAILURE: "content_filter failed cancelled incomplete",
    },
    "openai-assistants": {
        NORMAL: "completed",
        LENGTH: "max_completion_tokens max_prompt_tokens",
        TOOL: "requires_action",
        FAILURE: "failed cancelled expired incomplete",
    },
    "anthropic-messages": {
        NORMAL: "end_turn stop_sequence",
        LENGTH: "max_tokens model_context_window_exceeded pause_turn",
        TOOL: "tool_use",
        FAILURE: "refusal",
    },
    "gemini": {
        NORMAL: "STOP",
        LENGTH: "MAX_TOKENS",
        FAILURE: "SAFETY RECITATION LANGUAGE OTHER BLOCKLIST PROHIBITED_CONTENT SPII MALFORMED_FUNCTION_CALL "
        "IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_OTHER NO_IMAGE IMAGE_RECITATION UNEXPECTED_TOOL_CALL "
        "TOO_MANY_TOOL_CALLS MISSING_THOUGHT_SIGNATURE MALFORMED_RESPONSE MODEL_ARMOR JAILBREAK",
    },
    "cohere-v2": {
        NORMAL: "COMPLETE STOP_SEQUENCE",
        LENGTH: "MAX_TOKENS",
        TOOL: "TOOL_CALL",
        FAILURE: "ERROR TIMEOUT ERROR_TOXIC ERROR_LIMIT USER_CANCEL",
    },
    "mistral-conversations": {
        NORMAL: "stop",
        LENGTH: "length model_length",
        TOOL: "tool_calls",
        FAILURE: "error",
    },
    "tgi": {NORMAL: "eos_token stop_sequence", LENGTH: "length"},
    "llamacpp-native": {NORMAL: "eos word", LENGTH: "limit"},
    "ollama": {NORMAL: "stop load unload", LENGTH: "length"},
    "watsonx": {
        NORMAL: "eos_token stop_sequence",
        LENGTH: "max_tokens token_limit",
        FAILURE: "cancelled time_limit error",
    },
    "vercel-ui": {
        NORMAL: "stop",
        LENGTH: "length",
        TOOL: "tool-calls",
        FAILURE: "content-filter error",
        UNKNOWN: "other unknown",
    },
    "replicate": {FAILURE: "canceled error"},
    # Amazon Bedrock's, through gateways.
    "": {FAILURE: "guardrail_intervened content_filtered malformed_model_output malformed_tool_use"},
}


@pytest.mark.parametrize("dialect", DOCUMENTED)
def test_the_documented_reasons_are_known(dialect: str) -> None:
    assert not dialect or dialect in dialects.names()
    for kind, reasons in DOCUMENTED[dialect].items():
        for reason in reasons.split():
            meaning = meaning_of(reason, dialect)
            assert meaning.kind is kind, reason
            assert kind is UNKNOWN or (meaning.words and not meaning.words.endswith(".")), reason


@pytest.mark.parametrize(
    "spelling",
    [
        *("content_filter", "CONTENT_FILTER", "content-filter", "contentFilter", "ContentFilter"),
        *(
            "FinishReason.CONTENT_FILTER",
            "finish_reason_content_filter",
            "content filter",
            " content_filter ",
        ),
        *("content_filter: SAFETY", "StopReason.content_filter"),
    ],
)
def test_spelling_does_not_matter(spelling: str) -> None:
    assert meaning_of(spelling) == meaning_of("content_filter")
    assert meaning_of(spelling).kind is FAILURE


def test_the_part_before_a_colon_decides() -> None:
    assert meaning_of("function_call_filter: MALFORMED_FUNCTION_CALL").kind is FAILURE
    assert meaning_of("stop: whatever").kind is NORMAL
    assert meaning_of("sated: stop").kind is UNKNOWN


def test_words_that_nobody_documents_are_unknown() -> None:
    for reason in ("sated", "", ":", "stopp", "x" * 100_000, "\0", "finish_reason", "FinishReason."):
        assert meaning_of(reason) == (UNKNOWN, "")


def test_a_word_may_mean_something_else_in_one_dialect() -> None:
    assert meaning_of("other", "gemini").kind is FAILURE
    assert meaning_of("other", "vercel-ui").kind is UNKNOWN
    assert meaning_of("load", "ollama").kind is NORMAL
    assert meaning_of("load", "openai-chat").kind is UNKNOWN


@pytest.mark.parametrize("word", ["null", "NOT_FINISHED", "FINISH_REASON_UNSPECIFIED", "None", "in_progress"])
def test_what_stands_where_a_reason_would_is_none(word: str) -> None:
    assert not is_finish(word)
    assert is_finish("stop")


def test_failures_of_the_service_may_pass() -> None:
    assert is_transient("NETWORK_ERROR")
    assert is_transient("function_call_filter: MALFORMED_FUNCTION_CALL")
    assert not is_transient("SAFETY")
    assert not is_transient("stop")

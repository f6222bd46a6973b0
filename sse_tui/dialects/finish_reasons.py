"""What finish reasons mean: one table of the words that providers and servers end an answer with.

Most words mean the same wherever they stand, since gateways pass them on: one table holds those of all families, and
`_BY_DIALECT` what a word means in one dialect only. Spelling does not matter: ``content-filter``, ``CONTENT_FILTER``,
``contentFilter`` and ``FinishReason.CONTENT_FILTER`` are one word, and of ``function_call_filter: MALFORMED`` the part
before the colon counts. The words are those of the providers' references: OpenAI (chat, Responses, Assistants),
Anthropic, Gemini and Vertex AI (FinishReason, BlockReason), Cohere 1 and 2, Mistral, DeepSeek, Zhipu, DashScope,
Amazon Bedrock, watsonx, vLLM, SGLang, TGI, llama.cpp, Ollama, LM Studio, Replicate and Vercel's AI SDK.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple


class FinishKind(Enum):
    """What an end by a finish reason amounts to."""

    NORMAL = "normal"
    LENGTH = "length"  # whole as far as it goes: a limit ended it
    TOOL = "tool"  # the client is to go on
    FAILURE = "failure"
    UNKNOWN = "unknown"


class Meaning(NamedTuple):
    """The kind of a finish reason, and what it means as a clause: "a limit on its length ended the answer"."""

    kind: FinishKind
    words: str


_NORMAL = Meaning(FinishKind.NORMAL, "the model ended its answer")
NOTHING_ASKED = Meaning(
    FinishKind.NORMAL, "the server loaded or unloaded the model; nothing was to be generated"
)
_LENGTH = Meaning(FinishKind.LENGTH, "the limit on output tokens ended the answer")
_CONTEXT = Meaning(FinishKind.LENGTH, "the model's context window is full")
_PAUSE = Meaning(
    FinishKind.LENGTH, "the provider paused a long turn: send the answer back in a request to let it go on"
)
_TOOL = Meaning(FinishKind.TOOL, "the model calls a tool")

_UNKNOWN = Meaning(FinishKind.UNKNOWN, "")

_UNTOLD = Meaning(FinishKind.UNKNOWN, "the SDK knows no reason by which the answer ended")

_FILTER = "a content filter ended or withheld the answer"
_SAFETY = "the provider's safety filter ended or withheld the answer"
_BAD_CALL = "the provider rejected the model's tool call as malformed"
_ERROR = "an error ended the generation"
_CANCELLED = "the generation was cancelled"

_NORMAL_WORDS = (
    *("stop", "stopped_eos", "stopped_word", "end_turn", "stop_sequence", "eos", "eos_token", "eos_found"),
    *("stop_string_found", "word", "endoftext", "end_of_text", "complete", "completed", "finish", "finished"),
    *(
        "normal",
        "done",
        "success",
        "succeeded",
        "partial_succeeded",
        "end",
        "stop_criteria",
        "end_of_sequence",
        "stop_token",
    ),
)
_LENGTH_WORDS = (
    *("length", "max_tokens", "limit", "stopped_limit", "max_length", "token_limit", "max_output_tokens"),
    *("max_completion_tokens", "max_new_tokens", "max_predicted_tokens_reached", "max_tokens_reached"),
    *("length_capped", "budget_exceeded"),
)
_CONTEXT_WORDS = (
    *("model_length", "model_context_window_exceeded", "context_length_reached", "context_length_exceeded"),
    *("context_length", "max_prompt_tokens", "context_window_exceeded"),
)
_TOOL_WORDS = ("tool_calls", "tool_call", "tool_use", "function_call", "requires_action", "tools")

_FAILURES = {
    "content_filter": _FILTER,
    "content_filtered": _FILTER,
    "content_filter_error": _FILTER,
    "guardrail_intervened": "a guardrail ended or withheld the answer",
    "guardrail": "a guardrail ended or withheld the answer",
    "model_armor": "Model Armor blocked the answer",
    "sensitive": "the provider found the content sensitive and ended the answer",
    "moderation": "the provider's moderation ended the answer",
    "blocked": "the provider blocked the answer",
    "error_toxic": "the provider's filter found the answer toxic",
    "refusal": "the model or the provider's safety classifiers refused to answer",
    "refused": "the model or the provider's safety classifiers refused to answer",
    "safety": _SAFETY,
    "image_safety": "the provider's safety filter withheld the image",
    "recitation": "the answer repeated protected text too closely",
    "image_recitation": "the image repeated protected work too closely",
    "blocklist": "the content has a term that is on a block list",
    "prohibited_content": "the provider prohibits this content",
    "image_prohibited_content": "the provider prohibits this image",
    "spii": "the content may hold sensitive personal data",
    "jailbreak": "the prompt was taken for an attempt to break the model's rules",
    "language": "the model does not support the language of the answer",
    "other": "the provider gives no other reason",
    "image_other": "the provider made no image and gives no other reason",
    "no_image": "the model was to make an image and made none",
    "malformed_function_call": _BAD_CALL,
    "malformed_tool_call": _BAD_CALL,
    "malformed_tool_use": _BAD_CALL,
    "function_call_filter": "the provider rejected the model's tool call",
    "unexpected_tool_call": "the model called a tool that the request does not offer",
    "too_many_tool_calls": "the model called too many tools one after another",
    "missing_thought_signature": "the request lacks the thought signature of an earlier call",
    "malformed_response": "the provider could not read what the model wrote",
    "malformed_model_output": "the provider could not read what the model wrote",
    "insufficient_system_resource": "the provider ran short of resources and broke the answer off",
    "network_error": "the connection to the model failed inside the provider",
    "timeout": "the generation took longer than the provider allows",
    "time_limit": "the generation took longer than the provider allows",
    "max_time": "the generation took longer than the provider allows",
    "repetition": "the server ended an answer that repeats itself",
    "repetition_truncation": "the server ended an answer that repeats itself",
    "abort": "the server aborted the generation",
    "aborted": "the server aborted the generation",
    "cancelled": _CANCELLED,
    "canceled": _CANCELLED,
    "cancel": _CANCELLED,
    "user_cancel": _CANCELLED,
    "user_stopped": _CANCELLED,
    "expired": "the run was not finished in time",
    "error": _ERROR,
    "error_limit": "the context limit of the model ended the generation",
    "failed": _ERROR,
    "failure": _ERROR,
    "internal_error": _ERROR,
    "server_error": _ERROR,
    "model_error": _ERROR,
    "model_unloaded": "the server unloaded the model while it generated",
    "incomplete": "the answer is incomplete, and the server gives no reason",
}

_SHARED = {
    **dict.fromkeys(_NORMAL_WORDS, _NORMAL),
    **dict.fromkeys(_LENGTH_WORDS, _LENGTH),
    **dict.fromkeys(_CONTEXT_WORDS, _CONTEXT),
    **dict.fromkeys(_TOOL_WORDS, _TOOL),
    "pause_turn": _PAUSE,
    **{word: Meaning(FinishKind.FAILURE, words) for word, words in _FAILURES.items()},
}

_BY_DIALECT: dict[str, dict[str, Meaning]] = {
    "ollama": {"load": NOTHING_ASKED, "unload": NOTHING_ASKED},
    "vercel-ui": {"other": _UNTOLD, "unknown": _UNTOLD},  # the SDK's own words, not Gemini's verdict
    "dify": {
        "stopped": Meaning(FinishKind.FAILURE, "the workflow was stopped"),
        "partial_succeeded": Meaning(FinishKind.NORMAL, "the workflow went on although a node of it failed"),
        "paused": Meaning(FinishKind.TOOL, "the workflow waits for a person"),
    },
}

# Failures of the service rather than of the request: another attempt may succeed.
_TRANSIENT = frozenset(
    (
        *(
            "insufficient_system_resource",
            "network_error",
            "timeout",
            "time_limit",
            "max_time",
            "abort",
            "aborted",
        ),
        *(
            "error",
            "failed",
            "failure",
            "internal_error",
            "server_error",
            "model_error",
            "model_unloaded",
            "expired",
        ),
        *("malformed_function_call", "malformed_tool_call", "malformed_tool_use", "function_call_filter"),
        *("malformed_response", "malformed_model_output", "unexpected_tool_call", "repetition"),
    )
)

# What stands where a reason would while there is none: the default of an enumeration, a null that became text.
_NOT_YET = frozenset(
    (
        "null",
        "none",
        "nil",
        "undefined",
        "not_finished",
        "unspecified",
        "finish_reason_unspecified",
        "in_progress",
    )
)

_PREFIX = re.compile(r"^(?:finish_?reason|stop_?reason|block_?reason)[._ ](?=.)", re.I)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LONGEST = 200


def meaning_of(reason: str, dialect: str = "") -> Meaning:
    """What `reason` means in the dialect of that name; of an unknown word the kind says so, and the words are ""."""
    word = _plain(reason)
    own = _BY_DIALECT.get(dialect, {})
    for found in (word, word.partition(":")[0].strip("_")):
        meaning = own.get(found) or _SHARED.get(found)
        if meaning is not None:
            return meaning
    return _UNKNOWN


def is_finish(reason: str) -> bool:
    """Whether `reason` says that an answer has ended, and not that it has not yet."""
    return _plain(reason) not in _NOT_YET


def is_transient(reason: str) -> bool:
    """Whether a request that ended with the failure `reason` may succeed when it is sent again."""
    return _plain(reason).partition(":")[0] in _TRANSIENT


def _plain(reason: str) -> str:
    """The word in one spelling: lower case, words joined by underscores, without the name of its enumeration."""
    word = _PREFIX.sub("", reason[:_LONGEST].strip())
    return re.sub(r"[\s-]+", "_", _HUMP.sub("_", word)).lower()

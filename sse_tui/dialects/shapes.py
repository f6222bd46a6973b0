"""Of which JSON types the members of each dialect's payloads are, as a table, and where a payload departs from it.

Only members that the dialects read are in it. Null is the same as absent everywhere but for the payload itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from sse_tui.dialects.payload import kind_of


class Leaf(NamedTuple):
    """A value that is not looked into: of one of these types, which `due` puts in words; `text`: of the answer."""

    types: tuple[type, ...]
    due: str
    text: bool = False


Shape: TypeAlias = Leaf | dict[str, Any] | list[Any]
"""A leaf, an object by its members, or an array whose items are all of one shape."""


class Departure(NamedTuple):
    """A value of a wrong type: `path` says where ("" is the payload), `due` what should be there."""

    path: str
    due: str
    value: Any
    text: bool

    @property
    def loses_text(self) -> bool:
        """Whether there is something in the value, where text of the answer is due."""
        return self.text and self.value is not False and self.value not in ("", [], {})


TEXT = Leaf((str,), "a string", text=True)
WORD = Leaf((str,), "a string")
COUNT = Leaf((int, float), "a number")
WORD_OR_NUMBER = Leaf((str, int), "a string or a number")
FLAG = Leaf((bool,), "a boolean")
OBJECT = Leaf((dict,), "an object")
CALL = Leaf((dict,), "an object", text=True)
TEXT_OR_PARTS = Leaf((str, list), "a string or an array", text=True)

_OPENAI_USAGE: Shape = {
    **dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens"), COUNT),
    "prompt_tokens_details": {"cached_tokens": COUNT},
    "completion_tokens_details": {"reasoning_tokens": COUNT},
}
_INPUT_OUTPUT: Shape = dict.fromkeys(("input_tokens", "output_tokens", "total_tokens"), COUNT)

_CHAT: Shape = {
    "id": WORD,
    "model": WORD,
    "choices": [
        {
            "index": COUNT,
            "delta": {
                "role": WORD,
                "content": TEXT_OR_PARTS,
                "reasoning_content": TEXT,
                "refusal": TEXT,
                "tool_calls": [CALL],
                "function_call": CALL,
            },
            "finish_reason": WORD,
        }
    ],
    "usage": _OPENAI_USAGE,
}
_COMPLETIONS: Shape = {
    "id": WORD,
    "model": WORD,
    "choices": [{"index": COUNT, "text": TEXT, "finish_reason": WORD}],
    "usage": _OPENAI_USAGE,
}
_GEMINI: Shape = {
    "candidates": [
        {
            "index": COUNT,
            "content": {
                "role": WORD,
                "parts": [{"text": TEXT, "thought": FLAG, "functionCall": {"name": WORD, "args": OBJECT}}],
            },
            "finishReason": WORD_OR_NUMBER,
        }
    ],
    "usageMetadata": dict.fromkeys(
        ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount"), COUNT
    ),
    "promptFeedback": {"blockReason": WORD},
}
_COHERE_PIECE: Shape = {
    "index": COUNT,
    "delta": {"message": {"content": {"text": TEXT, "thinking": TEXT}, "tool_plan": TEXT}},
}
_COHERE: Mapping[str, Shape] = {
    "content-start": _COHERE_PIECE,
    "content-delta": _COHERE_PIECE,
    "tool-plan-delta": _COHERE_PIECE,
    "message-end": {
        "delta": {
            "finish_reason": WORD,
            "usage": {"tokens": _INPUT_OUTPUT, "billed_units": _INPUT_OUTPUT},
        }
    },
}
_OLLAMA: Shape = {
    "model": WORD,
    "message": {"role": WORD, "content": TEXT, "thinking": TEXT, "tool_calls": [CALL]},
    "response": TEXT,
    "thinking": TEXT,
    "done": FLAG,
    "done_reason": WORD,
    "prompt_eval_count": COUNT,
    "eval_count": COUNT,
}
_LLAMACPP: Shape = {
    "content": TEXT,
    "index": COUNT,
    "stop": FLAG,
    "tokens_predicted": COUNT,
    "tokens_evaluated": COUNT,
}
_TGI: Shape = {
    "token": {"id": COUNT, "text": TEXT, "special": FLAG},
    "generated_text": TEXT,
    "details": {"finish_reason": WORD, "generated_tokens": COUNT},
}
_WATSONX: Shape = {
    "results": [
        {
            "generated_text": TEXT,
            "stop_reason": WORD,
            "input_token_count": COUNT,
            "generated_token_count": COUNT,
        }
    ]
}

_ANTHROPIC: Mapping[str, Shape] = {
    "message_start": {"message": {"role": WORD, "model": WORD, "content": [OBJECT], "usage": _INPUT_OUTPUT}},
    "content_block_start": {"index": COUNT, "content_block": {"type": WORD, "text": TEXT, "thinking": TEXT}},
    "content_block_delta": {
        "index": COUNT,
        "delta": {"type": WORD, "text": TEXT, "thinking": TEXT, "partial_json": TEXT},
    },
    "content_block_stop": {"index": COUNT},
    "message_delta": {"delta": {"stop_reason": WORD}, "usage": _INPUT_OUTPUT},
}
_NUMBERS = dict.fromkeys(("sequence_number", "output_index", "content_index", "summary_index"), COUNT)
_PIECE: Shape = {**_NUMBERS, "delta": TEXT}
_ITEM: Shape = {**_NUMBERS, "item": {"type": WORD}}
_WHOLE: Shape = {**_NUMBERS, "response": {"status": WORD, "output": [OBJECT], "usage": _INPUT_OUTPUT}}
_RESPONSES: Mapping[str, Shape] = {
    **dict.fromkeys(
        (
            "response.output_text.delta",
            "response.refusal.delta",
            "response.reasoning_text.delta",
            "response.reasoning_summary_text.delta",
            "response.function_call_arguments.delta",
        ),
        _PIECE,
    ),
    **dict.fromkeys(
        ("response.created", "response.completed", "response.incomplete", "response.failed"), _WHOLE
    ),
    "response.output_item.added": _ITEM,
    "response.output_item.done": _ITEM,
}
_MISTRAL: Mapping[str, Shape] = {
    "message.output.delta": {"content": Leaf((str, list, dict), "a string or a part", text=True)}
}
_DIFY: Shape = {"event": WORD, "answer": TEXT, "data": {"text": TEXT}, "metadata": {"usage": OBJECT}}
_STEP_DELTA: Shape = {"index": COUNT, "delta": {"type": WORD, "text": TEXT}}
_INTERACTIONS: Mapping[str, Shape] = {"step.delta": _STEP_DELTA, "content.delta": _STEP_DELTA}
_NAMED_PIECE: Shape = {"id": WORD, "delta": TEXT}
_VERCEL: Mapping[str, Shape] = {"text-delta": _NAMED_PIECE, "reasoning-delta": _NAMED_PIECE}

SHAPES: Mapping[str, Shape] = {
    "openai-chat": _CHAT,
    "openai-completions": _COMPLETIONS,
    "writer-completions": _COMPLETIONS,
    "gemini": _GEMINI,
    "ollama": _OLLAMA,
    "llamacpp-native": _LLAMACPP,
    "tgi": _TGI,
    "watsonx": _WATSONX,
    "dify": _DIFY,
}
"""By dialect."""

TYPED_SHAPES: Mapping[str, Mapping[str, Shape]] = {
    "anthropic-messages": _ANTHROPIC,
    "openai-responses": _RESPONSES,
    "cohere-v2": _COHERE,
    "mistral-conversations": _MISTRAL,
    "vercel-ui": _VERCEL,
    "gemini-interactions": _INTERACTIONS,
}
"""By dialect and the payload's ``type``, or the event's where it has none, for dialects that go by it."""


def departures(dialect: str, payload: Any, event: str = "") -> list[Departure]:
    """Where a payload of `dialect`, in an event of this type, has values of wrong types.

    There are none in a dialect that the tables do not know.
    """
    by_type = TYPED_SHAPES.get(dialect)
    shape = SHAPES.get(dialect)
    if type(payload) is not dict:
        return [Departure("", "an object", payload, True)] if by_type is not None or shape is not None else []
    if by_type is not None:
        kind = payload.get("type")
        shape = by_type.get(kind if isinstance(kind, str) else event)
    return list(_departures(shape, payload, "")) if shape is not None else []


def _departures(shape: Shape, value: Any, path: str) -> Iterator[Departure]:
    if value is None:
        return
    if isinstance(shape, Leaf):
        if type(value) not in shape.types:
            yield Departure(path, shape.due, value, shape.text)
    elif isinstance(shape, dict):
        if type(value) is not dict:
            yield Departure(path, "an object", value, _has_text(shape))
            return
        for name, inner in shape.items():
            if name in value:
                yield from _departures(inner, value[name], f"{path}.{name}" if path else name)
    elif type(value) is not list:
        yield Departure(path, "an array", value, _has_text(shape))
    else:
        for position, item in enumerate(value):
            yield from _departures(shape[0], item, f"{path}[{position}]")


def _has_text(shape: Shape) -> bool:
    if isinstance(shape, Leaf):
        return shape.text
    return any(map(_has_text, shape.values() if isinstance(shape, dict) else shape))


_NAMES_OF_TEXT = frozenset(
    {"content", "text", "delta", "message", "parts", "choices", "candidates", "output", "response"}
)
_DEPTH = 8


def texts_in(value: Any, depth: int = 0) -> Iterator[str]:
    """The strings in a misplaced value that are probably text of the answer."""
    if isinstance(value, str):
        yield value
    elif depth < _DEPTH and isinstance(value, dict):
        for name, inner in value.items():
            if name in _NAMES_OF_TEXT:
                yield from texts_in(inner, depth + 1)
    elif depth < _DEPTH and isinstance(value, list):
        for inner in value:
            yield from texts_in(inner, depth + 1)


def described(departure: Departure) -> str:
    """What is wrong, in words."""
    where = departure.path or "The payload"
    return f"{where} is {kind_of(departure.value)} where {departure.due} is due"

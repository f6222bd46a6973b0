"""Token counts, which every provider names differently: one table of all the names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from sse_tui.dialects.base import Usage
from sse_tui.dialects.payload import count, members

_Path: TypeAlias = tuple[str, ...]
"""The names of the members on the way to a count."""

_DETAILS = (
    "completion_tokens_details",
    "output_tokens_details",
    "output_token_details",
    "outputTokensDetails",
)
_INPUT_DETAILS = (
    *("prompt_tokens_details", "prompt_token_details", "input_tokens_details", "input_token_details"),
    *("promptTokensDetails", "inputTokensDetails"),
)

_INPUT: tuple[_Path, ...] = (
    *(("prompt_tokens",), ("input_tokens",)),
    *(("promptTokens",), ("inputTokens",), ("promptTokenCount",), ("inputTokenCount",)),
    *(("prompt_token_count",), ("input_token_count",), ("prompt_eval_count",), ("tokens_evaluated",)),
    *(("input_length",), ("num_input_tokens",), ("input",)),
)
_OUTPUT: tuple[_Path, ...] = (
    *(("completion_tokens",), ("output_tokens",)),
    *(("completionTokens",), ("outputTokens",), ("candidatesTokenCount",), ("outputTokenCount",)),
    *(("completion_token_count",), ("output_token_count",), ("candidates_token_count",)),
    *(("generated_token_count",), ("generated_tokens",), ("eval_count",), ("tokens_predicted",)),
    *(("total_output_tokens",), ("num_output_tokens",), ("output",)),
)
_REASONING: tuple[_Path, ...] = (
    *((details, "reasoning_tokens") for details in _DETAILS),
    *(
        (details, name)
        for details in _DETAILS
        for name in ("thinking_tokens", "reasoningTokens", "reasoning")
    ),
    *(("reasoning_tokens",), ("reasoningTokens",), ("thoughtsTokenCount",), ("thoughts_token_count",)),
    *(("reasoning_output_tokens",), ("thinking_tokens",)),
)
_CACHED: tuple[_Path, ...] = (
    *(
        (details, name)
        for details in _INPUT_DETAILS
        for name in ("cached_tokens", "cachedTokens", "cache_read")
    ),
    *(("cache_read_input_tokens",), ("cacheReadInputTokens",), ("cachedInputTokens",)),
    *(("cachedContentTokenCount",), ("cached_content_token_count",), ("cached_tokens",)),
)
_TOTAL: tuple[_Path, ...] = (
    *(("total_tokens",), ("totalTokens",), ("totalTokenCount",), ("total_token_count",), ("total",)),
)
_NESTED = ("tokens", "usage", "billed_units")
"""Members of a usage that hold the counts themselves; those that are measured before those that are charged."""

COUNTS = frozenset(path[0] for table in (_INPUT, _OUTPUT, _REASONING, _CACHED, _TOTAL) for path in table)
"""The members of a usage that are read."""


def usage_of(tokens_in: Any, tokens_out: Any, reasoning: Any = None, cached: Any = None) -> tuple[Usage, ...]:
    """The counts in these values; none when neither the input nor the output is counted."""
    counted_in, counted_out = _counted(tokens_in), _counted(tokens_out)
    if counted_in is None and counted_out is None:
        return ()
    return (Usage(counted_in, counted_out, _counted(reasoning), _counted(cached)),)


def usage_in(usage: Mapping[str, Any], *, reasoning_apart: bool = False) -> tuple[Usage, ...]:
    """The counts in an object, under whichever names it has them.

    Reasoning is part of the output. Where the total shows that the server counts it beside the output (xAI), it is
    added to it; with `reasoning_apart` the dialect is known to count it so, and the output stays as it was sent.
    """
    if not usage:
        return ()
    sources = [usage, *(usage[name] for name in _NESTED if isinstance(usage.get(name), dict))]
    found = usage_of(
        _first(_INPUT, sources),
        _first(_OUTPUT, sources),
        _first(_REASONING, sources),
        _first(_CACHED, sources),
    )
    if found and found[0].reasoning and not reasoning_apart:
        (counts,) = found
        spent = (counts.input or 0) + (counts.output or 0)
        if _counted(_first(_TOTAL, sources)) == spent + found[0].reasoning:
            return (counts._replace(output=(counts.output or 0) + found[0].reasoning),)
    return found


def _first(paths: Iterable[_Path], sources: list[Mapping[str, Any]]) -> Any:
    """The first value that is there."""
    for source in sources:
        for path in paths:
            value = source.get(path[0])
            if value is not None and len(path) == 2:
                value = members(value).get(path[1])
            if value is not None:
                return value
    return None


def _counted(value: Any) -> int | None:
    """A count, also one that was sent as a string of digits: other strings are not guessed at."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    counted = count(value)
    return None if counted is not None and counted < 0 else counted  # some send -1 for what they do not know

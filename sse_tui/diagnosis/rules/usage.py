"""Rules about token counts: what they say, and what events do not."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Occurrence
from sse_tui.diagnosis.registry import rule
from sse_tui.diagnosis.view import EntryView
from sse_tui.dialects.payload import JsonError, decode, members
from sse_tui.recording.records import Close

ENOUGH = 10  # token events before their number says something
_CHARACTERS_A_TOKEN = 20


def _ended(entry: EntryView, facts: Facts) -> bool:
    """Whether an answer came to its end on this connection."""
    return (
        isinstance(entry.record, Close) and facts.turn.json_answers and facts.turn.view.gaps.token_events > 0
    )


@rule(
    "usage-missing",
    "info",
    "close",
    advice='Ask for it: stream_options {"include_usage": true} in OpenAI\'s API.',
    reference="tenstorrent/vllm#377",
)
def usage_missing(entry: EntryView, facts: Facts) -> Occurrence | None:
    """No token counts: tokens a second can only be estimated from the events."""
    view = facts.turn.view
    if not _ended(entry, facts) or view.answer.usage is not None or view.answer.error is not None:
        return None
    events = view.gaps.token_events
    asked = _asked_for_usage(facts)
    state = "although the request asked for it" if asked else "and the request did not ask for it"
    return Occurrence(
        f"The stream gave no token counts{', ' + state if asked is not None else ''}; {events} events are "
        "all there is to count.",
        "warning" if asked else "info",
        evidence={"token_events": events, "asked": asked},
    )


def _asked_for_usage(facts: Facts) -> bool | None:
    """Whether the request asked for usage; None where that is not known or not needed."""
    request = facts.turn.conns[0].request
    if request is None or facts.turn.dialect not in ("openai-chat", "openai-completions"):
        return None
    try:
        body = members(decode(request.body or ""))
    except JsonError:
        return None
    return members(body.get("stream_options")).get("include_usage") is True


@rule(
    "usage-mismatch",
    "warning",
    "close",
    advice="Do not compute rates from these counts; ask the provider what they count.",
    reference="tenstorrent/vllm#377; genai-bench#81",
)
def usage_mismatch(entry: EntryView, facts: Facts) -> Occurrence | None:
    """Token counts that cannot be those of the text that came."""
    view = facts.turn.view
    usage = view.answer.usage
    if not _ended(entry, facts) or usage is None or usage.get("output") is None:
        return None
    if view.dialect.complete is not True or view.answer.error is not None:
        return None  # the last count is perhaps yet to come
    output = usage["output"] or 0
    characters = view.answer.text_length + view.answer.reasoning_length
    reasoning = usage.get("reasoning") or 0
    evidence = {"output": output, "characters": characters, "reasoning": reasoning}
    if characters > _CHARACTERS_A_TOKEN * max(1, output + reasoning):
        return Occurrence(
            f"The usage says {output} output tokens, but {characters} characters of text came.",
            evidence=evidence,
        )
    if reasoning > output > 0 and facts.turn.dialect not in ("gemini",):
        return Occurrence(
            f"The usage says {reasoning} reasoning tokens and only {output} output tokens in all.",
            evidence=evidence,
        )
    return None


@rule(
    "chunk-not-token",
    "info",
    "close",
    advice="Read the gaps as gaps between events, and take the time per token from the usage.",
    reference="sgl-project/sglang#12064; probar#27",
)
def chunk_not_token(entry: EntryView, facts: Facts) -> Occurrence | None:
    """Events do not hold one token each: a gap between events is no inter-token latency."""
    view = facts.turn.view
    if not _ended(entry, facts) or view.gaps.token_events < ENOUGH:
        return None
    ratio = view.tokens_per_event
    if ratio is None or 0.8 <= ratio <= 1.25:
        return None
    return Occurrence(
        f"{view.output_tokens} output tokens came in {view.gaps.token_events} events, {ratio:.2f} a token "
        "event: the gap between events is not the latency between tokens.",
        evidence={"tokens": view.output_tokens, "events": view.gaps.token_events, "ratio": round(ratio, 3)},
    )


@rule(
    "thinking-hidden",
    "info",
    "close",
    advice="Count them when you look at speed and cost; ask for reasoning summaries where the API has them.",
    reference="modelscope/evalscope#1463; sgl-project/genai-bench#81",
)
def thinking_hidden(entry: EntryView, facts: Facts) -> Occurrence | None:
    """Reasoning tokens were counted and not shown: the wait before the text is theirs."""
    view = facts.turn.view
    reasoning = (view.answer.usage or {}).get("reasoning") or 0
    if not isinstance(entry.record, Close) or not reasoning or view.answer.reasoning_length:
        return None
    ttft = view.clocks.clocks().ttft
    wait = f", which explains part of the {ttft / 1000:.1f} s before the first token" if ttft else ""
    return Occurrence(
        f"The model spent {reasoning} reasoning tokens that the stream does not show{wait}.",
        evidence={"reasoning": reasoning, "ttft_ms": ttft},
    )

"""Rules about token counts: whether they are there, and whether events can stand in for them."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, Occurrence, rule
from sse_tui.dialects.payload import JsonError, decode, members
from sse_tui.recording.records import Close
from sse_tui.text.wording import many

ENOUGH = 10  # token events; fewer prove nothing
_CHARACTERS_A_TOKEN = 20


def _answered(facts: Facts) -> bool:
    """Whether the turn brought tokens of an answer."""
    return facts.turn.json_answers and facts.turn.view.gaps.token_events > 0


@rule(
    "info",
    CLOSE,
    advice='Ask for usage in the request: with OpenAI\'s API, "stream_options": {"include_usage": true}.',
    reference="tenstorrent/vllm#377",
)
def usage_missing(_: Close, facts: Facts) -> Occurrence | None:
    """No token counts: tokens per second can only be estimated from the events."""
    view = facts.turn.view
    if not _answered(facts) or view.answer.usage is not None or view.answer.error is not None:
        return None
    events = view.gaps.token_events
    asked = _asked_for_usage(facts)
    state = "although the request asked for them" if asked else "and the request did not ask for any"
    return Occurrence(
        f"The stream has no token counts{', ' + state if asked is not None else ''}: rates are estimated from "
        f"{many(events, 'token event')}.",
        "warning" if asked else "info",
        evidence={"token_events": events, "asked": asked},
    )


def _asked_for_usage(facts: Facts) -> bool | None:
    """Whether the request asked for usage; None where that is not known or not needed."""
    request = facts.turn.conns[0].request
    if request is None or not facts.turn.has_choices:
        return None
    try:
        body = members(decode(request.body or ""))
    except JsonError:
        return None
    return members(body.get("stream_options")).get("include_usage") is True


@rule(
    "warning",
    CLOSE,
    advice="Do not compute rates from these counts; ask the provider what they include.",
    reference="tenstorrent/vllm#377; genai-bench#81",
)
def usage_mismatch(_: Close, facts: Facts) -> Occurrence | None:
    """Token counts that cannot match the text that arrived."""
    view = facts.turn.view
    usage = view.answer.usage
    if not _answered(facts) or usage is None or usage.get("output") is None:
        return None
    if view.dialect.complete is not True or view.answer.error is not None:
        return None  # the final count may be yet to come
    output = usage["output"] or 0
    characters = view.answer.text_length + view.answer.reasoning_length
    reasoning = usage.get("reasoning") or 0
    evidence = {"output": output, "characters": characters, "reasoning": reasoning}
    if characters > _CHARACTERS_A_TOKEN * max(1, output + reasoning):
        return Occurrence(
            f"Usage says {many(output, 'output token')}, but {many(characters, 'character')} of text arrived.",
            evidence=evidence,
        )
    if reasoning > output > 0 and facts.turn.dialect != "gemini":
        return Occurrence(
            f"Usage says {many(reasoning, 'reasoning token')} but only {many(output, 'output token')} in all.",
            evidence=evidence,
        )
    return None


@rule(
    "info",
    CLOSE,
    advice="Do not read the gap between events as ITL; take the time per token from usage (TPOT).",
    reference="sgl-project/sglang#12064; probar#27",
)
def chunk_not_token(_: Close, facts: Facts) -> Occurrence | None:
    """Events do not carry one token each: the gap between events is not the inter-token latency."""
    view = facts.turn.view
    if not _answered(facts) or view.gaps.token_events < ENOUGH:
        return None
    ratio = view.tokens_per_event
    if ratio is None or 0.8 <= ratio <= 1.25:
        return None
    return Occurrence(
        f"{many(view.output_tokens or 0, 'output token')} arrived in {view.gaps.token_events} token events, "
        f"{ratio:.2f} per event: the gap between events is not the latency between tokens.",
        evidence={"tokens": view.output_tokens, "events": view.gaps.token_events, "ratio": round(ratio, 3)},
    )


@rule(
    "info",
    CLOSE,
    advice="Include them in speed and cost; request reasoning summaries where the API offers them.",
    reference="modelscope/evalscope#1463; sgl-project/genai-bench#81",
)
def thinking_hidden(_: Close, facts: Facts) -> Occurrence | None:
    """Reasoning tokens were counted but not sent: they explain the wait before the text."""
    view = facts.turn.view
    reasoning = (view.answer.usage or {}).get("reasoning") or 0
    if not reasoning or view.answer.reasoning_length:
        return None
    ttft = view.clocks.clocks().ttft
    wait = f", which explains part of the {ttft / 1000:.1f} s before the first token" if ttft else ""
    return Occurrence(
        f"The model used {many(reasoning, 'reasoning token')} that the stream does not show{wait}.",
        evidence={"reasoning": reasoning, "ttft_ms": ttft},
    )

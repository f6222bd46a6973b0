"""Rules about token counts: whether they are there, and whether events can stand in for them."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, DELTAS, OVER, Occurrence, also, rule
from sse_tui.diagnosis.view import TurnView
from sse_tui.dialects.base import Reasoning, Text, ToolCall, Usage
from sse_tui.dialects.bearing import Bearing
from sse_tui.dialects.payload import JsonError, decode, members
from sse_tui.eventstream import Event
from sse_tui.recording.records import Close
from sse_tui.text.wording import many

FIRST = 3  # chunks that show whether each has several tokens
WORDS = 3  # of a chunk with several tokens for certain
_LEAST_A_CHUNK, _MOST_A_CHUNK = 0.8, 1.25  # tokens
_SPECIAL_TOKENS = 2  # which are counted and not sent
_CHARACTERS_A_TOKEN = 20
_RUNNING = 3  # events with text and a usage, after which it is a habit


def _answered(facts: Facts, rule: str) -> bool:
    """Whether the turn is at its end and brought tokens of an answer; True once a rule.

    A connection that was cut may be followed by another, which brings the counts: then the turn is judged when it is
    over.
    """
    turn = facts.turn
    return turn.json_answers and turn.view.gaps.token_events > 0 and turn.settles(rule)


@rule(
    "info",
    CLOSE,
    OVER,
    advice='Ask for usage in the request: with OpenAI\'s API, "stream_options": {"include_usage": true}.',
    reference="tenstorrent/vllm#377",
)
def usage_missing(_: object, facts: Facts) -> Occurrence | None:
    """No token counts: tokens per second can only be estimated from the events."""
    view = facts.turn.view
    if (
        not _answered(facts, "usage-missing")
        or view.answer.usage is not None
        or view.answer.error is not None
    ):
        return None
    events = view.gaps.token_events
    asked = _asked_for_usage(facts)
    state = "although the request asked for them" if asked else "and the request did not ask for any"
    return Occurrence(
        f"The stream has no token counts{', ' + state if asked is not None else ''}: rates are estimated from "
        f"{many(events, 'token event')}.",
        advice="Check whether the server supports stream_options.include_usage, which the request has."
        if asked
        else None,
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
    OVER,
    advice="Do not compute rates from these counts; ask the provider what they include.",
    reference="tenstorrent/vllm#377; genai-bench#81",
)
def usage_mismatch(_: object, facts: Facts) -> Occurrence | None:
    """Token counts that cannot match the text that arrived."""
    view = facts.turn.view
    usage = view.answer.usage
    if not _answered(facts, "usage-mismatch") or usage is None or usage.get("output") is None:
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
    if reasoning > output > 0 and not view.dialect.chosen.reasoning_apart:
        return Occurrence(
            f"Usage says {many(reasoning, 'reasoning token')} but only {many(output, 'output token')} in all.",
            evidence=evidence,
        )
    return None


@rule(
    "info",
    DELTAS,
    advice="In the client, keep the last usage and never add them up: it counts all tokens so far.",
    reference="open-webui/open-webui#29064; memex-lab/dart_agent_core#23; InsForge/InsForge#2015",
)
def running_usage(_: Event, facts: Facts) -> Occurrence | None:
    """Usage comes with every piece of text and grows: clients that add it up count tokens many times."""
    usage = next((delta for delta in facts.entry.deltas if isinstance(delta, Usage)), None)
    if usage is None or {type(delta) for delta in facts.entry.deltas}.isdisjoint((Text, Reasoning, ToolCall)):
        return None
    facts.turn.running_usages += 1
    if len(facts.turn.first_outputs) < _RUNNING:
        facts.turn.first_outputs.append(usage.output or 0)
    return _running(facts) if facts.turn.running_usages == _RUNNING else None


@also("running-usage", CLOSE)
def all_running_usages(_: Close, facts: Facts) -> Occurrence | None:
    """How many there were in all."""
    if facts.turn.running_usages < _RUNNING:
        return None
    said = _of_pieces(facts) or _running(facts)
    return said._replace(amend=True)


def _of_pieces(facts: Facts) -> Occurrence | None:
    """Counts that do not grow are those of the pieces alone; None for counts that do."""
    turn, last = facts.turn, facts.turn.view.output_tokens
    # Fewer tokens than pieces of text: a count of all of them that was known from the start is no such count.
    if not last or last > min(turn.first_outputs, default=0) or last >= turn.running_usages:
        return None
    turn.told.add("usage-of-pieces")
    return Occurrence(
        f"{many(turn.running_usages, 'event')} with text had a usage, too, and its counts do not grow: each counts its "
        f"own piece, so that the last one, {many(last, 'output token')}, is not the count of the answer.",
        "warning" if 2 * last <= turn.running_usages else "info",
        evidence={"events": turn.running_usages, "last": last},
    )


def _running(facts: Facts) -> Occurrence:
    events = facts.turn.running_usages
    return Occurrence(
        f"{many(events, 'event')} with text had a usage, too: each counts all tokens so far, and the last one holds.",
        evidence={"events": events},
    )


@rule(
    "info",
    DELTAS,
    advice="Do not read the gap between events as ITL; take the time per token from usage (TPOT).",
    reference="sgl-project/sglang#12064; probar#27",
)
def chunk_not_token(_: Event, facts: Facts) -> Occurrence | None:
    """Events do not carry one token each: the gap between events is not the inter-token latency."""
    turn, view = facts.turn, facts.turn.view
    texts = turn.first_texts
    if not turn.json_answers or facts.entry.bearing < Bearing.REASONING or len(texts) >= FIRST:
        return None
    texts.append("".join(delta.text for delta in facts.entry.deltas if isinstance(delta, Text | Reasoning)))
    if len(texts) < FIRST:
        return None
    running = any(isinstance(delta, Usage) for delta in facts.entry.deltas)  # counts in every chunk
    ratio = view.tokens_per_event if running else None
    if ratio is not None and ratio > _MOST_A_CHUNK and _apart(view):
        said = (
            f"{many(view.output_tokens or 0, 'token')} have arrived in {view.gaps.token_events} token events"
        )
    elif all(len(text.split()) >= WORDS for text in texts):
        said = f"Each of the first {FIRST} chunks has {WORDS} words or more"
    else:
        return None
    turn.told.add("several-tokens")
    return Occurrence(
        f"{said}: the gap between events is not the latency between tokens.",
        evidence={"events": view.gaps.token_events, "words": [len(text.split()) for text in texts]},
    )


def _apart(view: TurnView) -> bool:
    """Whether the counts of tokens and of events differ by more than a start or end token."""
    return abs((view.output_tokens or 0) - view.gaps.token_events) > _SPECIAL_TOKENS


@also("chunk-not-token", CLOSE)
@also("chunk-not-token", OVER)
def counted_tokens(_: object, facts: Facts) -> Occurrence | None:
    """The same by the counts at the end."""
    view = facts.turn.view
    if not _answered(facts, "chunk-not-token") or view.gaps.token_events < FIRST or not _apart(view):
        return None
    if "usage-of-pieces" in facts.turn.told:
        return None
    ratio = view.tokens_per_event
    if ratio is None or _LEAST_A_CHUNK <= ratio <= _MOST_A_CHUNK:
        return None
    return Occurrence(
        f"{many(view.output_tokens or 0, 'output token')} arrived in {view.gaps.token_events} token events, "
        f"{ratio:.2f} per event: the gap between events is not the latency between tokens.",
        evidence={"tokens": view.output_tokens, "events": view.gaps.token_events, "ratio": round(ratio, 3)},
        amend="several-tokens" in facts.turn.told,
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

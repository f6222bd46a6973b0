"""Rules about the wait for the first token: what it hides, and what came before it."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, FIRST_TOKEN, Occurrence, rule
from sse_tui.diagnosis.rules.buffering import LONG_NS, MANY
from sse_tui.eventstream import Event
from sse_tui.recording.records import Close

AT_ONCE_MS = 1.0  # an event; no model is faster
WORTH_MS = 50.0  # a difference below this is not reported


@rule(
    "warning",
    CLOSE,
    advice="Check whether the server generates the whole answer first, as tools, guardrails and some back ends do.",
    reference="imp#754; maclocal-api#257",
)
def fake_streaming(_: Close, facts: Facts) -> Occurrence | None:
    """The first token took nearly all the time: the answer was generated first and then cut into events."""
    view = facts.turn.view
    clocks = view.clocks.clocks()
    if clocks.ttft is None or clocks.e2e is None or facts.conn.late_reads or len(facts.turn.conns) > 1:
        return None
    events = view.gaps.token_events
    if events <= MANY or clocks.e2e < LONG_NS / 1e6 or clocks.ttft < 0.9 * clocks.e2e:
        return None
    if "held-to-the-end" in facts.turn.told:
        return None
    rest = clocks.e2e - clocks.ttft
    each = rest / (events - 1)
    took = (
        f"The first token took {clocks.ttft / 1000:.1f} s, the other {events - 1} token events {rest:.0f} ms "
        f"({each:.1f} ms each)"
    )
    evidence = {"ttft_ms": clocks.ttft, "e2e_ms": clocks.e2e, "events": events}
    if each > AT_ONCE_MS:
        return Occurrence(
            f"{took}: either a very fast model, or the answer was generated before it was streamed.",
            "info",
            evidence=evidence,
        )
    return Occurrence(f"{took}: the answer was generated before it was streamed.", evidence=evidence)


@rule(
    "info",
    FIRST_TOKEN,
    advice="Measure the time to first token at the first text, reasoning or tool call that is not empty.",
    reference="sgl-project/sglang#29251; aisix#869",
)
def ttft_on_empty_chunk(event: Event, facts: Facts) -> Occurrence | None:
    """Events without tokens came first: a clock stopped at the first event shows too short a time."""
    turn = facts.turn
    if not turn.before_token or not facts.timed:
        return None
    clocks = turn.view.clocks.clocks()
    if clocks.ttfc is None or clocks.ttft is None or clocks.ttft - clocks.ttfc < WORTH_MS:
        return None
    kinds = ", ".join(dict.fromkeys(turn.before_token))
    return Occurrence(
        f"The first event ({kinds}) arrived after {clocks.ttfc:.0f} ms, the first token after {clocks.ttft:.0f} ms: "
        f"tools that stop the clock at any chunk report a TTFT that is {clocks.ttft - clocks.ttfc:.0f} ms too short.",
        evidence={
            "ttfb_ms": clocks.ttfb,
            "first_byte_ms": clocks.first_byte,
            "ttfc_ms": clocks.ttfc,
            "ttft_ms": clocks.ttft,
            "ttfo_ms": clocks.ttfo,
            "before": turn.before_token,
        },
    )

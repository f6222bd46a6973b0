"""The rule about events that stop a client's clock before the first token arrives."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import FIRST_TOKEN, Occurrence, rule
from sse_tui.eventstream import Event

WORTH_MS = 50.0  # a difference below this is not reported


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

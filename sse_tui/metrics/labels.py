"""What to call the gap between token-bearing events.

Users know it as ITL, inter-token latency, and that is what it is while every event holds one token. When
events hold several it is ICL, inter-chunk latency (AIPerf), and calling it ITL would flatter or slander the
model by that factor.
"""

from __future__ import annotations

ITL = "ITL"
ICL = "ICL"

# The server's count often includes an end token that no event shows, and some events show a token in two
# halves.
_ONE_EACH = (0.8, 1.25)


def label_for(tokens_per_event: float | None) -> str:
    """ITL where the events hold one token each as far as counts can tell; otherwise, or if unknown, ICL."""
    low, high = _ONE_EACH
    return ITL if tokens_per_event is not None and low <= tokens_per_event <= high else ICL

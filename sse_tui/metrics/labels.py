"""What to call the gap between token-bearing events.

Users know it as ITL, inter-token latency, which is right as long as every event contains one token. If events contain
several, it is ICL, inter-chunk latency (AIPerf); calling it ITL would be wrong by that factor.
"""

from __future__ import annotations

ITL = "ITL"
ICL = "ICL"

# The server's count often includes an end token that is not sent, and some servers send a token in two halves.
_ONE_EACH = (0.8, 1.25)


def label_for(tokens_per_event: float | None) -> str:
    """ITL if events contain one token each, as far as the counts show; ICL otherwise or if unknown."""
    low, high = _ONE_EACH
    return ITL if tokens_per_event is not None and low <= tokens_per_event <= high else ICL

"""Going on after a connection broke: policy, decision, and the verdict on what was lost or repeated."""

from sse_tui.resume.continuity import Continuity, Verdict
from sse_tui.resume.policy import Policy
from sse_tui.resume.reconnect import Decision, Outcome, Reconnector, Retry, Stop, retry_after_ms

__all__ = [
    "Continuity",
    "Decision",
    "Outcome",
    "Policy",
    "Reconnector",
    "Retry",
    "Stop",
    "Verdict",
    "retry_after_ms",
]

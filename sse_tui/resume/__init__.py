"""Going on after a connection broke: the policy, the decision, and the verdict on what was lost or repeated."""

from sse_tui.resume.continuity import Continuity, Verdict
from sse_tui.resume.policy import Policy
from sse_tui.resume.reconnect import AttemptResult, GiveUp, Reconnector, ResumesBy, TryAgain

__all__ = [
    "AttemptResult",
    "Continuity",
    "GiveUp",
    "Policy",
    "Reconnector",
    "ResumesBy",
    "TryAgain",
    "Verdict",
]

"""Three idle clocks of a connection, because each misses something that the others notice.

Bytes: anything, heartbeats included; this is what proxies and sockets time. Events: what a standard client and its
watchdogs see. Progress: deltas that extend the answer; only this one notices a server that is stuck but keeps sending
heartbeats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sse_tui.metrics.beats import Beats
from sse_tui.metrics.clocks import NS_PER_MS


class IdleLimit(NamedTuple):
    """Seconds of silence after which `who` is known to cut a connection."""

    seconds: int
    who: str


IDLE_LIMITS = (
    IdleLimit(30, "many load balancers and serverless hosts"),
    IdleLimit(55, "Heroku's router"),
    IdleLimit(60, "nginx and AWS load balancers"),
    IdleLimit(100, "Cloudflare"),
    IdleLimit(120, "several gateways"),
    IdleLimit(125, "a CDN"),
    IdleLimit(240, "Azure's load balancer"),
    IdleLimit(300, "several hosts"),
)


@dataclass(frozen=True, slots=True)
class IdleView:
    """The clocks at one moment, in ms; None if nothing has happened yet.

    `beat_period` is the observed heartbeat period. `limit_s` is the next known limit, which will be reached in
    `limit_in` ms if nothing arrives; None beyond the last limit.
    """

    bytes: float | None
    events: float | None
    progress: float | None
    beat_ago: float | None
    beat_period: float | None
    limit_s: int | None
    limit_in: float | None


class Idle:
    """Takes what arrives, with times in ns, and says how long ago the last of each kind was.

    Whoever reads the stream sets `last_bytes` at any bytes of the body and `last_event` at a dispatched event.
    """

    def __init__(self) -> None:
        self.last_bytes: int | None = None
        self.last_event: int | None = None
        self.last_progress: int | None = None
        self.beats = Beats()

    def progress(self, t: int) -> None:
        """An event with text, reasoning or a tool call, or one by which the server shows that it gets on."""
        self.last_progress = t

    def beat(self, t: int) -> None:
        """A heartbeat: a comment, or an event that serves as one."""
        self.beats.beat(t, self.last_progress)

    def view(self, now: int) -> IdleView:
        """All clocks at `now`, ns."""
        silent = _ago(self.last_bytes, now)
        limit = next((s for s, _ in IDLE_LIMITS if silent is not None and s * 1000 > silent), None)
        return IdleView(
            bytes=silent,
            events=_ago(self.last_event, now),
            progress=_ago(self.last_progress, now),
            beat_ago=_ago(self.beats.last, now),
            beat_period=self.beats.period,
            limit_s=limit,
            limit_in=limit * 1000 - silent if limit is not None and silent is not None else None,
        )


def _ago(t: int | None, now: int) -> float | None:
    return None if t is None else max(0.0, (now - t) / NS_PER_MS)

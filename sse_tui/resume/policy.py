"""When and how to reconnect, as numbers that a user can see and set."""

from __future__ import annotations

import random
from dataclasses import dataclass

from sse_tui.errors import UsageError

KINDS = ("never", "last-event-id", "resend", "always")
# The standard sets no bound on ``retry``; a server that asks for more than an hour gets an hour.
RETRY_LIMIT_MS = 3_600_000
# More reconnects than this within a minute are a storm.
STORM = 6
STORM_WINDOW_MS = 60_000.0
# How much longer than its base a wait may be, as a share. Enough for the clients of a server that restarts not to come
# back all at the same moment; more than a quarter above the server's ``retry`` fails the conformance tests of MCP.
JITTER = 0.25
MAX_RECONNECTS = 1000


@dataclass(frozen=True, slots=True)
class Policy:
    """When to ask again after a stream broke off or ended.

    `kind`: "never"; "last-event-id", send the last event ID and go on from there, as long as the stream has ids or set
    a reconnection time, and repeat a POST only to a server that resumes it; "resend", the same, but with the last event
    ID a POST is repeated to any server; "always", like an `EventSource`, which asks again whatever the stream had, and
    with any method.

    `max_attempts` counts consecutive connections without progress; `max_total_s` bounds the time since the
    last progress, and any wait that a server asks for by Retry-After. `max_reconnects` bounds those of one request,
    whatever progress they make; None is `MAX_RECONNECTS`, but `max_attempts` where each may cost another answer.
    `base_ms` is the first wait until the server sets its own by ``retry``, and the least once there were more than
    `STORM` within a minute; `floor_ms` is the least in any case; `cap_ms` bounds the growth. `wait_when_busy`: a first
    answer of 429 or 5xx with a Retry-After is waited for.
    """

    kind: str = "last-event-id"
    max_attempts: int = 5
    max_total_s: float = 120.0
    max_reconnects: int | None = None
    base_ms: float = 1000.0
    cap_ms: float = 30_000.0
    floor_ms: float = 100.0
    wait_when_busy: bool = True

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UsageError(
                "policy", f"Unknown reconnect policy {self.kind!r}.", f"Use one of {', '.join(KINDS)}."
            )

    def delay_ms(
        self, retry_ms: int | None, unanswered: int, rng: random.Random, *, storm: bool = False
    ) -> float:
        """How long to wait before the next request.

        The base is the server's ``retry`` (clamped), else `base_ms`, and not below the floor: `floor_ms`, or `base_ms`
        in a `storm`. It doubles with each attempt but the first that got no stream (`unanswered`), up to `cap_ms` or
        to the base where a server asks for more. The wait is never shorter, and at most `JITTER` longer:

            delay = min(base * 2 ** (unanswered - 1), max(cap_ms, base)) * uniform(1, 1 + JITTER)

        so 1 to 1.25 s, and while the server is down 2 to 2.5 s, 4 to 5 s ..., for a base of 1 s.
        """
        base = self.base_ms if retry_ms is None else float(min(retry_ms, RETRY_LIMIT_MS))
        base = max(base, self.base_ms if storm else self.floor_ms)
        grown = min(base * 2.0 ** min(max(unanswered - 1, 0), 32), max(self.cap_ms, base))
        return grown * (1 + JITTER * rng.random())

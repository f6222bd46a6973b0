"""When and how to reconnect, as numbers that a user can see and set."""

from __future__ import annotations

import random
from dataclasses import dataclass

from sse_tui.errors import UsageError

KINDS = ("never", "last-event-id", "always")
# The standard sets no bound on ``retry``; a server that asks for more than an hour gets an hour.
RETRY_LIMIT_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Policy:
    """When to ask again after a stream broke off or ended.

    `kind`: "never"; "last-event-id", send the last event ID and go on from there, as long as the stream has ids or set
    a reconnection time; "always", like an `EventSource`, which asks again whatever the stream had.

    `max_attempts` counts consecutive connections without progress; `max_total_s` bounds the time since the
    last progress, and any wait that a server asks for by Retry-After. `base_ms` is the first wait until the
    server sets its own by ``retry``; `cap_ms` bounds the growth; `floor_ms` is the least wait after a
    failure without progress, whatever ``retry`` says.
    """

    kind: str = "last-event-id"
    max_attempts: int = 5
    max_total_s: float = 120.0
    base_ms: float = 1000.0
    cap_ms: float = 30_000.0
    floor_ms: float = 100.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UsageError(
                "policy", f"Unknown reconnect policy {self.kind!r}.", f"Use one of {', '.join(KINDS)}."
            )

    def delay_ms(self, retry_ms: int | None, failures: int, rng: random.Random) -> float:
        """How long to wait before the next request.

        The base is the server's ``retry`` (clamped), else `base_ms`; after failures at least `floor_ms`. The wait is
        never shorter. Added to it is full jitter, so that the clients of a server that restarts do not all come back
        at the same moment, over a width that doubles with each failure:

            delay = base + uniform(0, 1) * max(base, floor_ms) * 2 ** (failures - 1)

        so 1 to 1.5 s, 1 to 2 s, 1 to 3 s, 1 to 5 s ... for a base of 1 s. The sum is capped at `cap_ms`, or
        at the base where a server asks for more.
        """
        base = self.base_ms if retry_ms is None else float(min(retry_ms, RETRY_LIMIT_MS))
        spread = max(base, self.floor_ms)
        if failures:
            base = spread
        width = spread * 2.0 ** (min(failures, 32) - 1)
        return base + rng.random() * max(0.0, min(width, max(self.cap_ms, base) - base))

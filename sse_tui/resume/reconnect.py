"""Whether to reconnect after a connection ended, when, and with which last event ID: a state machine without I/O.

The rules are those of the HTML standard, section 9.2.3, and where it says nothing, these:

* A 204 ends it; so does any response that is not an event stream. After 429 and 5xx the request is repeated within the
  limits if the stream had been open, or if the server gave a Retry-After.
* A stream that ended by its own marker, or was whole when its body ended, is never requested again.
* If the stream was never open, a failed connection ends it: nothing can have been lost yet, and a wrong address should
  be reported without delay.
* A stream is requested again if it is known to go on, because it has had an ID or a reconnection time, or if the policy
  is "always". A finite stream with neither would be requested over and over.
* Any other method than GET may cost money or get a different answer. It is repeated only with a last event ID, and only
  to a server that has shown that it resumes; the policies "resend" and "always" lift that. Where the protocol resumes
  by GET (MCP), that is done instead.
* What counts as progress is a new event with data. An ID alone is none: an MCP server begins each connection with one.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NamedTuple, TypeAlias

from sse_tui.resume.policy import MAX_RECONNECTS, RETRY_LIMIT_MS, STORM, STORM_WINDOW_MS, Policy
from sse_tui.text.wording import many

# A server that sets a reconnection time below the floor and closes each connection within this time makes the client
# request it in a tight loop; events without a new ID are then not taken for progress.
_TIGHT_LOOP_MS = 1000.0

ResumesBy: TypeAlias = Literal["", "get", "repeat"]


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """How an attempt ended.

    `kind`: eof, incomplete, reset, timeout, fault, error (the body broke off); no-connection (no response, but the
    next attempt may get one); fatal (another attempt would fail the same way); status (a response other than 200);
    wrong-type (200, but not an event stream); ended (nothing follows); stopped (by the user).
    `progress` counts the events with data that had not come before. `had_ids`: the stream has had an ID, even if it has
    been reset since. `method` is that of the request that would be repeated, in upper case. `resumes_by` is how this
    server resumes a stream that another method than GET began: by "get", by a "repeat" of the request with the last
    event ID, or "" where it has shown neither. `retry_digits` is `retry_ms` as the server wrote it.
    `now_ms` and `lived_ms` (how long the connection was open) are on any one clock; `wall_s` is Unix time, for a
    Retry-After that is a date.
    """

    kind: str
    now_ms: float
    last_event_id: str = ""
    retry_ms: int | None = None
    status: int = 0
    retry_after: str | None = None
    progress: int = 0
    had_ids: bool = False
    lived_ms: float = 0.0
    wall_s: float = 0.0
    method: str = "GET"
    resumes_by: ResumesBy = ""
    retry_digits: str = ""


class TryAgain(NamedTuple):
    """Request again in `delay_ms` with this last event ID ("" sends none). `attempt` counts from the last progress.

    `by_get`: with a GET, whatever method the stream began with.
    """

    delay_ms: float
    last_event_id: str
    attempt: int
    note: str = ""
    by_get: bool = False


class GiveUp(NamedTuple):
    """Do not request again, and why. `exhausted`: only because the reconnects of the request are used up."""

    reason: str
    exhausted: bool = False


Decision: TypeAlias = TryAgain | GiveUp

_FINAL = {
    "stopped": "stopped by the user",
    "ended": "the stream said that it had ended",
    "wrong-type": "the answer is not an event stream",
    "fatal": "another attempt would fail the same way",
}
_BROKE_OFF = ("eof", "incomplete", "reset", "timeout", "fault", "error")


class Reconnector:
    """Decides after each connection of one turn."""

    def __init__(self, policy: Policy, rng: random.Random | None = None) -> None:
        self._policy = policy
        self._rng = rng or random.Random()
        self._was_open = False
        self._goes_on = policy.kind == "always"
        self._id_before = ""
        self._had_events = False
        self._failures = 0
        self._unanswered = 0
        self._failing_since: float | None = None
        self._made = 0
        self._recent: deque[float] = deque(maxlen=STORM)

    def decide(self, outcome: AttemptResult) -> Decision:
        """What to do now that an attempt ended like this."""
        self._was_open |= outcome.kind in _BROKE_OFF
        self._goes_on |= outcome.had_ids or bool(outcome.last_event_id) or outcome.retry_ms is not None
        self._had_events |= outcome.progress > 0
        return self._refusal(outcome) or self._retry(outcome)

    def _refusal(self, outcome: AttemptResult) -> GiveUp | None:
        """The reasons to give up that do not depend on how many attempts there were."""
        kind, status = outcome.kind, outcome.status
        if kind in _FINAL:
            return GiveUp(_FINAL[kind])
        if kind == "status" and status == 204:
            return GiveUp("the server answered 204: there is nothing more")
        if kind == "status" and not (status == 429 or status >= 500):
            return GiveUp(f"the server answered {status}")
        if self._policy.kind == "never":
            return GiveUp("the reconnect policy is never")
        if not self._was_open and not outcome.retry_after:
            return GiveUp("the stream was never open")
        if not self._was_open and not self._policy.wait_when_busy:
            return GiveUp("only an explicit --reconnect waits for a server before there was a stream")
        if outcome.method != "GET" and self._policy.kind != "always":
            if not outcome.last_event_id:
                return GiveUp(
                    f"nothing to resume from: no event had an ID, and a {outcome.method} is not repeated without one"
                )
            if not outcome.resumes_by and self._policy.kind != "resend":
                return GiveUp(
                    f"the server has not shown that it resumes a {outcome.method}; "
                    "--reconnect resend repeats it all the same"
                )
        # A fault that we injected may have come before the stream could show that it goes on.
        if self._was_open and not self._goes_on and (self._had_events or kind != "fault"):
            return GiveUp("nothing to resume from: the stream has neither IDs nor a reconnection time")
        return None

    def _retry(self, outcome: AttemptResult) -> Decision:
        if self._progressed(outcome):
            self._failures = 0
            self._failing_since = None
        self._unanswered = 0 if outcome.kind in _BROKE_OFF else self._unanswered + 1
        by_get = outcome.resumes_by == "get" and bool(outcome.last_event_id) and outcome.method != "GET"
        free = outcome.method == "GET" or by_get or outcome.resumes_by == "repeat"
        most = self._policy.max_reconnects
        if most is None:
            most = MAX_RECONNECTS if free else self._policy.max_attempts
        if self._made >= most:
            reason = f"the limit of {many(most, 'reconnect')} for one request, --max-reconnects, is reached"
            return GiveUp(reason, exhausted=True)
        attempt = self._failures + 1
        if attempt > self._policy.max_attempts:
            return GiveUp(f"no progress in {many(self._policy.max_attempts, 'attempt')}")
        storm = len(self._recent) == STORM and outcome.now_ms - self._recent[0] <= STORM_WINDOW_MS
        delay = self._policy.delay_ms(outcome.retry_ms, self._unanswered, self._rng, storm=storm)
        asked = retry_after_ms(outcome.retry_after, outcome.wall_s)
        waited = 0.0 if self._failing_since is None else outcome.now_ms - self._failing_since
        limit = self._policy.max_total_s * 1000
        if asked is not None and asked + waited > limit:
            return GiveUp(f"the server asks to wait {asked / 1000:g} s, over the limit of {limit / 1000:g} s")
        if self._failures and waited + delay > limit:
            return GiveUp(f"no progress within {limit / 1000:g} s")
        self._failures = attempt
        self._failing_since = outcome.now_ms if self._failing_since is None else self._failing_since
        self._id_before = outcome.last_event_id
        self._made += 1
        self._recent.append(outcome.now_ms)
        notes = []
        if by_get:
            notes.append("by GET, as the protocol resumes")
        if outcome.retry_ms is not None and outcome.retry_ms > RETRY_LIMIT_MS:
            notes.append(f"retry: {outcome.retry_digits[:40]} was limited to {RETRY_LIMIT_MS} ms")
        if storm and outcome.retry_ms is not None and outcome.retry_ms < self._policy.base_ms:
            notes.append(f"slowed down after {many(STORM, 'reconnect')} within a minute")
        return TryAgain(max(delay, asked or 0.0), outcome.last_event_id, attempt, "; ".join(notes), by_get)

    def _progressed(self, outcome: AttemptResult) -> bool:
        """Whether the connection got further: new events with a new ID, or without one but not in a tight loop."""
        if outcome.kind not in _BROKE_OFF or not outcome.progress:
            return False
        if outcome.last_event_id != self._id_before:
            return True
        if outcome.last_event_id:
            return False
        base = self._policy.base_ms if outcome.retry_ms is None else outcome.retry_ms
        return base >= self._policy.floor_ms or outcome.lived_ms >= _TIGHT_LOOP_MS


def retry_after_ms(value: str | None, wall_s: float) -> float | None:
    """The wait that a Retry-After header asks for, in milliseconds; None if it is missing or invalid.

    RFC 9110, section 10.2.3: seconds, or an HTTP date, which is compared with `wall_s`.
    """
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(min(int(value[:12]), 10**9)) * 1000
    from email.utils import parsedate_to_datetime  # costs as much to load as this package; dates are rare

    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.fromtimestamp(wall_s, UTC)).total_seconds() * 1000)

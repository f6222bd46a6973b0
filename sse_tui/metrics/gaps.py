"""Gaps between the token-bearing events of a response, and what can be computed from them.

- One sample per pair of consecutive token-bearing events, however many tokens they contain (vLLM's "ITL", AIPerf's
  ICL).
- Events completed by the same read have the same timestamp, so the gap between them is unknown. Such a pair is counted
  as coalesced and is not a sample; AIPerf and others report 0 ms for it.
- TPOT, time per output token = (last - first token-bearing event) / (tokens - 1), where tokens is the server's count
  if there is one (vLLM, AIPerf and MLPerf agree if the first event contains one token).
- Decode speed is 1/TPOT, never tokens divided by the total time.
- A gap across a reconnect is kept separate: it says nothing about the model.
- The gap is called ITL, inter-token latency, as long as every event contains one token. If events contain several, it
  is ICL, inter-chunk latency (AIPerf); calling it ITL would be wrong by that factor.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from sse_tui.metrics.clocks import NS_PER_MS
from sse_tui.metrics.percentiles import Samples, Stats

STUTTER_MS = 100.0
RECENT = 512
# The server's count often includes an end token that is not sent, and some servers send a token in two halves.
_ONE_EACH = (0.8, 1.25)


@dataclass(frozen=True, slots=True)
class Tpot:
    """Time per output token in ms, None if unknown; `source` of the token count: "usage" or "events"."""

    ms: float | None = None
    source: str | None = None

    @property
    def per_second(self) -> float | None:
        """Decode speed, tokens/s."""
        return 1000 / self.ms if self.ms else None


class Gaps:
    """Takes reads and token-bearing events in order, with times in ns, and computes the gaps in ms.

    `between` are the observed gaps, `resume_gaps` those across a reconnect. `recent` are the latest, for drawing, None
    for a gap that was not observed. If `timed` is False, none is observed.
    """

    def __init__(self, stutter_ms: float = STUTTER_MS) -> None:
        self.timed = True
        self.between = Samples()
        self.resume_gaps: list[float] = []
        self.recent: deque[float | None] = deque(maxlen=RECENT)
        self.coalesced = 0
        self.stutters = 0
        self.token_events = 0
        self._stutter_ms = stutter_ms
        self._times: deque[int] = deque(maxlen=RECENT)
        self._first: int | None = None
        self._last: int | None = None
        self._read_id: int | None = None
        self._conn: int | None = None
        # The read after a reconnect: the server generated its events during the gap, which is subtracted.
        self._resume_read: int | None = None
        self._caught_up = 0
        self._event_reads = 0
        self._events = 0

    def read(self, events: int) -> None:
        """A read completed `events` events."""
        if events:
            self._event_reads += 1
            self._events += events

    def token(self, t: int, read_id: int, conn: int = 0) -> None:
        """A token-bearing event, completed by the read `read_id` of connection `conn`."""
        self.token_events += 1
        last = self._last
        if last is None:
            self._first = t
        elif self.timed and conn == self._conn and read_id != self._read_id:  # the usual one, without a call
            ms = (t - last) / NS_PER_MS
            self.between.add(ms)
            self.recent.append(ms)
            self.stutters += ms > self._stutter_ms
        else:
            self._odd_gap(t - last, read_id, conn)
        self._times.append(t)
        self._last, self._read_id, self._conn = t, read_id, conn

    def unobserved(self, read_id: int, conn: int) -> None:
        """The read `read_id` of `conn`, which is about to come, waited in the socket: the gap before it is unknown."""
        if conn == self._conn:
            self._read_id = read_id

    def _odd_gap(self, ns: int, read_id: int, conn: int) -> None:
        """A gap that cannot be observed, or that a reconnect made."""
        self.recent.append(None)
        if not self.timed or conn == self._conn:
            self.coalesced += 1
            self._caught_up += read_id == self._resume_read
            return
        self.resume_gaps.append(ns / NS_PER_MS)
        self._resume_read = read_id
        self._caught_up += 1

    def stats(self) -> Stats:
        """The summary of the observed gaps."""
        return self.between.stats()

    @property
    def coalesced_share(self) -> float | None:
        """Share of the gaps that could not be observed, 0 to 1; None without gaps."""
        gaps = self.coalesced + len(self.between)
        return self.coalesced / gaps if gaps and self.timed else None

    @property
    def events_per_read(self) -> float | None:
        """Events per read that completed any. If well above 1, something between here and the server is buffering.

        None if `timed` is False: a capture without times does not say how it was read either.
        """
        return self._events / self._event_reads if self._event_reads and self.timed else None

    def tokens_per_event(self, tokens: int | None, *, hidden: int = 0) -> float | None:
        """The server's count of output tokens per token-bearing event; None if either is unknown.

        `hidden` as for `tpot`.
        """
        shown = (tokens or 0) - hidden
        return shown / self.token_events if shown > 0 and self.token_events else None

    def tpot(self, tokens: int | None, *, hidden: int = 0) -> Tpot:
        """Time per output token.

        `tokens` is the server's count, None or 0 if unknown; `hidden` of them were never sent, such as reasoning that
        is only counted. Gaps across a reconnect are subtracted from the time, and so are the events that arrived at
        once after it, which would otherwise seem to have taken no time.
        """
        gaps = self.token_events - 1
        if not self.timed or self._first is None or self._last is None or gaps <= self._caught_up:
            return Tpot()
        ms = (self._last - self._first) / NS_PER_MS - sum(self.resume_gaps)
        share = (gaps - self._caught_up) / gaps
        counted = (tokens or 0) - hidden - 1
        if counted > 0:
            return Tpot(ms / (counted * share), "usage")
        return Tpot(ms / (gaps * share), "events")

    def rate(self, now: int, window_ms: float = 1_000) -> float:
        """Token-bearing events per second in the window that ends `now`, for a live display."""
        since = now - window_ms * NS_PER_MS
        return sum(since < t <= now for t in self._times) * 1000 / window_ms


def label_for(tokens_per_event: float | None) -> str:
    """ITL if events contain one token each, as far as the counts show; ICL otherwise or if unknown."""
    low, high = _ONE_EACH
    return "ITL" if tokens_per_event is not None and low <= tokens_per_event <= high else "ICL"

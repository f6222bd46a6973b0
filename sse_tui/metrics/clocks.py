"""When a response reached each stage, counted from the first byte of the request on an open connection.

Connecting is measured separately, so that a cold connection does not inflate the time to first token. What the names
mean, and which other tools define them the same way:

- ttfb: status line and headers have arrived.
- ttfc, time to first chunk: the first event, whatever it contains (OpenTelemetry; vLLM's TTFT for chats).
- ttft, time to first token: the first event with text, reasoning or a tool call (AIPerf, guidellm). A chunk with only
  a role, an empty one, usage, a heartbeat or a sentinel does not count.
- ttfo, time to first output: the first event with visible text or a tool call (AIPerf); without reasoning, the ttft.
- e2e, end to end: the last event with tokens (AIPerf, vLLM).
"""

from __future__ import annotations

from dataclasses import dataclass

NS_PER_MS = 1_000_000
_SETUP = ("dns", "tcp", "tls")


@dataclass(frozen=True, slots=True)
class Clocks:
    """Times in ms, None for what did not happen or was not observed.

    `dns`, `tcp`, `tls` and `sent` (first to last byte of the request) are durations; the others count from the first
    byte of the request. `stream_end` is the end of the body, which may be later than `e2e`.
    """

    dns: float | None = None
    tcp: float | None = None
    tls: float | None = None
    sent: float | None = None
    ttfb: float | None = None
    first_byte: float | None = None
    ttfc: float | None = None
    ttft: float | None = None
    ttfo: float | None = None
    e2e: float | None = None
    stream_end: float | None = None

    @property
    def connect(self) -> float | None:
        """Time to connect, in ms; None if the connection was already open."""
        parts = [part for part in (self.dns, self.tcp, self.tls) if part is not None]
        return sum(parts) if parts else None

    @property
    def thinking(self) -> float | None:
        """From the first token to the first visible one, in ms: the duration of the reasoning."""
        return None if self.ttft is None or self.ttfo is None else self.ttfo - self.ttft


class ClockBuilder:
    """Takes what happened, in order, with times in ns on one clock, and computes the `Clocks` so far.

    The first occurrence counts, except for tokens and ends: once there is a `first_visible` token, only `last_token`
    changes. If `timed` is False, times have no meaning and all clocks
    are None.
    """

    def __init__(self) -> None:
        self.timed = True
        self._phases: dict[str, tuple[int, int]] = {}
        self._started: int | None = None
        self.first_event: int | None = None
        self._first_token: int | None = None
        self.first_visible: int | None = None
        self.last_token: int | None = None
        self._end: int | None = None

    def started(self, t: int) -> None:
        """The request started at `t`. Used if no phase says when its first byte was written (HTTP/2)."""
        if self._started is None:
            self._started = t

    def phase(self, name: str, t: int, dt: int) -> None:
        """A phase of the connection ended at `t` after `dt`; for names see `recording.records.Phase`."""
        self._phases.setdefault(name, (t, dt))

    def event(self, t: int) -> None:
        """An event was dispatched. Only the first one counts: `first_event` tells whether it came."""
        if self.first_event is None:
            self.first_event = t

    def token(self, t: int, visible: bool = True) -> None:
        """An event with tokens was dispatched; `visible` if they are not just reasoning."""
        if self._first_token is None:
            self._first_token = t
        if visible and self.first_visible is None:
            self.first_visible = t
        self.last_token = t

    def nothing_visible(self) -> None:
        """What looked like visible tokens was reasoning."""
        self.first_visible = None

    def end(self, t: int) -> None:
        """The body ended. With several connections the last end counts."""
        self._end = t

    @property
    def t0(self) -> int | None:
        """When the first byte of the request was written on an open connection, in ns, as far as the phases say."""
        for name in ("sent", "headers"):
            if name in self._phases:
                t, dt = self._phases[name]
                return t - dt
        return max((self._phases[name][0] for name in _SETUP if name in self._phases), default=self._started)

    def clocks(self) -> Clocks:
        """What is known so far."""
        if not self.timed:
            return Clocks()
        t0 = self.t0

        def since(t: int | None) -> float | None:
            return None if t is None or t0 is None else (t - t0) / NS_PER_MS

        lasted = {name: dt / NS_PER_MS for name, (_, dt) in self._phases.items()}
        ended = {name: since(t) for name, (t, _) in self._phases.items()}
        return Clocks(
            dns=lasted.get("dns"),
            tcp=lasted.get("tcp"),
            tls=lasted.get("tls"),
            sent=lasted.get("sent"),
            ttfb=ended.get("headers"),
            first_byte=ended.get("first_byte"),
            ttfc=since(self.first_event),
            ttft=since(self._first_token),
            ttfo=since(self.first_visible),
            e2e=since(self.last_token),
            stream_end=since(self._end),
        )

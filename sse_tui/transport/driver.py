"""One turn: a request, its event stream and its reconnects, as records of what happened.

The driver understands the stream only as far as it must to reconnect: the last event ID, the reconnection time, and
whether the stream has ended. Everything else is derived from the records by whoever reads them.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

import httpx

from sse_tui.analysis.concluding import EndingFacts, conclude
from sse_tui.analysis.outcome import Outcome
from sse_tui.dialects.base import Dialect
from sse_tui.errors import SseTuiError
from sse_tui.faults import Injector, Plan
from sse_tui.fields import first
from sse_tui.limits import MAX_EVENT_BYTES
from sse_tui.recording.records import Close, CloseReason, Headers, Note, Reconnect, Record
from sse_tui.resume import AttemptResult, Policy, Reconnector, TryAgain
from sse_tui.transport.attempt import Attempt
from sse_tui.transport.clock import SessionClock
from sse_tui.transport.http.message import LAST_EVENT_ID, header_text, resuming_get
from sse_tui.transport.http.routing import RoutingTransport
from sse_tui.transport.problems import timed_out
from sse_tui.transport.reception import Reception
from sse_tui.transport.stream import Stream
from sse_tui.transport.stream_request import StreamRequest, Timeouts
from sse_tui.transport.turn_state import TurnState
from sse_tui.transport.waiting import Woken

# Codes of errors after which another attempt would fail the same way, or has no time left.
_FUTILE = {"total-timeout", "event-too-large", "content-coding", "runaway-compression"}


class Driver:
    """Runs one turn. Read `records()` to the end; `outcome` and `error` then say how it went.

    `analysis.concluding` decides both, as it does for whoever reads the records; the error has a hint from here too.
    `stop_reason` says why there was no further attempt.

    With `stop_at_end` a connection is closed soon after the stream has said that it is over, as a conversation
    needs; otherwise the server alone ends it. `next_conn` gives the numbers of connections. `sleep` waits between
    attempts and during stalls, in seconds. `stop`, `arm` and `records` belong to one event loop.
    """

    def __init__(
        self,
        request: StreamRequest,
        *,
        dialect: Dialect,
        policy: Policy,
        timeouts: Timeouts,
        clock: SessionClock,
        turn: int,
        next_conn: Callable[[], int],
        plan: Plan | None = None,
        verify: bool | str = True,
        http2: bool = False,
        max_event_bytes: int = MAX_EVENT_BYTES,
        stop_at_end: bool = False,
        rng: random.Random | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._request = request
        self._given_url = request.url
        self._policy = policy
        self._clock = clock
        self._verify = verify
        self._http2 = http2
        self._max_event_bytes = max_event_bytes
        self._stop_at_end = stop_at_end
        self._turn = TurnState(turn, clock, timeouts, next_conn, sleep)
        self._reception = Reception(dialect, first(request.headers, LAST_EVENT_ID) or "")
        dialect.request_seen(request.headers, (request.body or b"").decode("utf-8", "replace"))
        self._injector = Injector(plan, clock.now())
        self._reconnector = Reconnector(policy, rng)
        self._kind = ""  # of `AttemptResult`, and the error: how the last attempt ended
        self._error: SseTuiError | None = None
        self._close: Close | None = None
        self._stream_close: Close | None = None
        self._stream_conn = 0
        self._status: int | None = None
        self._headers: Headers = []  # of the last response that was a stream
        self.outcome = Outcome.CONNECTING
        self.error: SseTuiError | None = None
        self.stop_reason = ""

    def stop(self) -> None:
        """End the turn now, whatever it is doing."""
        self._turn.stop()

    def arm(self, plan: Plan) -> None:
        """Add faults while the stream runs."""
        self._injector.arm(plan, self._clock.now())
        self._turn.waiter.wake()

    async def records(self) -> AsyncGenerator[Record, None]:
        """Everything that happens, as it happens. Can be read once; closing it early closes the connection."""
        self._turn.began = self._clock.now()
        async with RoutingTransport(self._clock, self._verify, self._http2) as transport:
            while True:
                began = self._clock.now()
                attempt = Attempt(transport, self._request, self._turn, self._injector)
                async with aclosing(self._run(attempt)) as records:
                    async for record in records:
                        if isinstance(record, Close):
                            self._closed(record)
                        yield record
                decision = self._reconnector.decide(self._result(attempt.response, began))
                if not isinstance(decision, TryAgain):
                    self._conclude(decision.reason)
                    if decision.exhausted:
                        # Nothing else in the records shows it: the last connection may have ended in good order.
                        text = f"not requested again: {decision.reason}"
                        yield Note(
                            t=self._clock.now(), turn=self._turn.number, conn=self._turn.conn, text=text
                        )
                    return
                if decision.by_get:
                    self._request = resuming_get(self._request, self._headers)
                yield self._reconnect(decision)
                close = await self._wait(decision.delay_ms / 1000)
                if close is not None:
                    self._closed(close)
                    yield close
                    self._conclude(close.detail)
                    return

    async def _run(self, attempt: Attempt) -> AsyncGenerator[Record, None]:
        """One attempt, and its stream if it gets one. How it ended is in `_kind` and `_error` then."""
        self._reception.progress = 0
        try:
            async with aclosing(attempt.open(self._reception.last_event_id)) as records:
                async for record in records:
                    yield record
            self._kind, self._error = attempt.kind, attempt.error
            self._status = attempt.response.status_code if attempt.response is not None else None
            if attempt.kind == "open" and attempt.response is not None:
                self._headers = header_text(attempt.response.headers.raw)
                self._stream_conn = self._turn.conn
                if attempt.request.method.upper() == "GET":
                    # As Chromium does after any redirect; a request that redirects made a GET is not sent again as what
                    # it was.
                    self._request = attempt.request
                stream = Stream(
                    self._turn,
                    attempt.response,
                    self._reception,
                    self._injector,
                    self._max_event_bytes,
                    self._stop_at_end,
                )
                async with aclosing(stream.records()) as records:
                    async for record in records:
                        yield record
                self._kind, self._error = self._kind_of(stream), stream.error
        finally:
            await attempt.close()

    def _kind_of(self, stream: Stream) -> str:
        """How a stream ended, as a kind of `AttemptResult`."""
        reception = self._reception
        if self._turn.stopped and stream.reason is CloseReason.CLIENT and not reception.ended:
            return "stopped"
        if reception.ended or (stream.reason is not CloseReason.FAULT and reception.dialect.complete is True):
            return "ended"
        if stream.error is not None and stream.error.code in _FUTILE:
            return "fatal"
        assert stream.reason is not None
        return stream.reason

    def _result(self, response: httpx.Response | None, began: int) -> AttemptResult:
        reception, now_ms = self._reception, self._clock.now() / 1e6
        return AttemptResult(
            kind=self._kind,
            now_ms=now_ms,
            last_event_id=reception.last_event_id,
            retry_ms=reception.retry.ms if reception.retry is not None else None,
            retry_digits=reception.retry.digits if reception.retry is not None else "",
            status=response.status_code if response is not None else 0,
            retry_after=response.headers.get("retry-after") if response is not None else None,
            progress=reception.progress,
            had_ids=reception.had_ids,
            method=self._request.method.upper(),
            resumes_by=reception.resumes_by,
            lived_ms=now_ms - began / 1e6,
            wall_s=time.time(),
        )

    def _reconnect(self, decision: TryAgain) -> Reconnect:
        return Reconnect(
            t=self._clock.now(),
            turn=self._turn.number,
            conn=self._turn.conn,
            delay_ms=round(decision.delay_ms, 3),
            last_event_id=decision.last_event_id,
            policy=f"{self._policy.kind} ({decision.note})" if decision.note else self._policy.kind,
            attempt=decision.attempt,
            url=self._request.url if self._request.url != self._given_url else "",
        )

    async def _wait(self, seconds: float) -> Close | None:
        """Wait before the next attempt. The end of the turn, if it comes during the wait."""
        end = self._clock.now() + int(seconds * 1e9)
        self._error = None
        while True:
            try:
                await self._turn.pause(seconds)
                return None
            except Woken:
                if self._turn.stopped:
                    return self._turn.close(CloseReason.CLIENT, "stopped while waiting to reconnect")
                seconds = (end - self._clock.now()) / 1e9
            except TimeoutError:
                self._error = error = timed_out("total", self._turn.timeouts.total or 0)
                return self._turn.close(CloseReason.TIMEOUT, error.message, error.code)

    def _conclude(self, reason: str) -> None:
        self.stop_reason = reason
        reception = self._reception
        facts = EndingFacts(
            reception.dialect,
            reception.total,
            self._close,
            self._stream_close,
            self._status,
            reception.substance,
            reception.received,
        )
        concluded = conclude(facts)
        self.outcome = concluded.outcome
        self.error = concluded.problem(self._error, reason)

    def _closed(self, close: Close) -> None:
        """Remember how the last connection closed, and the last one that was a stream."""
        self._close = close
        if close.conn == self._stream_conn:
            self._stream_close = close

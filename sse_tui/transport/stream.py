"""The body of one open event stream: its reads, its limits and its faults, up to the close."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

import httpx

from sse_tui.bodies import Form
from sse_tui.errors import SseTuiError
from sse_tui.eventstream import Item
from sse_tui.faults import Forward, Injector, Step
from sse_tui.recording.records import FINISH_WAIT, CloseReason, Phase, Record
from sse_tui.transport.body_parser import BodyParser
from sse_tui.transport.http.body import BodyEnd, ResponseBody
from sse_tui.transport.http.message import header_text
from sse_tui.transport.http.tcp import Read
from sse_tui.transport.problems import timed_out, undecodable
from sse_tui.transport.reception import Reception
from sse_tui.transport.turn_state import TurnState
from sse_tui.transport.waiting import Woken

# How long to wait for the end of the body once the answer has ended. Some servers keep the connection open, and a
# conversation must go on; but where the end comes right behind the marker, the recording should show it.
LINGER_NS = 100_000_000


class Stream:
    """Read `records()` to the end; `reason` is then that of the close record, and `error` what went wrong, if anything.

    A limit that passed is a timeout in `error`; after the one named "total-timeout" there is no further attempt.
    Only with `stop_at_end` is the connection closed once the stream has said that it is over, or once the answer is
    finished and the end does not come within the time limit for that; otherwise it is read for as long as the server
    keeps it open.
    """

    def __init__(
        self,
        turn: TurnState,
        response: httpx.Response,
        reception: Reception,
        injector: Injector,
        max_event_bytes: int,
        stop_at_end: bool,
    ) -> None:
        headers = header_text(response.headers.raw)
        self._turn = turn
        self._body: ResponseBody = response.extensions["body"]
        self._parser = BodyParser(headers, max_event_bytes, reception.last_event_id)
        self._reception = reception
        reception.open(headers)
        self._injector = injector
        injector.open(turn.clock.now(), coded=self._parser.coded)
        self._headers_at: int = response.extensions["headers_at"]
        self._first = True
        self._quiet_since: int = response.extensions["sent"]  # the idle limit counts from here
        self._not_before = 0  # the end of the last stall
        self._stop_at_end = stop_at_end
        self._ended_at: int | None = None
        self._finished: tuple[int, int] | None = None  # news and time when the answer was found whole
        self.reason: CloseReason | None = None
        self.detail = ""
        self.code = ""
        self.error: SseTuiError | None = None

    async def records(self) -> AsyncGenerator[Record, None]:
        """Everything that happens on the open stream, its close last."""
        clock = self._turn.clock
        while not self.reason:
            if self._turn.stopped:
                self._finish(CloseReason.CLIENT, "stopped")
                break
            deadline, limit = self._next_limit()
            read: Read | None = None
            try:
                read = await self._turn.waiter.wait(self._body.read(), self._turn.until(deadline))
            except Woken:
                steps = self._injector.due(clock.now())
            except TimeoutError:
                steps = self._injector.due(clock.now())
                if limit != "fault":
                    self._time_out(limit)
            else:
                if read is None:
                    assert self._body.ending is not None
                    self._end(self._body.ending)
                    break
                if self._first:
                    yield self._first_byte(read)
                self._quiet_since = clock.now()
                if self._injector.idle:  # nearly always
                    # Recorded before it is parsed: whatever it expands to, the file shows it.
                    yield self._chunk(read, read.data)
                    await self._parse(read.data)
                    continue
                steps = self._injector.feed(read.data, self._quiet_since, self._parser.parse)
            while steps and not self.reason:
                step = steps.pop(0)
                if isinstance(step, Forward):
                    assert read is not None
                    yield self._chunk(read, step.data)
                    self._receive(step.items, step.error)
                    continue
                yield self._turn.fault(step)
                if step.closes:
                    self._finish(CloseReason.FAULT, step.did)
                    if step.fault.action == "reset":
                        self._body.reset()
                else:
                    steps = await self._stall(step.fault.duration_ms / 1000, steps)
        self._body.close()
        self._understand(self._parser.close())
        assert self.reason is not None
        yield self._turn.close(self.reason, self.detail, self.code, self._body.irregular)

    def _chunk(self, read: Read, data: bytes) -> Record:
        if read.t < self._not_before:
            # Bytes that a stall held back reach the client at its end: that is their time.
            read = Read(data, self._not_before, "fault")
        return self._turn.chunk(read, data)

    async def _parse(self, data: bytes) -> None:
        """Take in a read that reached the client as a whole, with a pause between its slices for everything else."""
        self._injector.pass_on(len(data))
        for number, (items, error) in enumerate(self._parser.slices(data)):
            if number:
                await asyncio.sleep(0)
            if self._turn.stopped:
                return
            self._injector.count(items)
            self._receive(items, error)

    def _receive(self, items: Sequence[Item], error: SseTuiError | None) -> None:
        self._understand(items)
        if error is not None:
            self._fail(error)
        if self._stop_at_end and self._ended_at is None and self._reception.ended:
            self._ended_at = self._turn.clock.now()
        dialect = self._reception.dialect
        if dialect.complete is not True or dialect.ended or not dialect.answers:
            self._finished = None
        elif self._finished is None or self._finished[0] != self._reception.substance.news:
            # What may follow, the counts or the end of another choice, restarts the wait; heartbeats do not.
            self._finished = self._reception.substance.news, self._turn.clock.now()

    def _understand(self, items: Sequence[Item]) -> None:
        progress = self._reception.progress
        self._reception.feed(items)
        if self._parser.form is Form.OBJECT:  # an answer that is no stream brings a client no further
            self._reception.progress = progress

    def _end(self, ending: BodyEnd) -> None:
        """The body is over. An end that is orderly in HTTP may still lie within compressed data."""
        self._finish(*ending)
        self._understand(self._parser.close())
        if ending.reason is not CloseReason.EOF or self._reception.ended:
            return
        if self._parser.damage:
            self._fail(undecodable(self._parser.damage))
        elif self._parser.unfinished:
            self._finish(
                CloseReason.INCOMPLETE, "the body ended within its compressed data", "content-coding"
            )

    def _fail(self, error: SseTuiError, reason: CloseReason = CloseReason.ERROR) -> None:
        self.error = error
        self._finish(reason, error.message, error.code)

    def _next_limit(self) -> tuple[int | None, str]:
        """When the first limit passes, and its name; None and "" where there is none."""
        timeouts = self._turn.timeouts
        quiet, name = (timeouts.first_byte, "first-byte") if self._first else (timeouts.idle, "idle")
        limits = (
            (None if quiet is None else self._quiet_since + int(quiet * 1e9), name),
            (self._turn.deadline, "total"),
            (None if self._ended_at is None else self._ended_at + LINGER_NS, "ended"),
            (self._finish_deadline, "finish"),
            (self._injector.next_deadline, "fault"),
        )
        return min(((at, limit) for at, limit in limits if at is not None), default=(None, ""))

    @property
    def _finish_deadline(self) -> int | None:
        wait = self._turn.timeouts.finish if self._stop_at_end else None
        return None if wait is None or self._finished is None else self._finished[1] + int(wait * 1e9)

    def _time_out(self, limit: str) -> None:
        if limit == "ended":
            self._finish(CloseReason.CLIENT, "the stream had ended")
            return
        timeouts = self._turn.timeouts
        if limit == "finish":
            detail = f"nothing followed the finished answer within {timeouts.finish:g} s"
            self._finish(CloseReason.CLIENT, detail, FINISH_WAIT)
            return
        seconds = {"first-byte": timeouts.first_byte, "idle": timeouts.idle, "total": timeouts.total}[limit]
        self._fail(timed_out(limit, seconds or 0), CloseReason.TIMEOUT)

    async def _stall(self, seconds: float, rest: list[Step]) -> list[Step]:
        """Read nothing for `seconds`. The steps to go on with: `rest`, behind those of faults armed meanwhile.

        The socket is not read either, so that its buffer fills and the server feels the backpressure.
        """
        end = self._turn.clock.now() + int(seconds * 1e9)
        while True:
            try:
                await self._turn.pause(seconds)
                break
            except Woken:
                if self._turn.stopped:
                    rest = []
                    break
                held = sum(len(step.data) for step in rest if isinstance(step, Forward))
                due = self._injector.due(self._turn.clock.now(), held)
                if due:
                    rest = due if due[-1].closes else [*due, *rest]
                    break
                seconds = (end - self._turn.clock.now()) / 1e9
            except TimeoutError:
                break  # the total time is over, as the caller's loop is about to see
        self._not_before = self._quiet_since = self._turn.clock.now()
        return rest

    def _finish(self, reason: CloseReason, detail: str, code: str = "") -> None:
        self.reason, self.detail, self.code = reason, detail, code

    def _first_byte(self, read: Read) -> Phase:
        self._first = False
        self._reception.received = True
        turn = self._turn
        t = max(read.t, self._headers_at)
        return Phase(t=t, turn=turn.number, conn=turn.conn, name="first_byte", dt=t - self._headers_at)

"""One attempt to open an event stream: the request, its redirects, its phases, and a response that is not a stream.

Each redirect is a request on a connection of its own and is recorded as such.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

import httpx

from sse_tui.bodies import is_json_answer, is_stream_type
from sse_tui.errors import ConnectError, HttpError, SseTuiError, UsageError
from sse_tui.faults import Fired, Injector
from sse_tui.fields import essence
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.records import Close, CloseReason, Phase, Record
from sse_tui.transport.http.body import ResponseBody
from sse_tui.transport.http.message import build, request_record, response_record
from sse_tui.transport.http.redirects import MAX_REDIRECTS, Redirect, follow, is_redirect, refusal_hint
from sse_tui.transport.http.tls import WireStream
from sse_tui.transport.problems import (
    broken_on_purpose,
    no_time_left,
    redirected_too_often,
    refused,
)
from sse_tui.transport.stream_request import StreamRequest
from sse_tui.transport.turn_state import TurnState
from sse_tui.transport.waiting import Woken

# How much of a response that is not an event stream is recorded, and how long it is waited for.
_REFUSAL_BYTES = 64 * 1024
_REFUSAL_NS = 2_000_000_000
# Codes of errors that would be the same at another attempt.
_FUTILE = {"tls-verify", "not-http", "unreadable-response"}


class Attempt:
    """`open` yields the records up to a usable response; `kind` then says how the attempt went.

    `kind`: "open" (`response` is an event stream), "stopped", or with the reason in `error`: "no-connection", "fatal"
    (it would fail the same way again, or the total time is over), "fault" (a fault closed it before a response),
    "status" or "wrong-type".

    `request` is the one that was sent last: after redirects no longer the one given.
    """

    def __init__(
        self, transport: httpx.AsyncBaseTransport, request: StreamRequest, turn: TurnState, injector: Injector
    ) -> None:
        self._transport = transport
        self.request = request
        self._turn = turn
        self._injector = injector
        self._phases: asyncio.Queue[Phase | None] = asyncio.Queue()
        self._stream: WireStream | None = None
        self._followed: list[Redirect] = []
        self._readable = False
        self.kind = ""
        self.error: SseTuiError | None = None
        self.response: httpx.Response | None = None

    async def open(self, last_event_id: str) -> AsyncGenerator[Record, None]:
        """Send the request and follow redirects; the response is in the attributes then."""
        requested = set[str]()
        while True:
            async with aclosing(self._send(last_event_id)) as records:
                async for record in records:
                    yield record
            if self.response is None:
                return
            body: ResponseBody = self.response.extensions["body"]
            if not is_redirect(self.response):
                async with aclosing(self._judge(self.response, body)) as records:
                    async for record in records:
                        yield record
                return
            body.close()
            requested.add(self.request.url)
            try:
                redirect = follow(self.request, self.response)
                if len(self._followed) == MAX_REDIRECTS:
                    url = redirect.request.url
                    raise redirected_too_often(url, MAX_REDIRECTS, loop=url in requested)
            except HttpError as error:
                yield self._fail("fatal", CloseReason.REFUSED, error)
                return
            yield self._turn.close(CloseReason.CLIENT, redirect.detail)
            self._followed.append(redirect)
            self.request = redirect.request

    async def close(self) -> None:
        """Close the connection with a FIN, and wait until that has been done."""
        if self.response is not None:
            body: ResponseBody = self.response.extensions["body"]
            body.close()
            await body.closed()

    async def _send(self, last_event_id: str) -> AsyncGenerator[Record, None]:
        """One request on one connection, up to the headers of its response."""
        turn, limits = self._turn, self._turn.timeouts
        self.response = self._stream = None
        try:
            request = build(self.request, last_event_id, turn.cookies)
        except UsageError as wrong:
            self.kind, self.error = "fatal", wrong
            return
        conn = turn.conn = turn.next_conn()
        request.extensions = {
            "phase": self._add_phase,
            "opened": self._opened,
            "timeout": {"connect": limits.connect, "read": limits.first_byte},
        }
        await request.aread()
        yield request_record(turn.clock.now(), turn.number, conn, request, self.request.dialect)
        sending = asyncio.ensure_future(self._transport.handle_async_request(request))
        # The request runs in a task of its own, so that phases are recorded as they end, a stop or a fault takes
        # effect at any moment, and the records stay in order. None comes when it is done.
        sending.add_done_callback(lambda _: self._phases.put_nowait(None))
        try:
            while not (turn.stopped and self._phases.empty()):
                try:
                    phase = await turn.waiter.wait(self._phases.get(), turn.until(turn.deadline))
                except Woken:
                    fired = self._injector.closing(turn.clock.now())
                    if fired is not None:
                        yield turn.fault(self._break(fired))
                        broken = broken_on_purpose(request.url, str(fired.fault))
                        yield self._fail("fault", CloseReason.FAULT, broken)
                        return
                except TimeoutError:
                    yield self._fail("fatal", CloseReason.TIMEOUT, no_time_left(request.url, limits.total))
                    return
                else:
                    if phase is None:
                        break
                    yield phase
            if not sending.done():
                self.kind = "stopped"
                yield turn.close(CloseReason.CLIENT, "stopped")
                return
            try:
                self.response = sending.result()
            except (SseTuiError, httpx.HTTPError, httpx.InvalidURL) as error:
                yield self._failed(error)
                return
            turn.cookies.keep(self.response)
            self._readable = await self._is_readable(self.response)
            headers_at = self.response.extensions["headers_at"]
            yield response_record(headers_at, turn.number, conn, self.response, self._readable)
        finally:
            if self.response is None:
                # Leave no task and no connection behind. The cancellation can come too late: a response that has
                # arrived meanwhile still holds its connection.
                sending.cancel()
                for result in await asyncio.gather(sending, return_exceptions=True):
                    if isinstance(result, httpx.Response):
                        await result.aclose()

    async def _is_readable(self, response: httpx.Response) -> bool:
        """Whether a response with status 200 is read as a stream. Of JSON the first bytes decide, if they come soon."""
        content_type = response.headers.get("content-type")
        if self.request.any_type or is_stream_type(content_type):
            return True
        if response.status_code != 200 or essence(content_type) != "application/json":
            return False
        body: ResponseBody = response.extensions["body"]
        deadline = self._turn.clock.now() + _REFUSAL_NS
        while not self._turn.stopped:
            try:
                first = await self._turn.waiter.wait(body.peek(), self._turn.until(deadline))
            except Woken:
                continue
            except TimeoutError:
                break
            return first is not None and is_json_answer(first.data)
        return False

    async def _judge(self, response: httpx.Response, body: ResponseBody) -> AsyncGenerator[Record, None]:
        """Open if it is an event stream; otherwise record the beginning of its body, within limits of size and time."""
        content_type = response.headers.get("content-type", "")
        if response.status_code == 200 and self._readable:
            self.kind = "open"
            return
        turn = self._turn
        deadline = turn.clock.now() + _REFUSAL_NS
        seen = b""
        while len(seen) < _REFUSAL_BYTES and not turn.stopped:
            try:
                read = await turn.waiter.wait(body.read(), turn.until(deadline))
            except Woken:
                continue
            except TimeoutError:
                break
            if read is None:
                break
            data = read.data[: _REFUSAL_BYTES - len(seen)]
            seen += data
            yield turn.chunk(read, data)
        body.close()
        decoder = ContentDecoder(response.headers.multi_items())
        error = refused(
            response.status_code,
            response.reason_phrase,
            content_type,
            decoder.decode(seen) or seen,
            response.headers.get("location"),
            response.headers.get("retry-after"),
        )
        error.hint = refusal_hint(self._followed, response.status_code) or error.hint
        kind = "wrong-type" if response.status_code == 200 else "status"
        yield self._fail(kind, CloseReason.REFUSED, error)

    def _break(self, fired: Fired) -> Fired:
        """Prepare the end of a connection without a response; cancelling the request closes it."""
        if self._stream is None:
            return replace(fired, did="gave up the attempt before there was a connection")
        if fired.fault.action == "reset":
            self._stream.abort_on_close()
        return fired

    def _opened(self, stream: WireStream) -> None:
        self._stream = stream

    def _failed(self, error: Exception) -> Close:
        if not isinstance(error, SseTuiError):
            why = str(error).rstrip(".")
            error = ConnectError("protocol", f"The exchange with the server failed: {why}.")
        futile = error.code in _FUTILE or isinstance(error, UsageError)
        reset = isinstance(error.__cause__, ConnectionResetError)
        late = CloseReason.TIMEOUT if error.code.endswith("-timeout") else CloseReason.ERROR
        kind = "fatal" if futile else "no-connection"
        return self._fail(kind, CloseReason.RESET if reset else late, error)

    def _fail(self, kind: str, reason: CloseReason, error: SseTuiError) -> Close:
        self.kind, self.error = kind, error
        return self._turn.close(reason, error.message, error.code)

    def _add_phase(self, name: str, t: int, dt: int) -> None:
        self._phases.put_nowait(Phase(t=t, turn=self._turn.number, conn=self._turn.conn, name=name, dt=dt))

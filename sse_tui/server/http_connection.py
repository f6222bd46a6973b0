"""One connection of a client: HTTP/1.1 for uvicorn, in bounded memory and time whatever the client sends.

uvicorn's own protocol reads heads, trailers and pipelined requests without a bound, waits for ever for the rest of a
request, and answers HTTP/1.0 in chunks; so this one takes its place. See `RequestReader` for the bounds of a request,
`Admission` for those of all connections.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from starlette.types import Scope
from uvicorn import Config
from uvicorn.protocols.utils import get_local_addr, get_remote_addr
from uvicorn.server import ServerState

from sse_tui.server.admission import Admission, Waiting
from sse_tui.server.api_errors import ApiError, unavailable
from sse_tui.server.auth import KNOWN
from sse_tui.server.http_exchange import HttpExchange, asgi_request, raw_response
from sse_tui.server.request_reader import HEAD_BYTES, RequestHead, RequestReader

_UNSENT_BYTES = 16 * 2**10
"""How much a peer may leave unread before the application waits for it."""

_DROPPED_BYTES = 16 * 2**20
"""How much of a refused request is read and dropped, so that its sender gets to reading the answer."""

_DROPPED_BYTES_OF_STRANGERS = 256 * 2**10
"""The same for a request that failed by its head alone, or by its token."""

_DROP_PAUSE_S = 0.002
"""The pause after each read of what is dropped."""

_PARSED_AT_ONCE = 64 * 2**10
"""How much is parsed before others have their turn."""

_accesses = logging.getLogger("uvicorn.access")


class HttpConnection(asyncio.Protocol):
    """A connection that uvicorn made; uvicorn calls `shutdown` too, and waits for the tasks."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        admission: Admission,
    ) -> None:
        self._app: Any = config.loaded_app
        self._log_accesses = config.access_log and not _accesses.disabled
        self._state = server_state
        self._app_state = app_state
        self._loop = _loop or asyncio.get_running_loop()
        self._admission = admission
        self._reader = RequestReader()
        self._exchange: HttpExchange | None = None
        self._scope: Scope = {}
        self._transport: asyncio.Transport
        self._common: dict[str, Any] = {}
        # What came and is not parsed yet: the body that nobody asked for, and pipelined requests.
        self._unparsed = b""
        self._waiting = Waiting.HEAD
        self._paused = False
        self._closing = False
        self._last = False
        self._dropped = 0
        self.full: asyncio.Future[None] | None = None

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        transport.set_write_buffer_limits(_UNSENT_BYTES)
        self._common = {
            "server": get_local_addr(transport),
            "client": get_remote_addr(transport),
            "scheme": "http",
        }
        self._state.connections.add(self)  # type: ignore[arg-type]
        if not self._admission.admit(self):
            self._refuse(unavailable("too_many_connections", "The limit of open connections is reached."))

    def connection_lost(self, exc: Exception | None) -> None:
        self._closing = True
        self._admission.leave(self)
        self._state.connections.discard(self)
        self._reader.close()
        if self._exchange is not None:
            self._exchange.disconnect()
        self.resume_writing()

    def data_received(self, data: bytes) -> None:
        if self._closing:
            self._dropped += len(data)
            known = self._scope.get(KNOWN, False)
            if self._dropped > (_DROPPED_BYTES if known else _DROPPED_BYTES_OF_STRANGERS):
                self._transport.abort()
            elif not self._transport.is_closing():
                # Who floods must not take the time of others.
                self._transport.pause_reading()
                self._loop.call_later(_DROP_PAUSE_S, self._drop_more)
            return
        self._unparsed = self._unparsed + data if self._unparsed else data
        self._parse()

    def pause_writing(self) -> None:
        self.full = self._loop.create_future()
        if self._waiting is Waiting.ANSWER:
            self._enter(Waiting.ANSWER)

    def resume_writing(self) -> None:
        if self.full is not None:
            if not self.full.done():
                self.full.set_result(None)
            self.full = None
            if self._waiting is Waiting.FLUSH and not self._closing:
                self._enter(Waiting.ANSWER)

    # uvicorn

    def shutdown(self) -> None:
        """Close, after the answer that is being written."""
        self._last = True
        if self._waiting is Waiting.BODY:
            self._answer(unavailable("shutting_down", "The server is shutting down.", 5))
        if self._waiting is not Waiting.ANSWER:
            self._close()

    # Admission

    def expire(self, waiting: Waiting) -> None:
        """The peer was too slow."""
        if waiting is Waiting.BODY:
            self._refuse(ApiError(408, "request_timeout", "The request's body did not come in time."))
        elif waiting is Waiting.HEAD and self._reader.begun:
            self._refuse(ApiError(408, "request_timeout", "The request's head did not come in time."))
        elif waiting in (Waiting.REFUSED, Waiting.FLUSH):
            self.abort()
        else:
            self._close()

    def make_room(self, waiting: Waiting) -> None:
        """Another connection needs this one's place."""
        if waiting in (Waiting.REFUSED, Waiting.FLUSH):
            self.abort()
            return
        if self._reader.begun:
            self._answer(
                unavailable("too_many_connections", "The connection was needed for another request.")
            )
        # At once, without a wait for the peer to read it.
        self._closing = True
        self._transport.close()

    # Link

    def write(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)

    def on_body_wanted(self) -> None:
        self._parse()

    def on_response_start(self, status: int) -> bool:
        reader = self._reader
        if not reader.complete and reader.left is not None and len(self._unparsed) >= reader.left:
            # Nobody asked for the body, but it is here, and after it the connection can be used again.
            self._parse_unparsed(body_wanted=True)
        self._admission.uploaded(self)
        self._enter(Waiting.ANSWER)
        if self._log_accesses:
            self._log(status)
        return reader.complete and not self._last

    def on_response_end(self, keep_alive: bool) -> None:
        self._state.total_requests += 1
        if self._closing:
            return
        if not self._reader.complete:
            self._drop()
        elif not keep_alive or self._last:
            self._close()
        else:
            self._exchange, self._scope = None, {}
            self._reader.next()
            self._enter(Waiting.REQUEST)
            # Not from here: the requests of a peer that pipelines would become one call stack.
            self._loop.call_soon(self._parse)

    def abort(self) -> None:
        self._closing = True
        self._transport.abort()

    # Reading

    def _parse(self) -> None:
        """Parse what is wanted now, and read on if more is."""
        if self._closing:
            return
        try:
            self._parse_unparsed()
        except ApiError as error:
            self._refuse(error)
        else:
            self._read_on()

    def _parse_unparsed(self, body_wanted: bool = False) -> None:
        reader, data, start = self._reader, self._unparsed, 0
        while start < len(data) and not self._closing:
            exchange = self._exchange
            if exchange is not None and (reader.complete or not (exchange.wants_body or body_wanted)):
                break
            if start >= _PARSED_AT_ONCE:
                self._loop.call_soon(self._parse)
                break
            if self._waiting is Waiting.REQUEST:
                self._enter(Waiting.HEAD)
            start += reader.take(data, start)
            if exchange is not None:
                self._hand_over(exchange)
            elif reader.head is not None:
                self._begin(reader.head)
        self._unparsed = data[start:]
        exchange = self._exchange
        if exchange is not None and not exchange.started:
            self._enter(Waiting.BODY if exchange.wants_body else Waiting.ANSWER)

    def _begin(self, head: RequestHead) -> None:
        """Let the application answer; it has the body when it asks for it."""
        head, self._scope = asgi_request(head, self._common | {"state": self._app_state.copy()})
        self._exchange = exchange = HttpExchange(head, self, self._state.default_headers)
        if self._reader.complete:
            exchange.feed(b"", whole=True)
        task = self._loop.create_task(exchange.run(self._app, self._scope))
        self._state.tasks.add(task)
        task.add_done_callback(self._state.tasks.discard)

    def _hand_over(self, exchange: HttpExchange) -> None:
        body = b"".join(self._reader.body)
        self._reader.body.clear()
        exchange.feed(body, self._reader.complete)
        if exchange.started:
            return
        if self._reader.complete:
            self._admission.uploaded(self)
        else:
            self._admission.upload(self, len(body))

    def _read_on(self) -> None:
        """Read from the socket or not: only what is wanted next, and enough of a next request to notice the end."""
        if self._closing:
            return
        exchange = self._exchange
        if exchange is None:
            wanted = not self._unparsed
        elif self._reader.complete:
            wanted = len(self._unparsed) < HEAD_BYTES
        else:
            wanted = exchange.wants_body and not self._unparsed
        if wanted and self._paused:
            self._transport.resume_reading()
        elif not wanted and not self._paused:
            self._transport.pause_reading()
        self._paused = not wanted

    # Ending

    def _refuse(self, error: ApiError) -> None:
        """Answer with `error`, whatever else the peer sends."""
        if self._exchange is not None and self._exchange.started:
            self.abort()
            return
        self._answer(error)
        self._drop()

    def _answer(self, error: ApiError) -> None:
        if self._exchange is not None:
            self._exchange.disconnect()
        self.write(raw_response(error, self._state.default_headers))
        if self._log_accesses:
            self._log(error.status)

    def _drop(self) -> None:
        """Close when the peer has read the answer: what came after it unread would take it away (RFC 9112, 9.6)."""
        self._closing = True
        self._unparsed = b""
        self._enter(Waiting.REFUSED)
        self._transport.write_eof()
        if self._paused:
            self._transport.resume_reading()

    def _drop_more(self) -> None:
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def _close(self) -> None:
        self._closing = True
        self._enter(Waiting.FLUSH)
        self._transport.close()

    def _enter(self, waiting: Waiting) -> None:
        if waiting is Waiting.ANSWER and self.full is not None:
            waiting = Waiting.FLUSH
        self._waiting = waiting
        self._admission.enter(self, waiting)

    def _log(self, status: int) -> None:
        head, client = self._reader.head, self._common["client"]
        line = (
            "-"
            if head is None
            else f"{head.method} {head.target.decode('ascii', 'backslashreplace')} HTTP/{head.version}"
        )
        _accesses.info('%s - "%s" %d', ":".join(map(str, client or ())), line, status)

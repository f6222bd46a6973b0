"""Cuts what a connection receives into requests, and bounds what a peer can make it hold while it does.

llhttp parses (httptools); it keeps whatever a peer sends of a field, and it does not say where in its input a message
ended. So it is fed in pieces that end where a message can end: after the declared length of a body, and after each
CRLF CRLF, which ends every head and every chunked body with its trailers. A message's end is then always a piece's
end, and a pipelined request stays unread until it is its turn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import httptools

from sse_tui.server.api_errors import ApiError

HEAD_BYTES = 16 * 2**10
"""The most bytes of a request line with its fields, of a chunked body's trailers, and between two of its chunks."""

HEAD_FIELDS = 100
"""The most fields of a request, trailers included."""

_END = b"\r\n\r\n"


class RequestHead(NamedTuple):
    """A request without its body. `keep_alive` is whether another request may follow on the connection."""

    method: str
    target: bytes
    version: str
    fields: list[tuple[bytes, bytes]]
    keep_alive: bool
    expects_continue: bool

    def field(self, name: bytes) -> bytes | None:
        """The value of the first field of that name, which is in lower case."""
        return next((value for given, value in self.fields if given == name), None)


class RequestReader:
    """One connection's requests, one after another.

    `head` is there once it is complete, `body` holds the pieces that `take` added and its user removes, `complete` is
    whether the request is wholly read. Then `next` makes it ready for another one.
    """

    def __init__(self) -> None:
        self._parser: Any = httptools.HttpRequestParser(self)
        self.body: list[bytes] = []
        self.next()

    def next(self) -> None:
        """Forget the request that was read."""
        self.head: RequestHead | None = None
        self.complete = False
        self.body.clear()
        self._target = b""
        self._fields: list[tuple[bytes, bytes]] = []
        self._field_count = 0
        self._overhead = 0
        self._left: int | None = None
        self._chunked = False
        self._upgrade = False
        self._tail = b""

    @property
    def begun(self) -> bool:
        """Whether any byte of the request has come."""
        return self._overhead > 0 or self.head is not None

    @property
    def left(self) -> int | None:
        """How much of the body is missing; None where its end shows otherwise."""
        return self._left

    def take(self, data: bytes, start: int) -> int:
        """Parse a piece of the request from `start` of `data`, and return its length.

        Raises `ApiError` for what is no request or exceeds a bound; nothing more can be read then.
        """
        length = self._piece(data, start)
        if self._upgrade:
            self._take_unparsed(data[start : start + length])
            return length
        in_head, held = self.head is None, len(self.body)
        try:
            self._parser.feed_data(memoryview(data)[start : start + length])
        except httptools.HttpParserUpgrade:
            # No upgrade is made, which a server may always do (RFC 9110, section 7.8), but the parser takes what
            # follows for the other protocol, the body too.
            self._upgrade = True
        except httptools.HttpParserError as error:
            raise ApiError(400, "bad_request", f"This is not an HTTP/1.1 request: {error}.") from None
        if in_head or self._left is None:
            self._overhead = 0 if len(self.body) > held else self._overhead + length
            self._check_bounds()
            if in_head and self.head is not None:
                self._overhead = 0
        return length

    def _take_unparsed(self, body: bytes) -> None:
        if self._left is None:
            raise ApiError(400, "bad_request", "A chunked body cannot follow an Upgrade field.")
        self.body.append(body)
        self._left -= len(body)
        self.complete = not self._left

    def close(self) -> None:
        """Nothing more is read: the parser and this object refer to each other."""
        self._parser = None

    def _piece(self, data: bytes, start: int) -> int:
        """How much of `data` the parser gets."""
        if self._left is not None:
            return min(self._left, len(data) - start)
        if self._tail:
            # The end may come in two reads.
            joined = self._tail + data[start : start + len(_END) - 1]
            found = joined.find(_END)
            if found >= 0:
                length = found + len(_END) - len(self._tail)
                self._tail = b""
                return length
        # One byte more than may come, so that it is noticed.
        stop = min(len(data), start + HEAD_BYTES - self._overhead + 1)
        found = data.find(_END, start, stop)
        end = stop if found < 0 else found + len(_END)
        self._tail = b"" if found >= 0 else (self._tail + data[start:end])[-(len(_END) - 1) :]
        return end - start

    def _check_bounds(self) -> None:
        if self._overhead > HEAD_BYTES:
            if self.head is not None:
                raise _too_large(431, "trailers_too_large", "The trailers are")
            if len(self._target) > HEAD_BYTES // 2:
                raise _too_large(414, "url_too_long", "The request line and the header fields are")
            raise _too_large(431, "head_too_large", "The request line and the header fields are")
        if self._field_count > HEAD_FIELDS:
            raise ApiError(431, "too_many_fields", f"The request has more than {HEAD_FIELDS} header fields.")

    # What the parser calls.

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._field_count += 1
        # Trailers are counted, and mean nothing here.
        if self.head is None and self._field_count <= HEAD_FIELDS:
            self._fields.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        version = self._parser.get_http_version()
        head = RequestHead(
            method=self._parser.get_method().decode("ascii"),
            target=self._target,
            version=version,
            fields=self._fields,
            keep_alive=version == "1.1"
            and self._parser.should_keep_alive()
            and not self._parser.should_upgrade(),
            expects_continue=version == "1.1" and _expects_continue(self._fields),
        )
        length = head.field(b"content-length")
        self._left = None if length is None else int(length)
        self._chunked = head.field(b"transfer-encoding") is not None
        self.head = head

    def on_body(self, body: bytes) -> None:
        self.body.append(body)
        if self._left is not None:
            self._left -= len(body)

    def on_message_complete(self) -> None:
        # Of a request to upgrade the parser has skipped the body.
        self.complete = not (self._parser.should_upgrade() and (self._left or self._chunked))


def _expects_continue(fields: list[tuple[bytes, bytes]]) -> bool:
    return any(name == b"expect" and value.lower() == b"100-continue" for name, value in fields)


def _too_large(status: int, code: str, what: str) -> ApiError:
    return ApiError(status, code, f"{what} larger than {HEAD_BYTES:,} bytes.")

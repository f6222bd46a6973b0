"""The records of a session: what happened on the wire, in order, and nothing that can be derived from it.

A recording is UTF-8 JSON lines: one `Header`, then records, all of which have `t`, nanoseconds since the session
started on one monotonic clock; `k`, the kind; `turn`, the number of the user's request (from 1); and `conn`, the
number of the connection that served it (from 1, over the whole session). 0 means "none".
"""

from __future__ import annotations

import base64
from enum import StrEnum
from typing import Annotated, TypeAlias

import msgspec

FORMAT = "sse-recording"
VERSION = 1

Headers: TypeAlias = list[tuple[str, str]]
# What a column of the index can hold. Checked when a record is read: a file may contain anything.
Nanoseconds: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Duration: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]


class CloseReason(StrEnum):
    """Why a connection ended, as written in a close record. A file may contain other words; see `Close.cause`."""

    EOF = "eof"  # an orderly end of the body
    INCOMPLETE = "incomplete"  # the body ended before the HTTP framing or the content coding did
    RESET = "reset"
    TIMEOUT = "timeout"
    CLIENT = "client"  # we closed it: stopped, redirected, or the stream had ended
    FAULT = "fault"  # an injected one
    REFUSED = "refused"  # not an event stream, or a status other than 200
    ERROR = "error"  # anything else: no connection, TLS, protocol


FINISH_WAIT = "finish-wait"
"""The code of a close by the client after an answer was finished and nothing followed its finish reason."""


class Irregularity(StrEnum):
    """What clients are lenient about in HTTP/1.1, as written in response and close records."""

    LF_IN_HEAD = "lf-in-head"
    STATUS_LINE = "status-line"
    OBS_FOLD = "obs-fold"
    SPACE_BEFORE_COLON = "space-before-colon"
    HEADER_NAME = "header-name"
    CONTROL_CHARACTER = "control-character"
    LENGTH_AND_CHUNKED = "length-and-chunked"
    REPEATED_LENGTH = "repeated-length"
    TRANSFER_CODINGS = "transfer-codings"
    LF_IN_CHUNKED = "lf-in-chunked"
    SPACE_AFTER_SIZE = "space-after-size"


class Header(msgspec.Struct, kw_only=True, omit_defaults=False):
    """First line of a recording.

    `clock` is the source of chunk times: "kernel" (the kernel's receive time), "read" (the monotonic clock right after
    the read), "imported" (times from the tool that captured the stream), "none" (imported bytes without times: every
    `t` is 0 and has no meaning).
    `redacted` lists the names of headers and query parameters whose values are never written.
    """

    format: str = FORMAT
    version: int = VERSION
    tool: str = ""
    created: str = ""
    clock: str = "read"
    redacted: list[str] = msgspec.field(default_factory=list)


class _Record(msgspec.Struct, kw_only=True, omit_defaults=True, tag_field="k", frozen=True):
    t: Nanoseconds
    turn: Number = 0
    conn: Number = 0

    @property
    def kind(self) -> str:
        """The record's kind, the value of `k` in its line."""
        return str(self.__struct_config__.tag)


class Request(_Record, kw_only=True, omit_defaults=True, tag="request", frozen=True):
    """A connection attempt starts. `body` is text; `body_b64` is used instead if it is not valid UTF-8."""

    method: str
    url: str
    headers: Headers
    body: str | None = None
    body_b64: str | None = None
    dialect: str | None = None

    @property
    def data(self) -> bytes:
        """The body as it was sent, b"" for none."""
        return base64.b64decode(self.body_b64) if self.body_b64 is not None else (self.body or "").encode()


class Phase(_Record, kw_only=True, omit_defaults=True, tag="phase", frozen=True):
    """A phase of the connection ended at `t` after `dt` nanoseconds.

    `name`: dns, tcp, tls, sent (first to last byte of the request), headers, first_byte (of the body).
    """

    name: str
    dt: int


class Response(_Record, kw_only=True, omit_defaults=True, tag="response", frozen=True):
    """Status line and headers have arrived.

    `refused` says whether the client refused the body as no event stream, where status and media type alone do not:
    a status other than 200 always means it, the type only for who did not ask for any type. None: not recorded.
    `irregular` are kinds of `Irregularity`; a file may contain others.
    """

    status: int
    http_version: str
    headers: Headers
    refused: bool | None = None
    irregular: list[str] = []

    @property
    def is_refusal(self) -> bool:
        """Whether the body is the text of an error, in which nothing is an event."""
        return self.status != 200 if self.refused is None else self.refused


class Chunk(_Record, kw_only=True, omit_defaults=True, tag="chunk", frozen=True):
    """One read of the body, transfer coding removed, content coding kept.

    `text`, or `b64` if it is not valid UTF-8. `clock` is set if it differs from the header's. `waited` is set where the
    capturing process did not come to read: for up to so many nanoseconds bytes of it waited in the socket. Its time is
    that of the last of them; when those before it came is not known.
    """

    text: str | None = None
    b64: str | None = None
    clock: str | None = None
    waited: Duration = 0

    def holding(self, data: bytes) -> Chunk:
        """The same read with other bytes."""
        return chunk(self.t, data, turn=self.turn, conn=self.conn, clock=self.clock, waited=self.waited)

    @property
    def data(self) -> bytes:
        """The bytes as they were read."""
        return base64.b64decode(self.b64) if self.b64 is not None else (self.text or "").encode()

    @property
    def size(self) -> int:
        """How many bytes were read, without decoding them."""
        if self.b64 is not None:
            return len(self.b64) // 4 * 3 - self.b64[-2:].count("=")
        text = self.text or ""
        return len(text) if text.isascii() else len(text.encode())


class Fault(_Record, kw_only=True, omit_defaults=True, tag="fault", frozen=True):
    """A fault fired: `plan` requested it, `at` says where it fired, `did` what was actually done."""

    plan: str
    at: str
    did: str


class Close(_Record, kw_only=True, omit_defaults=True, tag="close", frozen=True):
    """The connection ended.

    `reason` is a `CloseReason` (a file may contain any text), `detail` more for people. `code` is the code of the error
    that ended it, as in `errors`: "idle-timeout", "content-coding", "dns"; "" if the reason says it all. `irregular`
    is that of the body's framing, as in `Response`.
    """

    reason: str
    detail: str = ""
    code: str = ""
    irregular: list[str] = []

    @property
    def words(self) -> str:
        """Reason and detail: "reset: the server reset the connection"."""
        return f"{self.reason}: {self.detail}" if self.detail else self.reason

    @property
    def cause(self) -> CloseReason:
        """The reason as a type; an unknown word counts as an error."""
        return _CAUSES.get(self.reason, CloseReason.ERROR)


_CAUSES = {str(reason): reason for reason in CloseReason}


class Reconnect(_Record, kw_only=True, omit_defaults=True, tag="reconnect", frozen=True):
    """Another attempt follows after `delay_ms`, with `last_event_id` ("" for none).

    `url` is where the stream was found after redirects and will be asked for; "" for the URL of the turn.
    """

    delay_ms: float
    last_event_id: str
    policy: str
    attempt: int = 1
    url: str = ""


class Note(_Record, kw_only=True, omit_defaults=True, tag="note", frozen=True):
    """A bookmark set by the user, or what no other record says: that the reconnects of a request are used up."""

    text: str


class End(_Record, kw_only=True, omit_defaults=True, tag="end", frozen=True):
    """The session ended."""

    reason: str


Record: TypeAlias = Request | Phase | Response | Chunk | Fault | Close | Reconnect | Note | End


def chunk(t: int, data: bytes, *, turn: int, conn: int, clock: str | None = None, waited: int = 0) -> Chunk:
    """The record for one read: as text if these bytes alone are valid UTF-8, else as base64."""
    try:
        return Chunk(t=t, turn=turn, conn=conn, text=data.decode("utf-8"), clock=clock, waited=waited)
    except UnicodeDecodeError:
        b64 = base64.b64encode(data).decode("ascii")
        return Chunk(t=t, turn=turn, conn=conn, b64=b64, clock=clock, waited=waited)

"""HTTP/2's ways to break off, in words."""

from __future__ import annotations

import re

import h2.events
import h2.exceptions

from sse_tui.recording.records import CloseReason
from sse_tui.text.safety import log_line
from sse_tui.transport.http.body import BodyEnd

# RFC 9113, section 7.
_CODES = {
    0: "NO_ERROR: no error",
    1: "PROTOCOL_ERROR: the server found an error in what we sent",
    2: "INTERNAL_ERROR: an internal error of the server",
    3: "FLOW_CONTROL_ERROR: more data than the flow control allowed",
    4: "SETTINGS_TIMEOUT: settings were not acknowledged in time",
    5: "STREAM_CLOSED: a frame for a stream that was already closed",
    6: "FRAME_SIZE_ERROR: a frame of an invalid size",
    7: "REFUSED_STREAM: the request was not processed and can be sent again",
    8: "CANCEL: the stream is no longer needed",
    9: "COMPRESSION_ERROR: the state of the header compression was lost",
    10: "CONNECT_ERROR: the connection behind a CONNECT request failed",
    11: "ENHANCE_YOUR_CALM: the server found our traffic excessive",
    12: "INADEQUATE_SECURITY: the transport is not secure enough",
    13: "HTTP_1_1_REQUIRED: the server wants HTTP/1.1 for this request",
}
_UNEXPECTED = re.compile(r"Invalid input \w+\.(?:RECV_)?(\w+) in state .*")


def http2_ending(error: Exception, *, retired: bool) -> BodyEnd:
    """How a body ended with this exception of httpcore's or h2's.

    `retired`: the server had announced the end of the connection.
    """
    cause = error.args[0] if error.args else None
    if isinstance(cause, h2.events.StreamReset):
        return BodyEnd(
            CloseReason.RESET, f"the server reset the stream (RST_STREAM, {_code(cause.error_code)})"
        )
    if isinstance(cause, h2.events.ConnectionTerminated):
        debug = log_line.line((cause.additional_data or b"")[:200].decode("utf-8", "replace"))
        said = f': "{debug}"' if debug else ""
        why = f"the server ended the connection (GOAWAY, {_code(cause.error_code)}{said})"
        return BodyEnd(CloseReason.RESET, why)
    broken = cause if isinstance(cause, h2.exceptions.H2Error) else error
    match broken:
        case h2.exceptions.InvalidBodyLengthError(expected_length=expected, actual_length=actual):
            reason = CloseReason.INCOMPLETE if actual < expected else CloseReason.ERROR
            return BodyEnd(reason, f"the body has {actual} bytes, but Content-Length announced {expected}")
        case h2.exceptions.NoSuchStreamError(stream_id=stream):  # StreamClosedError too
            why = f"a frame for stream {stream}, which is not open"
            return BodyEnd(CloseReason.ERROR, f"the server broke HTTP/2: {why}")
        case h2.exceptions.H2Error():
            # Some messages end with the repr of a buffer, others name a state machine's input.
            why = str(broken).partition(" from <memory")[0].rstrip(".")
            why = _UNEXPECTED.sub(r"a \1 frame where none may come", why)
            return BodyEnd(CloseReason.ERROR, f"the server broke HTTP/2: {why}")
        case ValueError():
            return BodyEnd(CloseReason.ERROR, "the server broke HTTP/2: the :status field is not a number")
    if "Server disconnected" in str(error):
        after = " after a GOAWAY" if retired else ""
        return BodyEnd(CloseReason.INCOMPLETE, f"the connection ended{after} without the end of the stream")
    return BodyEnd(CloseReason.ERROR, str(error) or type(error).__name__)


def _code(code: int | None) -> str:
    return _CODES.get(code or 0, f"unknown error {code}")

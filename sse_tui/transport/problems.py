"""What can go wrong between here and the first event, each as one clear error."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Mapping

import httpx

from sse_tui.errors import ConnectError, HttpError, StreamError
from sse_tui.text.safety import log_line

_SHOWN = 200


def show(data: bytes) -> str:
    """The first bytes of something unexpected, safe to print: one line, control characters escaped."""
    shown = log_line.line(data[:_SHOWN].decode("utf-8", "replace"))
    return shown + ("…" if len(data) > _SHOWN else "")


def place(url: httpx.URL) -> str:
    """host:port of a URL."""
    port = url.port or {"http": 80, "https": 443}.get(url.scheme, 0)
    return at(url.host, port)


def at(host: str, port: int) -> str:
    """host:port, an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def not_resolved(host: str, error: socket.gaierror | UnicodeError) -> ConnectError:
    why = error.strerror if isinstance(error, socket.gaierror) else "it is no valid name"
    return ConnectError(
        "dns",
        f"The host name {host} could not be resolved ({why}).",
        "Check the URL and the network.",
    )


def connect_failed(host: str, port: int, error: OSError) -> ConnectError:
    where = at(host, port)
    if isinstance(error, ConnectionRefusedError):
        return ConnectError(
            "connect-refused",
            f"Nothing listens on {where} (connection refused).",
            "Check the address, and that the server runs.",
        )
    return ConnectError("connect", f"Could not connect to {where} ({error.strerror or error}).")


def connect_timed_out(host: str, port: int, step: str, limit: float | None) -> ConnectError:
    return ConnectError(
        "connect-timeout",
        f"No connection to {at(host, port)} within {limit:g} s (while {step}).",
        "The connect timeout can be raised.",
    )


def tls_failed(host: str, error: Exception) -> ConnectError:
    if isinstance(error, ssl.SSLCertVerificationError):
        return ConnectError(
            "tls-verify",
            f"The certificate of {host} is not trusted ({error.verify_message}).",
            "Name the authority's certificate, or turn verification off if you know the server.",
        )
    reason = getattr(error, "reason", None) or str(error) or type(error).__name__
    return ConnectError("tls", f"TLS with {host} failed ({reason}).", "Check that the port speaks TLS.")


def first_byte_timed_out(url: httpx.URL, limit: float | None) -> ConnectError:
    return ConnectError(
        "first-byte-timeout",
        f"{place(url)} did not answer within {limit:g} s of the request.",
        "The first-byte timeout can be raised.",
    )


def no_time_left(url: httpx.URL, limit: float | None) -> ConnectError:
    return ConnectError(
        "total-timeout",
        f"{place(url)} did not answer before the total time of {limit:g} s was over.",
        "The total timeout can be raised.",
    )


def broken_on_purpose(url: httpx.URL, fault: str) -> ConnectError:
    return ConnectError(
        "fault", f"The connection to {place(url)} was broken off by {fault} before an answer came."
    )


def lost_before_headers(url: httpx.URL, detail: str, beginning: bytes) -> ConnectError:
    came = f' after "{show(beginning)}"' if beginning else ""
    return ConnectError("no-response", f"{place(url)} gave no response: {detail}{came}.")


def not_http(url: httpx.URL, detail: str, beginning: bytes) -> ConnectError:
    return ConnectError(
        "not-http",
        f'{place(url)} did not answer in HTTP ({detail}); it sent "{show(beginning)}".',
        "Check the port and the scheme (http or https).",
    )


def timed_out(name: str, limit: float) -> StreamError:
    what = {
        "first-byte": f"Not one byte of the body came within {limit:g} s of the request.",
        "idle": f"Nothing came for {limit:g} s.",
        "total": f"The stream was not done after {limit:g} s.",
    }[name]
    return StreamError(f"{name}-timeout", what, f"The {name} timeout can be raised.")


def undecodable(damage: str) -> StreamError:
    return StreamError(
        "content-coding",
        f"The body cannot be read: {damage}.",
        "An event stream is best sent without a Content-Encoding.",
    )


def essence(content_type: str) -> str:
    """A media type without its parameters, in lower case."""
    return content_type.split(";", 1)[0].strip().lower()


def misdirected(url: httpx.URL) -> HttpError:
    return HttpError("redirect", f"The server redirects to {url}, which is not an http or https URL.")


def redirected_too_often(url: httpx.URL, limit: int) -> HttpError:
    return HttpError("redirects", f"More than {limit} redirects; the last was to {url}.", "Check the URL.")


def message_in(body: bytes) -> str | None:
    """The error message in a JSON body of the usual shapes; None if there is none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, Mapping):
        return None
    error = value.get("error", value)
    if isinstance(error, str):
        return error
    if isinstance(error, Mapping):
        for key in ("message", "detail", "error_description"):
            if isinstance(error.get(key), str):
                return str(error[key])
    return None


def refused(
    status: int, reason: str, content_type: str, body: bytes, location: str | None = None
) -> HttpError:
    """A response that is no event stream: its status or type, and the beginning of what it says."""
    message = message_in(body)
    said = (
        f": {show(message.encode()).rstrip('.')}"
        if message
        else f'; it begins "{show(body)}"'
        if body
        else ""
    )
    kind = essence(content_type) or "no content type"
    if status == 200:
        return HttpError(
            "not-an-event-stream",
            f"The server answered 200 with {kind} instead of text/event-stream{said}.",
            "Check the path, and that the request asks for a stream.",
        )
    name = f"{status} {reason}".strip()
    hints = {
        204: "204 means that there is nothing to stream; a client must not ask again.",
        401: "Check the API key.",
        403: "Check the API key and what it may do.",
        404: "Check the path of the URL and the model's name.",
        429: "Wait, or ask for less.",
    }
    hint = hints.get(status, "")
    if 300 <= status < 400 and status != 304 and not location:
        hint = "It is a redirect that names no location."
    return HttpError(f"http-{status}", f"The server answered {name} ({kind}){said}.", hint)

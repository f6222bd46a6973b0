"""What can go wrong with a request and its stream, each as one clear error."""

from __future__ import annotations

import json
import re
import socket
import ssl
from collections.abc import Sequence

import httpx

from sse_tui.errors import ConnectError, HttpError, StreamError, UsageError
from sse_tui.fields import essence
from sse_tui.text.safety import log_line

PORTS = {"http": 80, "https": 443}
_SHOWN = 200
_BODY_SHOWN = 1000  # of the body of a refusal: there is no other place to see it


def excerpt(data: bytes, shown: int = _SHOWN) -> str:
    """The first bytes of something unexpected, safe to print: one line, control characters escaped."""
    return log_line.line(data[:shown].decode("utf-8", "replace")) + ("…" if len(data) > shown else "")


def authority(url: httpx.URL) -> str:
    """host:port of a URL."""
    return host_port(url.host, url.port or PORTS.get(url.scheme, 0))


def host_port(host: str, port: int) -> str:
    """host:port, an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def not_resolved(host: str, error: socket.gaierror | UnicodeError) -> ConnectError:
    why = error.strerror if isinstance(error, socket.gaierror) else "it is not a valid name"
    return ConnectError(
        "dns", f"The host name {host} could not be resolved ({why}).", "Check the URL and the network."
    )


def connect_failed(host: str, port: int, error: OSError) -> ConnectError:
    where = host_port(host, port)
    if isinstance(error, ConnectionRefusedError):
        return ConnectError(
            "connect-refused",
            f"Nothing is listening on {where} (connection refused).",
            "Check the address, and that the server is running.",
        )
    return ConnectError("connect", f"Could not connect to {where} ({error.strerror or error}).")


def connect_timed_out(host: str, port: int, step: str, limit: float | None) -> ConnectError:
    return ConnectError(
        "connect-timeout",
        f"No connection to {host_port(host, port)} within {limit:g} s (timed out while {step}).",
        "Raise --connect-timeout if the network is slow.",
    )


def tls_failed(host: str, error: Exception) -> ConnectError:
    if isinstance(error, ssl.SSLCertVerificationError):
        return ConnectError(
            "tls-verify",
            f"The certificate of {host} is not trusted ({error.verify_message}).",
            "Name the authority's certificate with --cacert FILE or SSL_CERT_FILE, or use --insecure (-k) if you trust "
            "the server.",
        )
    reason = getattr(error, "reason", None) or str(error) or type(error).__name__
    return ConnectError("tls", f"TLS with {host} failed ({reason}).", "Check that the port speaks TLS.")


def unreadable_authorities(where: str, error: OSError) -> UsageError:
    """The certificates of the authorities, which are `where`, cannot be read; an ssl.SSLError is an OSError."""
    why = "it holds no PEM certificate" if isinstance(error, ssl.SSLError) else error.strerror or str(error)
    return UsageError(
        "ca-file",
        f"The certificate authorities in {where} cannot be read: {why}.",
        "Name a file of PEM certificates with --cacert or SSL_CERT_FILE.",
    )


def first_byte_timed_out(url: httpx.URL, limit: float | None) -> ConnectError:
    return ConnectError(
        "first-byte-timeout",
        f"{authority(url)} did not respond within {limit:g} s of the request.",
        "Raise --first-byte-timeout if the server is slow to start.",
    )


def no_time_left(url: httpx.URL, limit: float | None) -> ConnectError:
    return ConnectError(
        "total-timeout",
        f"{authority(url)} did not respond within the total limit of {limit:g} s.",
        "Raise --total-timeout.",
    )


def broken_on_purpose(url: httpx.URL, fault: str) -> ConnectError:
    return ConnectError(
        "fault", f"The fault {fault} broke the connection to {authority(url)} before there was a response."
    )


def lost_before_headers(url: httpx.URL, detail: str, beginning: bytes) -> ConnectError:
    after = f' after "{excerpt(beginning)}"' if beginning else ""
    return ConnectError("no-response", f"{authority(url)} sent no response: {detail}{after}.")


def not_http(url: httpx.URL, detail: str, beginning: bytes) -> ConnectError:
    return ConnectError(
        "not-http",
        f'{authority(url)} did not respond with HTTP ({detail}); it sent "{excerpt(beginning)}".',
        "Check the port and the scheme (http or https).",
    )


def unreadable_response(url: httpx.URL, detail: str) -> ConnectError:
    return ConnectError(
        "unreadable-response",
        f"{authority(url)} sent a response that cannot be read: {detail}.",
        "Other clients refuse it too. Check the server, and the proxies in front of it.",
    )


def timed_out(name: str, limit: float) -> StreamError:
    """A limit that passed while a stream was open; `name` is "first-byte", "idle" or "total"."""
    what = {
        "first-byte": f"No byte of the body came within {limit:g} s of the request.",
        "idle": f"No data came for {limit:g} s.",
        "total": f"The stream was not finished after {limit:g} s.",
    }[name]
    return StreamError(f"{name}-timeout", what, f"Raise --{name}-timeout if that is expected.")


def runaway(damage: str) -> StreamError:
    return StreamError(
        "runaway-compression",
        f"The compressed body expands beyond all bounds: {damage}.",
        "No event stream is compressed that well; ask for one without: -H 'Accept-Encoding: identity'.",
    )


def undecodable(damage: str) -> StreamError:
    return StreamError(
        "content-coding",
        f"The body cannot be decoded: {damage}.",
        "An event stream is best sent without a Content-Encoding.",
    )


def shown(url: str) -> str:
    """A URL that a server gave, as errors show it: its credentials, query and fragment may be secret."""
    bare, query, _ = re.sub(r"//[^/?#]*@", "//", url).partition("#")[0].partition("?")
    return bare + (query and "?…")


def misdirected(targets: Sequence[str], wanted: str = "an http or https URL") -> HttpError:
    """A redirect that leads nowhere: it is not to what was `wanted`."""
    where = " and to ".join(map(shown, targets))
    return HttpError("redirect", f"The server redirects to {where}, which is not {wanted}.")


def redirected_too_often(url: str, limit: int, *, loop: bool) -> HttpError:
    where = f"the last was to {shown(url)}" + (", in a loop" if loop else "")
    return HttpError("redirects", f"More than {limit} redirects; {where}.", "Check the URL.")


def not_repeated(method: str, url: str, status: int) -> HttpError:
    """A redirect of a request that is more than a question, to a server that the user did not name."""
    return HttpError(
        "redirect-origin",
        f"The server redirects the {method} to {shown(url)} ({status}), which is another origin; "
        "it was not repeated there.",
        "If you trust that server, use its URL, or --location-trusted to send it the request and its keys.",
    )


def key_withheld(names: Sequence[str], url: httpx.URL) -> str:
    """The hint where a server refuses a request that was redirected to it without its keys."""
    return (
        f"{' and '.join(names)} did not follow the redirect to {authority(url)}, another origin. "
        "If you trust that server, use its URL, or --location-trusted."
    )


def became_get(method: str, url: str) -> str:
    """The hint where a server refuses the GET that a redirect made of another request."""
    return f"The redirect to {shown(url)} turned the {method} into a GET. Use that URL."


def message_in(body: bytes) -> str | None:
    """The error message in a JSON body of the usual shapes; None if there is none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    error = value.get("error", value) if isinstance(value, dict) else None
    if isinstance(error, dict):
        messages = map(error.get, ("message", "detail", "error_description"))
        error = next((message for message in messages if isinstance(message, str)), None)
    return error if isinstance(error, str) else None


_HINTS = {
    204: "204 means that there is nothing to stream; a client must not ask again.",
    401: "Check the API key.",
    403: "Check the API key and its permissions.",
    404: "Check the path of the URL and the model's name.",
    429: "Wait, or send fewer requests.",
}


def refused(
    status: int,
    reason: str,
    content_type: str,
    body: bytes,
    location: str | None = None,
    retry_after: str | None = None,
) -> HttpError:
    """A response that is not an event stream: its status or type, its Retry-After, and the beginning of its body."""
    message = message_in(body)
    said = f'; its body: "{excerpt(body, _BODY_SHOWN)}"' if body else ""
    if message:
        said = f": {excerpt(message.encode('utf-8', 'replace'), _BODY_SHOWN).rstrip('.')}"
    kind = essence(content_type) or "no content type"
    if status == 200:
        return HttpError(
            "not-an-event-stream",
            f"The server answered 200 with {kind} instead of text/event-stream{said}.",
            "Check the path, and that the request asks for a stream.",
        )
    hint = _HINTS.get(status, "")
    if 300 <= status < 400 and status != 304 and not location:
        hint = "The redirect has no Location header."
    if retry_after is not None:
        kind += f", Retry-After: {excerpt(retry_after.encode('utf-8', 'replace'))}"
    return HttpError(
        f"http-{status}", f"The server answered {f'{status} {reason}'.strip()} ({kind}){said}.", hint
    )

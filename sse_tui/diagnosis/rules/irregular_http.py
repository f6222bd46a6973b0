"""The rule about HTTP/1.1 that lenient clients read and strict ones refuse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sse_tui import fields
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, RESPONSE, Occurrence, also, rule
from sse_tui.recording.records import Close, Irregularity, Response

# What is sent, and where RFC 9112 (or 9110) speaks of it.
KINDS = {
    Irregularity.LF_IN_HEAD: ("Lines of the head end with LF alone", "9112 2.2"),
    Irregularity.STATUS_LINE: ("The status line is not 'HTTP/1.1 200 OK' with single spaces", "9112 4"),
    Irregularity.OBS_FOLD: ("A header goes on in a second line", "9112 5.2"),
    Irregularity.SPACE_BEFORE_COLON: ("A space stands between a header's name and its colon", "9112 5.1"),
    Irregularity.HEADER_NAME: ("A header's name contains characters that a name may not have", "9110 5.6.2"),
    Irregularity.CONTROL_CHARACTER: ("A header's value contains a control character", "9110 5.5"),
    Irregularity.LENGTH_AND_CHUNKED: ("Content-Length stands beside Transfer-Encoding: chunked", "9112 6.3"),
    Irregularity.REPEATED_LENGTH: ("Content-Length is given more than once", "9112 6.3"),
    Irregularity.TRANSFER_CODINGS: ("Transfer-Encoding is not simply 'chunked'", "9112 6.1"),
    Irregularity.LF_IN_CHUNKED: ("Lines of the chunked coding end with LF alone", "9112 7.1"),
    Irregularity.SPACE_AFTER_SIZE: ("Spaces follow the size of a chunk", "9112 7.1.1"),
}


_BOTH_LENGTHS = (
    "Chunked wins and the length means nothing; Node and Postman refuse the response with a parse error, and proxies "
    "may take it for request smuggling."
)
_CONNECTION_HEADERS = ("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade")


@rule(
    "warning",
    RESPONSE,
    advice="Let a maintained HTTP library write the response; look for a proxy or handler that adds headers by itself.",
    reference="RFC 9112; nodejs/node#7136; me-no-dev/ESPAsyncWebServer#1324",
)
def irregular_http(response: Response, _: Facts) -> Iterator[Occurrence]:
    """HTTP that curl reads, but that breaks the standard: stricter clients and proxies refuse it."""
    kinds = list(response.irregular)
    chunked = "chunked" in map(str.lower, fields.elements(response.headers, "transfer-encoding"))
    # A capture of another tool has the headers, and not what was noticed when they were read.
    if (
        chunked
        and fields.has(response.headers, "content-length")
        and Irregularity.LENGTH_AND_CHUNKED not in kinds
    ):
        kinds.append(Irregularity.LENGTH_AND_CHUNKED)
    yield from _occurrences(kinds)


@also("irregular-http", RESPONSE)
def connection_headers(response: Response, _: Facts) -> Iterator[Occurrence]:
    """Headers that belong to one connection of HTTP/1.1, in a later version of HTTP."""
    if not response.http_version.upper().startswith(("HTTP/2", "HTTP/3")):
        return
    for name in _CONNECTION_HEADERS:
        if fields.has(response.headers, name):
            yield Occurrence(
                f"The header '{name}' stands in a response of {response.http_version}, which makes it malformed (RFC "
                "9113 8.2.2). Chrome and Firefox read it all the same; Safari, and clients on nghttp2, end the stream "
                "with PROTOCOL_ERROR.",
                evidence={"kind": "connection-header", "header": name},
                advice=f"Do not set '{name}' over HTTP/2; a proxy that translates from HTTP/1.1 must remove it "
                "(nestjs/nest#17588, bartblast/hologram#1262).",
            )


@also("irregular-http", CLOSE)
def irregular_body(close: Close, _: Facts) -> Iterator[Occurrence]:
    """The same of the body's framing, known at its end."""
    yield from _occurrences(close.irregular)


def _occurrences(kinds: Iterable[str]) -> Iterator[Occurrence]:
    for kind in kinds:
        if kind in KINDS:
            what, section = KINDS[Irregularity(kind)]
            both = kind == Irregularity.LENGTH_AND_CHUNKED
            then = _BOTH_LENGTHS if both else "curl reads it; stricter clients and proxies drop the response."
            yield Occurrence(f"{what} (RFC {section}). {then}", evidence={"kind": str(kind)})

"""The rule about HTTP/1.1 that lenient clients read and strict ones refuse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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


@rule(
    "warning",
    RESPONSE,
    advice="Let a maintained HTTP library write the response; look for a proxy or handler that adds headers by itself.",
    reference="RFC 9112; nodejs/node#7136; me-no-dev/ESPAsyncWebServer#1324",
)
def irregular_http(response: Response, _: Facts) -> Iterator[Occurrence]:
    """HTTP that curl reads, but that breaks the standard: stricter clients and proxies refuse it."""
    yield from _occurrences(response.irregular)


@also("irregular-http", CLOSE)
def irregular_body(close: Close, _: Facts) -> Iterator[Occurrence]:
    """The same of the body's framing, known at its end."""
    yield from _occurrences(close.irregular)


def _occurrences(kinds: Iterable[str]) -> Iterator[Occurrence]:
    for kind in kinds:
        if kind in KINDS:
            what, section = KINDS[Irregularity(kind)]
            yield Occurrence(
                f"{what} (RFC {section}). curl reads it; stricter clients and proxies drop the response.",
                evidence={"kind": str(kind)},
            )

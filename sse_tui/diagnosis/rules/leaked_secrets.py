"""The rule about secrets in what is recorded and may be shared."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import BYTES, REQUEST, Occurrence, also, rule
from sse_tui.diagnosis.scanner import SECRET, ByteMatch, mask
from sse_tui.recording.records import Request
from sse_tui.secret_names import is_secret_header, is_secret_parameter

_MASKED = ("[redacted]", "redacted")


@rule(
    "secrets-in-recording",
    "error",
    REQUEST,
    advice="Add it to redact_headers or redact_patterns under [recording], then record again before sharing the file.",
    reference="sse-tui's own rule",
)
def secrets_in_request(request: Request, facts: Facts) -> list[Occurrence]:
    """A key or token in the recording, readable by anyone who gets the file."""
    occurrences = [
        _readable_secret(f"the request header {name}", value.encode("utf-8", "replace"))
        for name, value in request.headers
        if is_secret_header(name) and _readable(value)
    ]
    occurrences += [
        _readable_secret(f"the query parameter {name}", value.encode("utf-8", "replace"))
        for name, value in _query(request.url)
        if is_secret_parameter(name) and _readable(value)
    ]
    found = SECRET.search((request.body or "").encode("utf-8", "replace"))
    if found is not None:
        occurrences.append(_readable_secret("the request body", found[1]))
    return occurrences


@also("secrets-in-recording", BYTES["secret"])
def secrets_in_body(match: ByteMatch, facts: Facts) -> Occurrence:
    """The same in what the server sent."""
    return Occurrence(
        f"The body contains what looks like a key: {match.evidence['masked']}.",
        evidence=match.evidence,
    )


def _readable_secret(where: str, value: bytes) -> Occurrence:
    return Occurrence(
        f"{where[0].upper()}{where[1:]} is recorded in plain text: {mask(value)}.",
        evidence={"where": where, "masked": mask(value)},
    )


def _readable(value: str) -> bool:
    bare = value.removeprefix("Bearer ").strip()
    return len(bare) >= 8 and bare not in _MASKED and not set(bare) <= {"*", "."} and "redacted" not in bare


def _query(url: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(urlsplit(url).query)
    except ValueError:
        return []

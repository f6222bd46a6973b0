"""The rule about secrets in what is recorded and may be shared."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import BYTES, REQUEST, Occurrence, also, rule
from sse_tui.diagnosis.scanner import SECRET, ByteMatch, mask
from sse_tui.recording.records import Request
from sse_tui.secret_names import is_secret_header, is_secret_parameter


@rule(
    "error",
    REQUEST,
    advice="Add it to redact_headers or redact_patterns under [recording], then record again before sharing the file.",
    reference="sse-tui's own rule",
)
def secrets_in_recording(request: Request, facts: Facts) -> list[Occurrence]:
    """A key or token in the recording, readable by anyone who gets the file."""
    named = [
        (f"the request header {name}", value) for name, value in request.headers if is_secret_header(name)
    ]
    query = [(name, value) for name, value in _query(request.url) if is_secret_parameter(name)]
    named += [(f"the query parameter {name}", value) for name, value in query]
    secrets = [(where, value.encode("utf-8", "replace")) for where, value in named if _readable(value)]
    found = SECRET.search((request.body or "").encode("utf-8", "replace"))
    if found is not None:
        secrets.append(("the request body", found[1]))
    return [
        Occurrence(
            f"{where[0].upper()}{where[1:]} is recorded in plain text: {mask(value)}.",
            evidence={"where": where, "masked": mask(value)},
        )
        for where, value in secrets
    ]


@also("secrets-in-recording", BYTES["secret"])
def secrets_in_body(match: ByteMatch, facts: Facts) -> Occurrence:
    """The same in what the server sent."""
    return Occurrence(
        f"The body contains what looks like a key: {match.evidence['masked']}.",
        evidence=match.evidence,
    )


def _readable(value: str) -> bool:
    bare = value.removeprefix("Bearer ").strip()
    return len(bare) >= 8 and not set(bare) <= {"*", "."} and "redacted" not in bare


def _query(url: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(urlsplit(url).query)
    except ValueError:
        return []

"""Rules about content codings that are not what the headers say, or cannot be undone."""

from __future__ import annotations

from sse_tui.bodies import Form
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import (
    CLOSE,
    EVENT,
    IGNORED,
    STALE_CODING,
    TAIL,
    UNDECODABLE,
    Occurrence,
    also,
    rule,
)
from sse_tui.diagnosis.rules import responses as _responses  # noqa: F401  (registers compressed-stream)
from sse_tui.recording.records import Chunk, Close


@rule(
    "error",
    STALE_CODING,
    advice="In the proxy, remove Content-Encoding and Content-Length from the response once its body was decoded.",
    reference="freelensapp/freelens-ai-extension#272; keurcien/auxilia#270; RFC 9110 8.4",
)
def stale_content_encoding(_: Chunk, facts: Facts) -> Occurrence:
    """Plain text under a Content-Encoding: something on the way decoded the body and left the header."""
    facts.conn.stale = True
    return _stale(facts)


def _stale(facts: Facts) -> Occurrence:
    coding = (facts.conn.response_header("content-encoding") or "a transfer coding")[:80]
    return Occurrence(
        f"The headers say that the body is compressed ({coding}), but it is plain text, which was read as such. "
        "Browsers fail with ERR_CONTENT_DECODING_FAILED, httpx raises DecodingError.",
        evidence={"coding": coding},
    )


@also("compressed-stream", CLOSE)
def not_compressed(_: Close, facts: Facts) -> Occurrence | None:
    """A stream that only claims to be compressed is not held back by a compressor."""
    if not facts.conn.stale:
        return None
    return Occurrence("The stream claims to be compressed, but is not.", "info", amend=True)


@rule(
    "error",
    UNDECODABLE,
    advice="Send the stream without compression: 'Accept-Encoding: identity' in the request asks for that.",
    reference="btubbs/sseclient#27; launchdarkly/okhttp-eventsource#65; RFC 9110 8.4.1",
)
def undecodable_body(_: Chunk, facts: Facts) -> Occurrence:
    """A content coding that cannot be undone: an unknown one, or damaged data."""
    conn = facts.conn
    before = f" after {conn.window.end:,} bytes of text" if conn.window.end else ""
    return Occurrence(
        f"The body could not be decoded{before}: {conn.damage}.", evidence={"decoded": conn.window.end}
    )


@also("stale-content-encoding", EVENT, IGNORED, TAIL)
def plain_under_unknown_coding(_: object, facts: Facts) -> Occurrence | None:
    """The same of a coding that would not have been undone here."""
    conn = facts.conn
    if not conn.body.coding or conn.miscoded or conn.body.form is None or not conn.body.form.text:
        return None
    conn.miscoded = conn.stale = True
    return _stale(facts)


@also("undecodable-body", IGNORED, TAIL, CLOSE)
def unknown_coding(_: object, facts: Facts) -> Occurrence | None:
    """The same of a coding that is not known here, where the body is not plain text."""
    conn = facts.conn
    if conn.miscoded or conn.body.form is not Form.CODED or conn.refused:
        return None
    conn.miscoded = True
    return Occurrence(
        f"The body is compressed ({conn.body.coding[:80]}), which cannot be undone here, so nothing in it was read.",
        evidence={"coding": conn.body.coding[:80]},
    )

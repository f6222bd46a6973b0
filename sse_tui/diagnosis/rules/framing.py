"""Rules about bytes, lines and fields: what the standard forbids, and what it allows but clients get wrong."""

from __future__ import annotations

import re

from sse_tui.bodies import Form
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Severity
from sse_tui.diagnosis.registry import BYTES, CLOSE, EVENT, IGNORED, TAIL, Occurrence, also, rule
from sse_tui.diagnosis.scanner import ByteMatch
from sse_tui.eventstream import Event, Ignored, Tail
from sse_tui.recording.records import Close
from sse_tui.text.wording import many

_SEPARATORS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_LINE_ENDS: dict[str, tuple[Severity, str]] = {
    "crlf": ("info", "Lines end with CRLF. Clients that look for LF LF see no event until the body ends."),
    "cr-crlf": (
        "warning",
        "Lines end with CR CR LF: line ends were translated twice on the way. By the standard each is followed by a "
        "blank line, so an event ends with its first line.",
    ),
    "cr": (
        "warning",
        "Lines end with a lone CR ({counts}): legal, but most hand-written clients do not handle it.",
    ),
    "lf-cr": (
        "warning",
        "LF is followed by CR ({counts}). By the standard that is a blank line, which ends the event.",
    ),
    "mixed": ("warning", "Line endings are mixed ({counts})."),
}
_SIZES = (
    (1024 * 1024, "1 MiB, httpx2's default limit for an event"),
    (512 * 1024, "512 KiB, aiohttp's limit for a line with its larger buffer"),
    (128 * 1024, "128 KiB, aiohttp's limit for a line"),
    (64 * 1024, "64 KiB, the limit of Go's line scanner"),
)


@rule(
    "warning",
    BYTES["bom"],
    advice="Send the stream without a byte order mark.",
    reference="openai/openai-python#3819; HTML standard 9.2.6",
)
def bom(_: ByteMatch, facts: Facts) -> Occurrence:
    """A byte order mark at the start: legal, but several clients lose the first event because of it."""
    return Occurrence(
        "The body starts with a byte order mark. The standard says to skip it, but the openai and anthropic SDKs "
        "and httpx-sse read it as part of the first field name and lose the first event."
    )


@also("bom", IGNORED)
def bom_inside(ignored: Ignored, facts: Facts) -> Occurrence | None:
    """A byte order mark anywhere else is text, so the line it is in is ignored."""
    if not ignored.line.startswith("\ufeff"):
        return None
    return Occurrence(
        f"A byte order mark at byte {ignored.start}, not at the start of the body, becomes part of the field name, so "
        "the line is ignored."
    )


@rule(
    "warning",
    BYTES["utf8"],
    advice="Encode whole characters: on the server, decode chunks with an incremental decoder before joining them.",
    reference="aisix#111; HTML standard 9.2.6",
)
def invalid_utf8(match: ByteMatch, facts: Facts) -> Occurrence:
    """Bytes that are not UTF-8: replaced by the standard, fatal in several SDKs."""
    bad = bytes.fromhex(str(match.evidence["hex"]))
    whole = facts.conn.bad_utf8 + bad
    facts.conn.bad_utf8 = bad
    evidence = dict(match.evidence)
    if match.evidence.get("cut"):
        return Occurrence(
            f"The body ends in the middle of a character, after the bytes {bad.hex(' ')}.", evidence=evidence
        )
    if len(whole) > len(bad) and _is_utf8(whole):
        evidence["halves"] = whole.hex()
        return Occurrence(
            f"The bytes {bad.hex(' ')} are the rest of a character that began in an earlier chunk: the server split "
            "a character when it decoded or sent its chunks.",
            evidence=evidence,
        )
    return Occurrence(
        f"The bytes {bad.hex(' ')} are not UTF-8. The standard replaces them with U+FFFD; the openai, anthropic and "
        "mistralai SDKs raise UnicodeDecodeError and end the stream.",
        evidence=evidence,
    )


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@rule(
    "info",
    BYTES["ends"],
    advice="End every line with a single LF.",
    reference="hey-api/openapi-ts#3054; mpetazzoni/sse.js#36",
)
def line_endings(match: ByteMatch, facts: Facts) -> Occurrence:
    """Line endings other than LF: legal, but missed by clients that split at LF LF."""
    evidence = match.evidence
    counts = ", ".join(f"{evidence[k]} {k.upper()}" for k in ("crlf", "cr", "lf") if evidence[k])
    severity, message = _LINE_ENDS[evidence["kind"]]
    return Occurrence(message.format(counts=counts), severity, evidence=evidence)


@also("line-endings", CLOSE)
def split_line_ends(_: Close, facts: Facts) -> Occurrence | None:
    """Reads that ended between CR and LF: clients differ in when they dispatch the event."""
    split = facts.conn.scanner.split_crlf
    if not split:
        return None
    return Occurrence(
        f"{many(split, 'read')} ended between CR and LF: clients that wait for the LF dispatch late, and those that "
        "take the LF for another line end dispatch early, or an empty event.",
        evidence={"kind": "split", "reads": split},
    )


@rule(
    "info",
    BYTES["no-space"],
    advice="Send a space after the colon: every client understands that form.",
    reference="openai/openai-python#498; envoyproxy/ai-gateway#2149",
)
def no_space_after_colon(match: ByteMatch, facts: Facts) -> Occurrence:
    """No space after a field's colon: legal, but missed by clients that look for ``data: ``."""
    return Occurrence(
        f"There is no space after '{match.evidence['field']}:'. That is legal, but google-genai and hand-written "
        "clients that look for 'data: ' find nothing.",
        evidence=match.evidence,
    )


@rule(
    "info",
    EVENT,
    advice="Send JSON on a single data line.",
    reference="gatling/gatling#4678; jmap-client#19",
)
def multi_line_data(event: Event, facts: Facts) -> Occurrence | None:
    """JSON across several data lines: legal, but cut short by clients that read a single line."""
    if "\n" not in event.data or facts.conn.body.form is not Form.EVENTS:
        return None
    if facts.conn.misframing_of(event) is not None:
        return None
    if not (facts.turn.json_answers or event.data.startswith(("{", "["))):
        return None
    lines = event.data.count("\n") + 1
    return Occurrence(
        f"The event's JSON is spread over {lines} data lines. Clients that keep only one of them, or join them "
        "without a line feed, read something else.",
        evidence={"lines": lines},
    )


@rule(
    "warning",
    EVENT,
    advice="Escape these characters in the JSON, for example as \\u2028.",
    reference="modelcontextprotocol/typescript-sdk#1925; florimondmanca/httpx-sse#34",
)
def unicode_line_separators(event: Event, facts: Facts) -> Occurrence | None:
    """Characters that some languages treat as line ends, unescaped inside a value."""
    if event.start >= facts.conn.scanner.separators_to or facts.conn.body.form is not Form.EVENTS:
        return None
    found = sorted(set(_SEPARATORS.findall(event.data)))
    if not found:
        return None
    points = ", ".join(f"U+{ord(char):04X}" for char in found)
    return Occurrence(
        f"The data contains {points} unescaped. Clients that split lines with Python's str.splitlines() or httpx's "
        "iter_lines() cut the event there.",
        evidence={"code_points": points},
    )


@also("oversized-event", TAIL)
@rule(
    "warning",
    EVENT,
    advice="Split large results into several events, or send a reference that the client can fetch.",
    reference="cloudwego/hertz#1408; microsoft/Agents-for-python#507",
)
def oversized_event(item: Event | Tail, facts: Facts) -> Occurrence | None:
    """An event larger than common clients accept."""
    size = item.end - item.start
    limit = next((name for least, name in _SIZES if size >= least), None)
    if facts.conn.outgrown:
        return Occurrence(
            f"The event has {size:,} bytes so far, more than is held of one here: it and everything after it were not "
            "read.",
            "error",
            "Raise max_event_bytes in [recording] to read it, and split large results into several events.",
            evidence={"bytes": size, "read": False},
        )
    if limit is None:
        return None
    return Occurrence(f"The event is {size:,} bytes long, which is over {limit}.", evidence={"bytes": size})

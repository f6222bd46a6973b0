"""Rules about characters that were damaged before they were sent: the server cut its text inside one of them."""

from __future__ import annotations

import re

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Severity
from sse_tui.diagnosis.registry import BYTES, CLOSE, OVER, UNDERSTOOD, Occurrence, also, rule
from sse_tui.diagnosis.scanner import ByteMatch
from sse_tui.dialects.base import Meta
from sse_tui.dialects.payload import JsonError, LenientJsonError, decode_exactly
from sse_tui.eventstream import Event, Ignored, Tail
from sse_tui.recording.records import Close
from sse_tui.text.wording import many


@rule(
    "warning",
    *UNDERSTOOD,
    advice="In the server, cut the text between characters, not between UTF-16 units, before it is escaped as JSON.",
    reference="elie222/rakazo#416; elizaOS/eliza#30904",
)
def split_surrogates(_: Event | Ignored | Tail, facts: Facts) -> Occurrence | None:
    """A delta ends with half of a surrogate pair: the character comes in two parts."""
    if not any(isinstance(delta, Meta) and delta.name == "split-surrogates" for delta in facts.entry.deltas):
        return None
    return Occurrence(
        "The delta ends with half of a surrogate pair; the other half is due with the next one. JavaScript joins the "
        "two, and so does sse-tui; a client in Python or Go shows U+FFFD twice or cannot encode the text."
    )


@rule(
    "warning",
    *UNDERSTOOD,
    advice="In the server, escape a character beyond U+FFFF as a whole pair, or send it unescaped as UTF-8.",
    reference="Kohaku-Lab/KohakuTerrarium#48; RFC 8259 section 8.2",
)
def lone_surrogates(_: Event | Ignored | Tail, facts: Facts) -> Occurrence | None:
    """Half of a surrogate pair whose other half never came: the character is lost."""
    lost = sum(
        delta.value
        for delta in facts.entry.deltas
        if isinstance(delta, Meta) and delta.name == "lone-surrogates"
    )
    if not lost:
        return None
    halves = "Half of a surrogate pair" if lost == 1 else f"{lost:,} halves of surrogate pairs"
    return Occurrence(
        f"{halves} came without the other half, shown as U+FFFD: the character is lost, and strict clients fail on it.",
        evidence={"lost": lost},
    )


@also("lone-surrogates", OVER)
def lone_at_the_end(_: None, facts: Facts) -> Occurrence | None:
    """A half still waits for the other one, and nothing follows."""
    waiting = facts.turn.view.dialect.chosen.waiting_halves
    if not waiting:
        return None
    halves = "half of a surrogate pair" if waiting == 1 else f"{waiting:,} halves of surrogate pairs"
    return Occurrence(
        f"The stream ended after {halves}: the character is lost, and the text ends before it.",
        evidence={"lost": waiting},
    )


@also("lone-surrogates", CLOSE)
def lone_in_arguments(_: Close, facts: Facts) -> list[Occurrence]:
    """The same inside the arguments of tool calls, which are JSON in a string and have escapes of their own."""
    return [
        Occurrence(
            f"The arguments of the call to {call['name']!r} hold half of a surrogate pair: the character is lost.",
            evidence={"id": call["id"], "name": call["name"]},
        )
        for call in facts.turn.view.answer.calls
        if _has_halves(call["arguments"])
    ]


def _has_halves(arguments: str) -> bool:
    if "\\u" not in arguments:
        return False
    try:
        decode_exactly(arguments)
    except LenientJsonError as odd:
        return odd.halves and odd.constant is None
    except JsonError:
        pass
    return False


@rule(
    "info",
    BYTES["replaced"],
    advice="In the server, decode the bytes of several tokens together and hold back an incomplete character.",
    reference="Luce-Org/lucebox#641; antonellof/ferrox#124; tenstorrent/tt-inference-server#2594",
)
def replacement_characters(match: ByteMatch, facts: Facts) -> Occurrence | None:
    """U+FFFD in valid data: characters were lost before they were sent."""
    again = facts.conn.scanner.replaced > match.evidence["count"]
    return _replaced(facts)._replace(amend=again)


@also("replacement-characters", CLOSE)
def replaced_in_all(_: Close, facts: Facts) -> Occurrence | None:
    """The dialect, by which the severity goes, is known by then."""
    return _replaced(facts)._replace(amend=True) if facts.conn.scanner.replaced else None


def _replaced(facts: Facts) -> Occurrence:
    counted = facts.conn.scanner.replaced
    # What people wrote may hold the character, and a model may write it once.
    severity: Severity = "warning" if counted > 1 and facts.turn.json_answers else "info"
    return Occurrence(_said(counted), severity, evidence={"count": counted})


def _said(counted: int) -> str:
    cause = (
        "the server probably decoded its tokens one at a time, so that characters of several bytes were lost there"
        if counted > 1
        else "a character was lost in the server, or the model wrote it"
    )
    return (
        f"U+FFFD, the replacement character, came {many(counted, 'time')} in valid data: {cause}. No client can "
        "restore what was there."
    )


# UTF-8 that was read as Latin-1 or Windows-1252 and encoded again: "Ã©" for "é", "â€™" for an apostrophe.
_TWICE = re.compile(
    "[ÂÃ][\u0080-\u00bf]|â(?:€[\u0080-\u00bfœžš™˜“”•–—¦]|\u0080[\u0080-\u00bf])|ð(?:Ÿ|\u009f)"
)
_LONG = 100_000  # characters of an answer that are looked at


@also("replacement-characters", CLOSE)
def encoded_twice(_: Close, facts: Facts) -> Occurrence | None:
    """The text was decoded with the wrong encoding and encoded again before it was sent."""
    found = _TWICE.findall(facts.turn.view.answer.text[:_LONG])
    if not found:
        return None
    shown = ", ".join(dict.fromkeys(found[:8]))
    return Occurrence(
        f"The text has {many(len(found), 'character')} that were encoded twice, such as {shown}: UTF-8 was read as "
        "Latin-1 or Windows-1252 before it was sent.",
        "warning" if len(found) > 1 and facts.turn.json_answers else "info",
        advice="In the server or gateway, decode the upstream's bytes as UTF-8 whatever its Content-Type says.",
        evidence={"count": len(found), "examples": shown},
    )

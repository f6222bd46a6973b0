"""Rules about heartbeats, and about blocks that are not events but cause trouble."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import (
    BYTES,
    CLOSE,
    EMPTY_BLOCK,
    EVENT,
    NO_DATA,
    RETRY_BLOCK,
    Occurrence,
    also,
    rule,
)
from sse_tui.diagnosis.scanner import ByteMatch
from sse_tui.dialects.heartbeats import named_ping
from sse_tui.eventstream import Comment, Event, NoData, Retry
from sse_tui.recording.records import Close
from sse_tui.text.wording import many

# Clients that turn such a block into an event, as measured (see `clients`); httpx2 does so for fields only.
PHANTOMS = ("httpx-sse", "the openai SDK", "cohere's SDK")
PHANTOMS_OF_FIELDS = (*PHANTOMS, "httpx2")
_HEARTBEAT = re.compile(
    r"\s*+:?\s*+(ping|keep-?alive|heartbeat|hb|processing|openrouter processing)\b.*", re.I
)
_BARE = re.compile(r"\s*(ping|keep-?alive|heartbeat|hb)\s*", re.I)


@rule(
    "warning",
    EMPTY_BLOCK,
    advice="End a heartbeat comment with a single line feed, and send id and retry in the same block as an event.",
    reference="florimondmanca/httpx-sse#35; openai/openai-python#2722; theopenco/llmgateway#2334; "
    "openai/openai-go#651; mistralai/mistral-vibe#762",
)
def phantom_event_risk(comment: Comment, facts: Facts) -> Occurrence | None:
    """A block without data that common SDKs turn into an empty event."""
    if not facts.conn.last_id:
        facts.conn.lone_comments += 1
        return _dispatched_on_blank_lines(facts.conn.lone_comments, comment.text)
    return _phantom(f"a comment followed by a blank line, after the id {facts.conn.last_id[:40]!r},", facts)


@also("phantom-event-risk", NO_DATA)
@also("phantom-event-risk", RETRY_BLOCK)
def phantom_fields(block: NoData | Retry, facts: Facts) -> Occurrence:
    """The same for a block of event, id or retry alone."""
    if isinstance(block, Retry):
        return _phantom("a block with only a retry field", facts, PHANTOMS_OF_FIELDS)
    name = "an event" if block.type else "an id"
    return _phantom(f"a block with {name} field but no data", facts, PHANTOMS_OF_FIELDS)


@also("phantom-event-risk", BYTES["blank-lines"])
def phantom_blank_lines(_: ByteMatch, facts: Facts) -> Occurrence | None:
    """The same for a second blank line after an event with an id."""
    if not facts.conn.last_id and not facts.conn.own_ids and b"id:" not in facts.conn.window.data:
        return None
    return _phantom("a second blank line after an event with an id", facts)


def _dispatched_on_blank_lines(count: int, text: str) -> Occurrence:
    """The same before any id: the SDKs named elsewhere ignore these, simpler clients do not."""
    bare = "" if text.strip() else ", and some fail on the bare colon, which has no field name before it"
    return Occurrence(
        f"{many(count, 'comment')} {'is' if count == 1 else 'are'} followed by a blank line. By the standard that "
        f"dispatches nothing; clients that dispatch at every blank line make an event with empty data of it{bare}.",
        "info",
        evidence={"comments": count},
        group="comments",
        total=count,
    )


def _phantom(what: str, facts: Facts, clients: Sequence[str] = PHANTOMS) -> Occurrence:
    return Occurrence(
        f"By the standard {what} dispatches nothing, but {', '.join(clients[:-1])} and {clients[-1]} turn it into an "
        "event with empty data, which the openai SDK then fails to parse as JSON.",
        "warning" if facts.turn.json_answers else "info",  # those SDKs read answers only
        evidence={"clients": list(clients)},
    )


@rule(
    "warning",
    NO_DATA,
    advice="Send an empty data line ('data:') with an event that has no payload.",
    reference="tokio-rs/axum#3571; LangServe",
)
def event_without_data(block: NoData, facts: Facts) -> Occurrence | None:
    """A block that names an event but has no data: conforming clients never see it."""
    if not block.type:
        return None
    return Occurrence(
        f"The event {block.type[:60]!r} has no data field, so conforming clients never see it.",
        "info"
        if named_ping(block.type)
        else None,  # a heartbeat that is not dispatched keeps the connection, too
        evidence={"type": block.type[:80]},
    )


@rule(
    "error",
    EVENT,
    advice="Send heartbeats as comments (lines that start with a colon), or filter out the upstream's.",
    reference="mnfst/llm-gateway#2053; anomalyco/opencode#50871",
)
def comment_as_data(event: Event, facts: Facts) -> Occurrence | None:
    """A heartbeat sent as an event's data where clients expect JSON."""
    data, turn = event.data, facts.turn
    if not data:
        if not turn.known and len(turn.empty_data) < 4:
            turn.empty_data.append(facts.entry)
        return _as_data("empty data") if turn.json_answers else None
    if len(data) > 200 or not (data[0] == ":" or (data[0] in " pkhPKH" and _BARE.fullmatch(data))):
        return None
    certain = turn.json_answers or (not turn.known and _HEARTBEAT.fullmatch(data))
    return _as_data(repr(data[:60])) if certain else None


@also("comment-as-data", CLOSE)
def empty_data(_: Close, facts: Facts) -> list[Occurrence]:
    """The same for empty data that came before the dialect was known."""
    early, facts.turn.empty_data = facts.turn.empty_data, []
    if not facts.turn.json_answers:
        return []
    return [
        _as_data("empty data")._replace(entry=event) for event in early if event.conn == facts.conn.number
    ]


def _as_data(what: str) -> Occurrence:
    return Occurrence(
        f"A heartbeat was sent as an event's data ({what}). It is not JSON, so clients that parse every event as "
        "JSON, such as the openai SDK, raise an exception here."
    )


@rule(
    "info",
    CLOSE,
    advice="A comment keeps proxies from timing out, but does not reset a client timeout that waits for events.",
    reference="omlx#1011; OmniRoute#8888",
)
def heartbeat_form(_: Close, facts: Facts) -> Occurrence | None:
    """Which heartbeats the server sends, how often, and from when."""
    conn = facts.conn
    beats, forms = conn.beats, conn.beat_forms
    if not forms:
        return None
    said = " and ".join(many(count, form) for form, count in forms.most_common())
    evidence: dict[str, object] = {"forms": dict(forms)}
    when = ""
    if facts.timed and beats.first is not None and conn.started_t is not None:
        first = (beats.first - conn.started_t) / 1e6
        evidence["first_ms"] = round(first, 1)
        when = f", from {first / 1000:.1f} s on"
        if beats.period is not None:
            evidence["period_ms"] = round(beats.period, 1)
            when += f", every {beats.period / 1000:.1f} s"
    events = any(form != "comment" for form in forms)
    resets = "both byte and event timeouts" if events else "byte timeouts but not event timeouts"
    return Occurrence(f"The server sent heartbeats: {said}{when}. They reset {resets}.", evidence=evidence)

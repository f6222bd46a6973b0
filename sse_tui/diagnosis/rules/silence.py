"""Rules about silence, and about time limits on the way."""

from __future__ import annotations

from sse_tui.diagnosis.facts import SILENCE_NS, Facts
from sse_tui.diagnosis.registry import BEAT, CLOSE, GAP, Occurrence, also, rule
from sse_tui.diagnosis.rules.termination import was_cut
from sse_tui.eventstream import Comment, Event
from sse_tui.metrics.idle import IDLE_LIMITS
from sse_tui.recording.records import Close, CloseReason
from sse_tui.text.wording import many

STALL_S = 30.0
STUCK_S = 120.0  # a stall of this length is an error
SAME_S = 2.0  # ages that differ by less count as the same
YOUNG_S = 5.0  # connections cut sooner do not point to a time limit


@rule(
    "warning",
    GAP,
    advice="Send a comment at least every 15 s while there is nothing else to send.",
    reference="withings-mcp#25; ollama/ollama#14420; HTML standard 9.2.7",
)
def idle_gap(_: None, facts: Facts) -> Occurrence | None:
    """Silence of well over 15 s, without a heartbeat."""
    seconds = facts.conn.silence / 1e9
    return _rare_heartbeat(seconds) if facts.conn.silence_beaten else _gap(seconds)


def _rare_heartbeat(seconds: float) -> Occurrence | None:
    """A silence that a heartbeat ended: heartbeats come, but perhaps not often enough."""
    if seconds < IDLE_LIMITS[0].seconds:
        return None
    passed = [f"{limit} s ({who})" for limit, who in IDLE_LIMITS if limit <= seconds]
    return Occurrence(
        f"The heartbeat came only after {seconds:.1f} s: past the limit of {passed[-1]}.",
        "info" if len(passed) < 2 else "warning",
        evidence={"seconds": round(seconds, 3), "passed": passed},
    )


@also("idle-gap", CLOSE)
def idle_to_the_end(_: Close, facts: Facts) -> Occurrence | None:
    """The same before the end of the connection."""
    conn = facts.conn
    since = conn.last_read_t if conn.last_read_t is not None else conn.opened_t
    now = facts.entry.t
    if now is None or since is None or now - since < SILENCE_NS:
        return None
    return _gap((now - since) / 1e9)


def _gap(seconds: float) -> Occurrence:
    passed = [f"{limit} s ({who})" for limit, who in IDLE_LIMITS if limit <= seconds]
    following = next((f"{limit} s ({who})" for limit, who in IDLE_LIMITS if limit > seconds), None)
    said = f"past the limit of {passed[-1]}" if passed else f"the next known limit is {following}"
    return Occurrence(
        f"Nothing arrived for {seconds:.1f} s, not even a comment: {said}.",
        evidence={"seconds": round(seconds, 3), "passed": passed, "next": following},
    )


@rule(
    "warning",
    BEAT,
    advice="Base client timeouts on progress, not on bytes: reset them on text, reasoning and tool calls only.",
    reference="aaif-goose/goose#11679; open-mercato#5406",
)
def keepalive_masked_stall(beat: Comment | Event, facts: Facts) -> Occurrence | None:
    """Heartbeats keep coming while the answer makes no progress."""
    conn, now = facts.conn, facts.entry.t
    since = conn.last_progress_t if conn.last_progress_t is not None else conn.opened_t
    stall = conn.stall
    if now is None or since is None:
        return None
    if stall.since != since:
        stall.since, stall.beats = since, 0
    stall.beats += 1
    stalled = (now - since) / 1e9
    if stalled < STALL_S or stall.beats < 2 or stalled <= stall.longest:
        return None
    known, stall.longest = stall.longest > 0, stalled
    event_idle = None if conn.last_event_t is None else (now - conn.last_event_t) / 1e9
    events = isinstance(beat, Event) or bool(conn.beat_forms.keys() - {"comment"})
    # One finding a connection, which tells of its longest stall so far; after two minutes it is an error.
    return Occurrence(
        f"No progress for {stalled:.0f} s, while {many(stall.beats, 'heartbeat')} arrived: timeouts on bytes"
        f"{' or events' if events else ''} do not notice.",
        "error" if stalled >= STUCK_S else "warning",
        evidence={
            "byte_idle_s": round(conn.read_gap / 1e9, 3),
            "event_idle_s": None if event_idle is None else round(event_idle, 3),
            "progress_idle_s": round(stalled, 3),
            "heartbeats": stall.beats,
        },
        amend=known,
    )


@rule(
    "warning",
    CLOSE,
    advice="Find the timeout on the way (the nearest known limit is a hint) and raise it, or reconnect before it.",
    reference="agentdeals#1098; WaveHouse#226; axonhub#2146",
)
def periodic_cut(close: Close, facts: Facts) -> Occurrence | None:
    """Connections are cut at the same age again and again: a time limit, whatever the content."""
    conn, now = facts.conn, facts.entry.t
    if now is None or conn.started_t is None or close.cause is CloseReason.FAULT:
        return None
    if not was_cut(facts) and not (close.cause is CloseReason.EOF and not facts.turn.known):
        return None
    age = (now - conn.started_t) / 1e9
    ages = facts.session.cut_ages_s
    same = [known for known in ages if abs(known - age) <= SAME_S]
    ages.append(age)
    del ages[:-64]
    if not same or age < YOUNG_S:
        return None
    limit, who = min(IDLE_LIMITS, key=lambda known: abs(known.seconds - age))
    near = f", near the {limit} s limit of {who}" if abs(limit - age) <= max(SAME_S, 0.05 * limit) else ""
    return Occurrence(
        f"{len(same) + 1} connections were cut after about {age:.1f} s{near}: probably by a time limit on the way.",
        evidence={"ages_s": [round(a, 2) for a in (*same, age)], "nearest_limit_s": limit},
    )

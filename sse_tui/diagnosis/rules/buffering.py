"""Rules about events that arrive together although they were made apart: something on the way collects them."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import BURST, CLOSE, Occurrence, also, rule
from sse_tui.recording.records import Close, CloseReason
from sse_tui.text.wording import many

BURSTS = 3  # that make a pattern
MANY = 20  # events
LARGE = 16  # events of a burst; a server that is no model makes fewer at once of its own accord
LONG_NS = 1_000_000_000
FAST_PER_S = 100.0  # events: a model that makes as many may well hand them over at the ticks of a clock
BRISK_PER_S = 40.0  # the same, perhaps
TICK_S = 1.0
_HOPS = ("via", "server", "cf-ray", "x-cache", "content-encoding", "x-served-by")


def hops(facts: Facts) -> dict[str, str]:
    """The response headers that name the proxies and servers on the way."""
    return {name: value for name in _HOPS if (value := facts.conn.response_header(name)) is not None}


@rule(
    "warning",
    BURST,
    advice="Turn off response buffering in every proxy (nginx: proxy_buffering off and proxy_http_version 1.1 to the "
    "upstream), or send X-Accel-Buffering: no; flush compressed streams after every event.",
    reference="c8s#140; LostRuins/koboldcpp#1168; cloudflare/cloudflared#1496",
)
def proxy_buffering(_: None, facts: Facts) -> Occurrence | None:
    """Several events at once, with pauses in between: something on the way holds them back."""
    bursts = facts.conn.bursts
    if bursts.told or bursts.count < BURSTS:
        return None
    found = _bursts(facts)
    bursts.told = found is not None
    return found


@also("proxy-buffering", CLOSE)
def all_bursts(_: Close, facts: Facts) -> Occurrence | None:
    """The same with the counts of the whole connection."""
    bursts = facts.conn.bursts
    found = _bursts(facts) if bursts.count >= BURSTS else None
    return found._replace(amend=bursts.told) if found is not None else None


def _bursts(facts: Facts) -> Occurrence | None:
    turn, bursts = facts.turn, facts.conn.bursts
    size, pause = bursts.size, bursts.pause_s
    if bursts.count * 2 < bursts.arrivals:
        return None
    full = bursts.cut >= 2 and 2 * bursts.cut >= bursts.count - 1  # of the last one it is not known yet
    if size < LARGE and not full and not turn.view.dialect.answers:
        return None  # entries of a log, say, that come several at a time
    fast = pause < TICK_S and size >= BRISK_PER_S * pause
    if fast and not full and size >= FAST_PER_S * pause:
        return None
    buffer = ", each up to the middle of an event, as when a buffer is full" if full else ""
    found = Occurrence(
        f"{bursts.count} of {bursts.arrivals} times events came, several came at once (median {size}, after a pause of "
        f"{pause:.1f} s{buffer}): something between the model and this client collects events before passing them on.",
        "warning" if full or (not fast and (bursts.regular or size >= LARGE)) else "info",
        evidence={
            "events_at_once": bursts.sizes[:20],
            "ended_within_an_event": bursts.cut,
            "pause_s": round(pause, 3),
            "headers": hops(facts),
        },
    )
    if turn.provider == "azure":
        return found._replace(
            message=f"{bursts.count} of {bursts.arrivals} times events came, several came at once (median {size}): "
            "Azure's content filter lets the text pass in blocks.",
            severity="info",
            advice="Use Azure's asynchronous filter for text that arrives as it is made.",
        )
    return found


@also("proxy-buffering", CLOSE)
def held_to_the_end(close: Close, facts: Facts) -> Occurrence | None:
    """The same when everything arrived at the very end."""
    conn, bursts, end = facts.conn, facts.conn.bursts, facts.entry.t
    if not facts.timed or conn.late_reads or bursts.count >= BURSTS or len(facts.turn.conns) > 1:
        return None
    if conn.started_t is None or conn.last_event_t is None or end is None:
        return None
    # A short answer, such as a tool call, may well come whole.
    if conn.events < (2 * MANY if facts.turn.json_answers and conn.token_events < 8 else 5):
        return None
    if bursts.arrivals > 2 or conn.events < 4 * conn.event_reads or bursts.first > 1 < bursts.arrivals:
        return None
    opened = conn.opened_t if conn.opened_t is not None else conn.started_t
    waited = conn.last_event_t - opened
    if waited < LONG_NS or close.cause is not CloseReason.EOF or end - conn.last_event_t > waited / 10:
        return None
    facts.turn.told.add("held-to-the-end")
    return Occurrence(
        f"All {conn.events} events arrived in {many(conn.event_reads, 'read')}, {waited / 1e9:.1f} s after the "
        "headers: the stream was held back until it ended.",
        evidence={
            "events": conn.events,
            "reads": conn.event_reads,
            "waited_s": waited / 1e9,
            "headers": hops(facts),
        },
    )

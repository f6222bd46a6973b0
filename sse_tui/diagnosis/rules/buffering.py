"""Rules about events that came together although they were made apart."""

from __future__ import annotations

from statistics import median

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Occurrence
from sse_tui.diagnosis.registry import also, rule
from sse_tui.diagnosis.view import EntryView
from sse_tui.recording.records import Close

BURSTS = 3  # reads of several events after a pause, until it is a pattern
MANY = 20  # events
SHORT_MS = 2.0  # a gap within which no model makes a token
LONG_NS = 1_000_000_000
_HOPS = ("via", "server", "cf-ray", "x-cache", "content-encoding", "x-served-by")


def _hops(facts: Facts) -> dict[str, str]:
    """The response's headers that name who stood between."""
    return {name: value for name in _HOPS if (value := facts.conn.response_header(name)) is not None}


@rule(
    "proxy-buffering",
    "warning",
    "burst",
    advice="Turn response buffering off on the way (proxy_buffering off, X-Accel-Buffering: no), read small pieces.",
    reference="c8s#140; LostRuins/koboldcpp#1168; cloudflare/cloudflared#1496",
)
def proxy_buffering(entry: EntryView, facts: Facts) -> Occurrence | None:
    """Several events in each read, with pauses between: something on the way holds them back."""
    conn = facts.conn
    if conn.bursts != BURSTS or conn.bursts * 2 < conn.event_reads:
        return None
    size = median(conn.burst_sizes)
    return Occurrence(
        f"{conn.bursts} of {conn.event_reads} reads brought several events at once, {size:g} on the median, "
        "after pauses of 0.25 s and more: something between the model and this client collects them.",
        evidence={"events_per_read": conn.burst_sizes[:20], "headers": _hops(facts)},
    )


@also("proxy-buffering", "close")
def held_to_the_end(entry: EntryView, facts: Facts) -> Occurrence | None:
    """The same where everything came in the last moment."""
    conn = facts.conn
    if not isinstance(entry.record, Close) or not facts.timed or conn.bursts >= BURSTS or conn.events < 5:
        return None
    if conn.started_t is None or conn.last_event_t is None or entry.t is None:
        return None
    if conn.event_reads > 2 or conn.events / conn.event_reads < 4:
        return None
    opened = conn.opened_t if conn.opened_t is not None else conn.started_t
    waited = conn.last_event_t - opened
    if waited < LONG_NS:
        return None
    return Occurrence(
        f"All {conn.events} events came in {conn.event_reads} read{'s' if conn.event_reads > 1 else ''}, "
        f"{waited / 1e9:.1f} s after the headers: the stream was held back until its end.",
        evidence={
            "events": conn.events,
            "reads": conn.event_reads,
            "waited_s": waited / 1e9,
            "headers": _hops(facts),
        },
    )


@rule(
    "fake-streaming",
    "warning",
    "close",
    advice="Check whether the server makes the whole answer first: tools, guardrails and some back ends do.",
    reference="imp#754; maclocal-api#257",
)
def fake_streaming(entry: EntryView, facts: Facts) -> Occurrence | None:
    """The first token took nearly all of the time: the answer was made whole and then cut into events."""
    view = facts.turn.view
    clocks = view.clocks.clocks()
    if not isinstance(entry.record, Close) or clocks.ttft is None or clocks.e2e is None:
        return None
    events = view.gaps.token_events
    if events <= MANY or clocks.e2e < LONG_NS / 1e6 or clocks.ttft < 0.9 * clocks.e2e:
        return None
    rest = clocks.e2e - clocks.ttft
    return Occurrence(
        f"The first token took {clocks.ttft / 1000:.1f} s, the other {events - 1} token events {rest:.0f} ms "
        f"({rest / (events - 1):.1f} ms each): the answer was made before it was streamed.",
        evidence={"ttft_ms": clocks.ttft, "e2e_ms": clocks.e2e, "events": events},
    )

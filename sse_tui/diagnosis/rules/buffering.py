"""Rules about when events arrive: together although they were produced apart, or before the first token."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import BURST, CLOSE, FIRST_TOKEN, LATE_READ, Occurrence, also, rule
from sse_tui.eventstream import Event
from sse_tui.recording.records import Close
from sse_tui.text.wording import many

BURSTS = 3  # reads with several events after a pause that make a pattern
MANY = 20  # events
LONG_NS = 1_000_000_000
WORTH_MS = 50.0  # a difference below this is not reported
_HOPS = ("via", "server", "cf-ray", "x-cache", "content-encoding", "x-served-by")


def _hops(facts: Facts) -> dict[str, str]:
    """The response headers that name the proxies and servers on the way."""
    return {name: value for name in _HOPS if (value := facts.conn.response_header(name)) is not None}


@rule(
    "warning",
    BURST,
    advice="Turn off response buffering in every proxy (nginx: proxy_buffering off, or send X-Accel-Buffering: no).",
    reference="c8s#140; LostRuins/koboldcpp#1168; cloudflare/cloudflared#1496",
)
def proxy_buffering(_: None, facts: Facts) -> Occurrence | None:
    """Several events in each read, with pauses in between: something on the way holds them back."""
    conn = facts.conn
    if conn.bursts != BURSTS or conn.bursts * 2 < conn.event_reads:
        return None
    size = sorted(conn.burst_sizes)[len(conn.burst_sizes) // 2]
    return Occurrence(
        f"{conn.bursts} of {conn.event_reads} reads brought several events at once (median {size}) after pauses of "
        "at least 0.25 s: something between the model and this client collects events before passing them on.",
        evidence={"events_per_read": conn.burst_sizes[:20], "headers": _hops(facts)},
    )


@also("proxy-buffering", CLOSE)
def held_to_the_end(_: Close, facts: Facts) -> Occurrence | None:
    """The same when everything arrived at the very end."""
    conn = facts.conn
    if not facts.timed or conn.late_reads or conn.bursts >= BURSTS or conn.events < 5:
        return None
    if conn.started_t is None or conn.last_event_t is None or facts.entry.t is None:
        return None
    if conn.event_reads > 2 or conn.events / conn.event_reads < 4:
        return None
    opened = conn.opened_t if conn.opened_t is not None else conn.started_t
    waited = conn.last_event_t - opened
    if waited < LONG_NS:
        return None
    return Occurrence(
        f"All {conn.events} events arrived in {many(conn.event_reads, 'read')}, {waited / 1e9:.1f} s after the "
        "headers: the stream was held back until it ended.",
        evidence={
            "events": conn.events,
            "reads": conn.event_reads,
            "waited_s": waited / 1e9,
            "headers": _hops(facts),
        },
    )


@rule(
    "info",
    LATE_READ,
    advice="Do not read anything into the times of these events: capture again on a machine that is less busy.",
    reference="Linux net/ipv4/tcp_input.c, tcp_try_coalesce",
)
def late_read(_: None, facts: Facts) -> Occurrence:
    """Bytes waited in the socket while the capturing process did not run."""
    conn = facts.conn
    longest = conn.longest_wait / 1e9
    message = (
        f"{many(conn.late_reads, 'read')} came late, by up to {longest:.1f} s: the process that captured the stream "
        "did not run. Events that came meanwhile share the time of the last one."
    )
    evidence = {"reads": conn.late_reads, "longest_s": round(longest, 3)}
    return Occurrence(message, evidence=evidence, amend=conn.late_reads > 1)


@rule(
    "warning",
    CLOSE,
    advice="Check whether the server generates the whole answer first, as tools, guardrails and some back ends do.",
    reference="imp#754; maclocal-api#257",
)
def fake_streaming(_: Close, facts: Facts) -> Occurrence | None:
    """The first token took nearly all the time: the answer was generated first and then cut into events."""
    view = facts.turn.view
    clocks = view.clocks.clocks()
    if clocks.ttft is None or clocks.e2e is None:
        return None
    events = view.gaps.token_events
    if events <= MANY or clocks.e2e < LONG_NS / 1e6 or clocks.ttft < 0.9 * clocks.e2e:
        return None
    rest = clocks.e2e - clocks.ttft
    return Occurrence(
        f"The first token took {clocks.ttft / 1000:.1f} s, the other {events - 1} token events {rest:.0f} ms "
        f"({rest / (events - 1):.1f} ms each): the answer was generated before it was streamed.",
        evidence={"ttft_ms": clocks.ttft, "e2e_ms": clocks.e2e, "events": events},
    )


@rule(
    "info",
    FIRST_TOKEN,
    advice="Measure the time to first token at the first text, reasoning or tool call that is not empty.",
    reference="sgl-project/sglang#29251; aisix#869",
)
def ttft_on_empty_chunk(event: Event, facts: Facts) -> Occurrence | None:
    """Events without tokens came first: a clock stopped at the first event shows too short a time."""
    turn = facts.turn
    if not turn.before_token or not facts.timed:
        return None
    clocks = turn.view.clocks.clocks()
    if clocks.ttfc is None or clocks.ttft is None or clocks.ttft - clocks.ttfc < WORTH_MS:
        return None
    kinds = ", ".join(dict.fromkeys(turn.before_token))
    return Occurrence(
        f"The first event ({kinds}) arrived after {clocks.ttfc:.0f} ms, the first token after {clocks.ttft:.0f} ms: "
        f"tools that stop the clock at any chunk report a TTFT that is {clocks.ttft - clocks.ttfc:.0f} ms too short.",
        evidence={
            "ttfb_ms": clocks.ttfb,
            "first_byte_ms": clocks.first_byte,
            "ttfc_ms": clocks.ttfc,
            "ttft_ms": clocks.ttft,
            "ttfo_ms": clocks.ttfo,
            "before": turn.before_token,
        },
    )

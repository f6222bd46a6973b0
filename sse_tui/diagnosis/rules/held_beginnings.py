"""The milder kind of buffering: only the beginning of an answer was held back."""

from __future__ import annotations

from statistics import median

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, Occurrence, also
from sse_tui.diagnosis.rules.buffering import LARGE, MANY, hops
from sse_tui.recording.records import Close

HELD_MS = 500.0  # of waiting, before it is worth a word that the first events were held back
LATER_MS = 200.0  # of a first token, compared with those of other turns
TURNS = 2  # with which a turn is compared, at least
_COMPARED = 8


@also("proxy-buffering", CLOSE)
def first_part_held(_: Close, facts: Facts) -> Occurrence | None:
    """The same when only the beginning was held back: it came at once, and the rest as it was made."""
    conn, view = facts.conn, facts.turn.view
    first, later = conn.bursts.first, conn.bursts.arrivals - 1
    if conn.late_reads or len(facts.turn.conns) > 1 or not view.dialect.answers or conn.bursts.count > 1:
        return None
    rest = conn.events - first
    if first < LARGE or later < MANY or rest > 2 * later:
        return None
    gap = view.gaps.stats().p50
    if gap is None or gap * first < HELD_MS:
        return None
    return Occurrence(
        f"The first {first} events came at once, the others one by one, {gap:.0f} ms apart: at that pace the first "
        f"ones took {gap * first / 1000:.1f} s to make and were held back, so the TTFT is too long by that.",
        "info",
        evidence={"first_events": first, "gap_ms": round(gap, 1), "headers": hops(facts)},
    )


@also("proxy-buffering", CLOSE)
def slower_start_faster_rest(_: Close, facts: Facts) -> Occurrence | None:
    """The same when, compared with other turns, the first token came later and the others faster."""
    view, known = facts.turn.view, facts.session.paces
    ttft, gap = view.clocks.clocks().ttft, view.gaps.stats().p50
    events = view.gaps.token_events
    if ttft is None or gap is None or events < MANY or facts.conn.late_reads or len(facts.turn.conns) > 1:
        return None
    others, known[:] = known[:], [*known[1 - _COMPARED :], (ttft, gap)]
    if len(others) < TURNS:
        return None
    usual_ttft, usual_gap = median(t for t, _ in others), median(g for _, g in others)
    late, caught_up = ttft - usual_ttft, (usual_gap - gap) * events
    if late < max(LATER_MS, usual_ttft) or gap > usual_gap / 2 or not late / 2 <= caught_up <= 2 * late:
        return None
    return Occurrence(
        f"The first token came {late / 1000:.1f} s later than in the turns before, and the others "
        f"{usual_gap / gap:.1f} times as fast: the beginning was probably held back, and the answer made at the usual "
        "pace.",
        "info",
        evidence={"ttft_ms": ttft, "usual_ttft_ms": usual_ttft, "gap_ms": gap, "usual_gap_ms": usual_gap},
    )

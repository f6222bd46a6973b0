"""Rules about how a stream ended, and whether it was complete."""

from __future__ import annotations

from collections.abc import Iterable

from sse_tui.bodies import Form
from sse_tui.diagnosis import body_end
from sse_tui.diagnosis.clients.ends import end_of
from sse_tui.diagnosis.clients.known_clients import at_cut
from sse_tui.diagnosis.end_mark_names import DONE, IN_BYTES
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.reframing import plain_lines
from sse_tui.diagnosis.registry import CLOSE, DELTAS, OVER, RECONNECT, TAIL, Occurrence, also, rule
from sse_tui.dialects.base import Meta
from sse_tui.eventstream import Event, Tail
from sse_tui.recording.records import Close, Reconnect
from sse_tui.text.wording import many

_WHOLE = ("lossless", "repeated")  # verdicts on a resume after which nothing is missing


def was_cut(facts: Facts) -> bool:
    """Whether the connection, a stream, ended before the answer was complete."""
    concluded = facts.turn.view.conclusion
    opened = facts.conn.response is not None or facts.conn.reads > 0
    return concluded.truncated and opened and not concluded.request_failed


@rule(
    "error",
    CLOSE,
    advice="In the client, treat a stream without its end marker as failed; check proxies for time and size limits.",
    reference="vercel/ai#19165; NVIDIA/TensorRT-LLM#18289",
)
def truncated_stream(close: Close, facts: Facts) -> Occurrence | None:
    """The body ended without the dialect's end marker, or the connection broke before it."""
    turn = facts.turn
    if not was_cut(facts) or facts.conn.outgrown:  # what we did not read is not missing
        return None
    turn.cuts.append(facts.conn.number)
    concluded = turn.view.conclusion
    where, place = body_end.where(close, facts)
    calls = sum(bool(call["arguments"]) for call in turn.view.answer.calls)
    unfinished = f" {many(calls, 'tool call')} may be unfinished." if calls else ""
    return Occurrence(
        f"{concluded.sentence} {where}{unfinished} {at_cut(turn.dialect, end_of(close))}",
        evidence={
            "reason": close.reason,
            "detail": close.detail,
            "events": facts.conn.events,
            "missing": concluded.marker,
            **place,
            "tool_calls": calls,
        },
    )


@also("truncated-stream", RECONNECT)
def went_on(reconnect: Reconnect, facts: Facts) -> Occurrence:
    """A cut followed by a reconnect is no longer an error: the turn is judged when it ends."""
    return Occurrence("", "warning", amend=True, evidence={"reconnected": True})


@also("truncated-stream", CLOSE)
@also("truncated-stream", OVER)
def judged_over_the_turn(close: Close | None, facts: Facts) -> Iterable[Occurrence]:
    """A cut after which the rest came is worth a note, one after which it did not come is an error after all."""
    turn = facts.turn
    cuts, verdict = turn.cuts, turn.view.verdict
    if not cuts or len(turn.conns) < 2:
        return
    if turn.view.conclusion.truncated:
        if close is None and cuts[-1] != facts.conn.number:
            yield Occurrence("", "error", amend=True, conn=cuts[-1], evidence={"resumed": False})
    elif verdict is not None and verdict.kind in _WHOLE:
        turn.cuts = []
        for conn in cuts:
            yield Occurrence(
                f"Connection {conn} was cut, and a later one brought the rest: nothing is missing from the turn.",
                "info",
                amend=True,
                conn=conn,
                evidence={"resumed": True},
            )


@rule(
    "warning",
    TAIL,
    advice="End every event with a blank line, including the last one.",
    reference="openai/openai-node#2725; openai/openai-go#697; sudoprivacy/sudocode#576",
)
def unterminated_tail(tail: Tail, facts: Facts) -> Occurrence | None:
    """The body ended inside an event: the standard discards it, SDKs disagree."""
    if not tail.text.strip() or facts.turn.lines or facts.conn.body.form is not Form.EVENTS:
        return None
    conn = facts.conn
    # The blank line is missing for another reason than a cut, and that is named.
    if conn.misframing_of(tail) is not None or (not conn.events and plain_lines(tail.text)):
        return None
    size = tail.end - tail.start
    marker = next((marker for marker in IN_BYTES if marker in tail.text), None)
    whole = facts.turn.view.dialect.complete is True
    facts.turn.odd_end = marker == DONE
    state = f"the answer is {'complete' if whole else 'not complete'} without that part"
    inside = body_end.within(tail, conn)
    evidence: dict[str, object] = {"bytes": size, "ends": inside, "logically_complete": whole}
    last = f"the last {many(size, 'byte')}, from byte {tail.start:,} on"
    if marker is None:
        return Occurrence(
            f"No blank line follows {last}, so the standard discards that part, which ends {inside}; {state}.",
            evidence=evidence,
        )
    ends = "" if "end marker" in inside else f" and end {inside}"
    return Occurrence(
        f"No blank line follows {last}, which contain the end marker {marker}{ends}, so conforming clients "
        f"never see it; {state}.",
        "error",
        evidence={**evidence, "marker": marker},
    )


@rule(
    "warning",
    DELTAS,
    advice="In the client, stop reading at the first end marker; in the server, send it once.",
    reference="tenstorrent/vllm#378; llama-cpp-python",
)
def double_terminal(_: Event, facts: Facts) -> Occurrence | None:
    """The end marker was repeated."""
    for delta in facts.entry.deltas:
        if isinstance(delta, Meta) and delta.name == "after-end" and str(delta.value).strip() == "[DONE]":
            return Occurrence("The end marker [DONE] was sent again after the stream had ended.")
    return None


@rule(
    "warning",
    DELTAS,
    advice="Send everything, usage included, before the end marker.",
    reference="tenstorrent/vllm#378",
)
def data_after_terminal(event: Event, facts: Facts) -> Occurrence | None:
    """Events after the end marker, which clients do not read."""
    for delta in facts.entry.deltas:
        if isinstance(delta, Meta) and delta.name == "after-end" and str(delta.value).strip() != "[DONE]":
            return Occurrence(
                "An event arrived after the end marker: clients have stopped reading by then and never see it.",
                None if facts.turn.known else "info",  # an application may go by another mark
            )
    return None

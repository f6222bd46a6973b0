"""Rules about the mark of a stream's end: another dialect's, one that nothing backs, one that never came."""

from __future__ import annotations

import re

from sse_tui.bodies import Form
from sse_tui.diagnosis.end_mark_names import DONE, MARKS
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, DELTAS, EVENT, FINISH, OVER, Occurrence, also, rule
from sse_tui.dialects.answer import Answer
from sse_tui.dialects.base import Meta
from sse_tui.eventstream import Event
from sse_tui.recording.records import FINISH_WAIT, Close, CloseReason
from sse_tui.text.wording import choice_words, many

# By dialect: the mark that follows the finish reason.
_LAST = {"openai-chat": DONE, "openai-completions": DONE, "anthropic-messages": "message_stop"}
_LOOKED_AT = 64
_TYPE = re.compile(r'"type"\s*:\s*"([^"]{1,40})"')


@rule(
    "warning",
    EVENT,
    advice="Send only the end mark of the API whose events the stream has; in the client, go by that mark alone.",
    reference="decolua/9router#2046; protocols of the providers",
)
def foreign_terminal(event: Event, facts: Facts) -> Occurrence | None:
    """The end mark of another API, which proves nothing here and which JSON decoders fail on."""
    done = len(event.data) < 16 and event.data.strip() == DONE
    turn = facts.turn
    dialect = turn.view.dialect.chosen
    if not dialect.answers or (facts.entry.deltas and not done):
        return None
    whole = dialect.complete is True
    if done:
        known = dialect.sentinel == "ends" or (dialect.sentinel == "follows" and whole)
        mark, harm = ("" if known else DONE), "; JSON decoders fail on it"
    else:
        mark, harm = _mark(event, facts), ""
    if not mark:
        return None
    state = "after the answer was whole" if whole else "before the answer was whole"
    return Occurrence(
        f"{mark} is not an end mark of the dialect {turn.dialect}; it came {state}{harm}.",
        "info" if whole else None,
        evidence={"mark": mark, "dialect": turn.dialect, "whole": whole},
    )


def _mark(event: Event, facts: Facts) -> str:
    """The mark of another dialect that the event is, "" for any other event."""
    found = _TYPE.search(event.data, 0, 200)
    for name in (event.type, found[1] if found else ""):
        if MARKS.get(name, facts.turn.dialect) != facts.turn.dialect:
            return name
    return ""


@rule(
    "warning",
    FINISH,
    advice="In the server, send a finish reason before [DONE]; in the client, treat an answer without one as cut off.",
    reference="anomalyco/opencode#43882; openclaw/openclaw#4298; llama-cpp-python",
)
def missing_finish_reason(event: Event, facts: Facts) -> Occurrence | None:
    """The end marker without a finish reason: the answer may have been interrupted."""
    turn = facts.turn
    view = turn.view
    if not any(isinstance(delta, Meta) and delta.name == "done" for delta in facts.entry.deltas):
        return None
    if not view.dialect.ended or view.dialect.complete is not None or not view.dialect.answers:
        return None
    if turn.fault is not None or view.answer.substance.empty:
        return None
    if not turn.reason_named and view.answer.usage is not None:
        return Occurrence(
            "[DONE] ended the answer, and no chunk has a member for a finish reason: this server never sends one, so a "
            "whole answer and an interrupted one look alike.",
            "info",
            evidence={"finish_reason": None, "member": False},
        )
    ended = len(view.answer.substance.finishes)
    without = f"{_without_reason(view.answer) or 'the answer'} has no finish reason"
    if ended:
        have = "has" if ended == 1 else "have"
        without += f" (only {ended} of {many(view.answer.choices, 'choice')} {have} one)"
    return Occurrence(
        f"[DONE] arrived, but {without}: servers end an interrupted answer this way.",
        evidence={"finish_reason": None, "member": turn.reason_named},
    )


def _without_reason(answer: Answer) -> str:
    """The choices without a finish reason where others have one, "" where none has."""
    left = [choice.index for choice in answer.by_choice if not choice.finish_reason]
    return choice_words(left[0]) if left and answer.finishes else ""


# What ends a message for certain, by the dialects whose ends name a reason, and the member that names it.
_REASONED = {
    "anthropic-messages": ("message_stop", "stop_reason"),
    "cohere-v2": ("message-end", "finish_reason"),
}


@also("missing-finish-reason", OVER)
def stopped_without_reason(_: None, facts: Facts) -> Occurrence | None:
    """The same in the dialects that have an end of their own, which says why."""
    view, names = facts.turn.view, _REASONED.get(facts.turn.dialect)
    if names is None or not view.dialect.ended or view.answer.finishes or view.answer.error is not None:
        return None
    if view.answer.substance.empty:
        return None
    mark, member = names
    return Occurrence(
        f"{mark} arrived, but {member} was null or missing to the end: gateways end an interrupted answer this way, "
        "and clients cannot tell a whole one from one that was cut at its limit, or from a tool call.",
        advice=f"In the server, send {member} before {mark}; in the client, treat an answer without one as cut off.",
        evidence={"finish_reason": None, "mark": mark},
    )


@also("missing-finish-reason", EVENT)
def member_seen(event: Event, facts: Facts) -> None:
    """Remembers whether the chunks have a member for the reason: a server without one never sends it."""
    turn = facts.turn
    # Without such a member among the first events there is none later.
    if not turn.reason_named and facts.conn.events < _LOOKED_AT and turn.has_choices:
        turn.reason_named = '"finish_reason"' in event.data


@also("missing-finish-reason", DELTAS)
def misplaced_reason(_: Event, facts: Facts) -> Occurrence | None:
    """The same to every client that looks for the reason where the API has it."""
    for delta in facts.entry.deltas:
        if isinstance(delta, Meta) and delta.name == "misplaced-finish":
            return Occurrence(
                f"The finish reason stands in {delta.value}, where clients do not look for it: to them the answer has "
                "none.",
                advice="In the server, send it in choices[].finish_reason.",
                evidence={"path": delta.value},
            )
    return None


@also("missing-finish-reason", CLOSE)
def end_without_reason(_: Close, facts: Facts) -> Occurrence | None:
    """The same of an end mark that the dialect's own finish reason comes before."""
    turn = facts.turn
    dialect, answer = turn.view.dialect, turn.view.answer
    marked = (
        dialect.ended and dialect.complete is None and dialect.answers and dialect.chosen.sentinel != "ends"
    )
    if not marked or turn.fault is not None or answer.substance.empty or answer.substance.finishes:
        return None
    mark = turn.view.conclusion.marker
    return Occurrence(
        f"{mark} arrived, but the answer has no finish reason: gateways close an interrupted answer this way.",
        advice=f"In the server, send a finish reason before {mark}; in the client, treat an answer without one as cut "
        "off.",
        evidence={"finish_reason": None, "member": False},
    )


@rule(
    "info",
    CLOSE,
    advice="In the server, end the stream with [DONE]: some clients wait for it until a time limit passes.",
    reference="OpenAI's API reference on streaming",
)
def missing_end_marker(_: Close, facts: Facts) -> Occurrence | None:
    """The finish reason came, but not the [DONE] that most servers send behind it."""
    turn = facts.turn
    dialect = turn.view.dialect
    mark = _LAST.get(turn.dialect)
    if mark is None or dialect.complete is not True or dialect.ended or turn.odd_end:
        return None
    if turn.dialect == "anthropic-messages":
        return Occurrence(
            "stop_reason came, but message_stop did not follow: clients that wait for it, as Claude Code does, report "
            "that the response stopped or stalled.",
            "warning",
            "In the server or gateway, send message_stop after message_delta, whatever the upstream did.",
            evidence={"finish_reason": turn.view.answer.finish_reason},
        )
    if facts.conn.body.form is Form.OBJECT:  # which has no end mark
        return None
    return Occurrence(
        f"The answer was finished, but {mark} did not follow: a client that waits for it hangs on an open connection.",
        advice=None
        if mark == DONE
        else f"In the server, end the stream with {mark}: some clients wait for it.",
        evidence={"finish_reason": turn.view.answer.finish_reason},
    )


@rule(
    "warning",
    CLOSE,
    advice="In the server, end the body after the finish reason: ask waits as long as --finish-wait says, other "
    "clients until a time limit of theirs.",
    reference="openclaw/openclaw#4298; protocols of the providers",
)
def open_after_finish(close: Close, facts: Facts) -> Occurrence | None:
    """The answer was finished, and then neither an end marker nor the end of the body came."""
    dialect = facts.turn.view.dialect
    if dialect.complete is not True or dialect.ended or not dialect.answers:
        return None
    if close.code != FINISH_WAIT and close.cause is not CloseReason.TIMEOUT:
        return None
    detail = f": {close.detail}" if close.detail else ""
    return Occurrence(
        f"The finish reason came, and then neither an end marker nor the end of the body{detail}.",
        evidence={"finish_reason": facts.turn.view.answer.finish_reason},
    )

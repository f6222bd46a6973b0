"""What people are told about a request that is repeated after a refusal, or not repeated at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sse_tui.cli import narration

if TYPE_CHECKING:
    from sse_tui.analysis.turn import Turn
    from sse_tui.recording.records import Record


class RefusalNotice:
    """Says why there is nothing yet, when a server's refusal is waited out: on stderr, whoever reads it."""

    def __init__(self) -> None:
        self._refusal = ""

    def see(self, record: Record | None) -> None:
        """Take the next record; None for an entry that has none."""
        from sse_tui.recording.records import Close, CloseReason, Reconnect

        if isinstance(record, Close):
            self._refusal = record.detail if record.cause is CloseReason.REFUSED else ""
        elif isinstance(record, Reconnect) and self._refusal:
            narration.say(
                f"sse-tui: {self._refusal} The request is repeated in {record.delay_ms / 1000:.3g} s."
            )


def not_repeated(turn: Turn, reason: str, policy: str) -> str:
    """What a stream was that ended in order, and why it is not requested again; "" if there is nothing to say.

    Under the policy "never" only a body without any event is worth a word; under "always" an end marker is, too, since
    whoever asked for it expects another request.
    """
    from sse_tui.analysis.outcome import Ending, Outcome
    from sse_tui.fields import EVENT_STREAM, essence, first
    from sse_tui.text.wording import many

    never = policy == "never"
    whole = policy == "always" and (turn.outcome is Outcome.COMPLETE or turn.dialect.ended)
    if not whole and (turn.conclusion.ending is not Ending.ENDED or (never and turn.events)):
        return ""
    response = turn.connections[-1].response
    media_type = essence(first(response.headers, "content-type")) if response is not None else EVENT_STREAM
    seen = [many(turn.bytes, "byte")]
    if media_type != EVENT_STREAM:
        seen.append(media_type or "no content type")
    if turn.comments:
        seen.append(many(turn.comments, "comment"))
    if ignored := turn.ignored_fields.total():
        seen.append(f"{many(ignored, 'line')} that the standard ignores")
    events = f"after {many(turn.events, 'event')}" if turn.events else "without an event"
    why = "" if never else f" It is not requested again ({reason})."
    return f"The stream ended {events} ({', '.join(seen)}).{why}"

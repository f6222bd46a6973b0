"""How the body of a stream ended, as a client notices it."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from sse_tui.recording.records import Close, CloseReason

End: TypeAlias = Literal["fin", "incomplete", "reset", "stall"]
"""In order; without the last chunk, or with fewer bytes than announced; by a reset; not at all, until a time limit."""

ENDS: tuple[End, ...] = get_args(End)

WORDS: dict[End, str] = {
    "fin": "orderly end",
    "incomplete": "missing last chunk",
    "reset": "reset",
    "stall": "stall",
}

_BY_REASON: dict[CloseReason, End] = {
    CloseReason.INCOMPLETE: "incomplete",
    CloseReason.RESET: "reset",
    CloseReason.ERROR: "reset",
    CloseReason.TIMEOUT: "stall",
}


def end_of(close: Close | None) -> End:
    """The kind of end that a close record is; one of our own making, or none, is as good as an orderly one.

    An injected fault that resets the connection is a reset to the client, any other is a connection that breaks off.
    """
    if close is None:
        return "fin"
    if close.cause is CloseReason.FAULT:
        return "reset" if "reset" in close.detail.lower() else "incomplete"
    return _BY_REASON.get(close.cause, "fin")

"""How a turn went, as one word and at most one error."""

from __future__ import annotations

from typing import NamedTuple

from sse_tui.errors import HttpError, SseTuiError, StreamError
from sse_tui.transport.reception import Reception


class Ended(NamedTuple):
    """How the last connection ended: a kind of `resume.Outcome`, its error, and its close record's detail."""

    kind: str
    error: SseTuiError | None
    detail: str = ""


def conclude(ended: Ended, reception: Reception, reason: str) -> tuple[str, SseTuiError | None]:
    """The outcome and the error of a turn; `reason` is why there was no further attempt."""
    if ended.kind == "stopped":
        return "stopped", None
    if reception.fault is not None:
        return "failed", _told(reception)
    if reception.complete is True:
        return "complete", None
    if reception.marked_end:
        return "ended", None
    if not reception.was_open:
        return ("refused" if isinstance(ended.error, HttpError) else "failed"), ended.error
    return _broken(ended, reception, reason)


def _told(reception: Reception) -> StreamError:
    """An error that came inside the stream."""
    fault = reception.fault
    assert fault is not None
    name = " ".join(str(part) for part in (fault.type, fault.code) if part is not None)
    message = fault.message or "no message"
    named = f" ({name})" if name else ""
    return StreamError("in-band-error", f"The stream told of an error{named}: {message}")


def _broken(ended: Ended, reception: Reception, reason: str) -> tuple[str, SseTuiError | None]:
    """The stream had been open, and it neither said that it ended nor is known to be whole."""
    if ended.kind == "status" and isinstance(ended.error, HttpError) and ended.error.code == "http-204":
        if reception.complete is False:
            return "truncated", _cut(reception, "the server answered 204 to the request for the rest")
        return "ended", None
    if ended.kind in ("status", "wrong-type", "no-connection") or (
        ended.kind == "fatal" and not isinstance(ended.error, StreamError)
    ):
        message = ended.error.message if ended.error is not None else ended.detail
        return "truncated", StreamError(
            "resume-failed", f"The stream broke off and could not be resumed: {message}", f"({reason}.)"
        )
    if ended.error is not None:
        return "failed", ended.error
    if ended.kind == "eof" and reception.complete is None:
        return "unknown", None
    how = {"eof": "the body ended in order, without the dialect's end marker", "reset": "it was reset"}
    return "truncated", _cut(reception, ended.detail or how.get(ended.kind, ended.kind), reason)


def _cut(reception: Reception, how: str, reason: str = "") -> StreamError:
    count = f"{reception.total} event{'' if reception.total == 1 else 's'}"
    return StreamError(
        "truncated",
        f"The stream broke off after {count}: {how}.",
        f"There was no reconnect: {reason}." if reason else "",
    )

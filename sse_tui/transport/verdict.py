"""How a turn went, as one word and at most one error."""

from __future__ import annotations

from typing import NamedTuple

from sse_tui.errors import ConnectError, HttpError, SseTuiError, StreamError
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
    if isinstance(ended.error, StreamError):
        return "failed", ended.error
    if ended.error is not None and ended.error.code == "total-timeout":
        return "failed", StreamError("total-timeout", ended.error.message, ended.error.hint)
    if ended.error is not None:
        return _not_resumed(ended.error, reception, reason)
    if ended.kind == "eof" and reception.complete is None:
        return "unknown", None
    how = {"eof": "the body ended in order, without the dialect's end marker", "reset": "it was reset"}
    return "truncated", _cut(reception, ended.detail or how.get(ended.kind, ended.kind), reason)


def _not_resumed(error: SseTuiError, reception: Reception, reason: str) -> tuple[str, SseTuiError | None]:
    """No attempt after the first connection brought a stream."""
    count = _events(reception)
    hint = f"There was no further attempt: {reason}."
    if reception.orderly:
        message = f"The stream ended in order after {count}, and a reconnect failed: {error.message}"
        return "failed", ConnectError("reconnect-failed", message, hint)
    message = f"The stream broke off after {count} and could not be resumed: {error.message}"
    return "truncated", StreamError("resume-failed", message, hint)


def _cut(reception: Reception, how: str, reason: str = "") -> StreamError:
    return StreamError(
        "truncated",
        f"The stream broke off after {_events(reception)}: {how}.",
        f"There was no reconnect: {reason}." if reason else "",
    )


def _events(reception: Reception) -> str:
    return f"{reception.total} event{'' if reception.total == 1 else 's'}"

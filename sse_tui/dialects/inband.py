"""Errors that servers report inside a stream whose status was already 200: the forms in which payloads have them.

There are three kinds of forms. A *member* reports an error whatever stands beside it (``{"error": …}``). A *name*
announces it: the event's type, or the payload's own (``{"type": "error", …}``, ``event: exception``). An *envelope* is
an object that holds nothing but the error (``{"detail": …}``, ``{"code": 429, "message": …}``, ``{"success": false}``):
its members are common words, so it counts only where the payload has no others, and only where the dialect has not
found another meaning in it. In streams of an unknown kind an envelope must be one beyond doubt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from sse_tui.dialects.base import StreamFault
from sse_tui.dialects.error_fields import (
    CODES,
    EMPTY,
    MESSAGES,
    fault_announced,
    fault_beside,
    fault_from,
    first_of,
    http_error,
    of_list,
    says_success,
    unfolded,
)
from sse_tui.dialects.error_names import announces, is_error_code, is_exception
from sse_tui.dialects.error_text import fault_in_text
from sse_tui.dialects.payload import JsonError, compact, decode, items, members, string

_KINDS = ("type", "event", "event_type", "object", "kind")
"""Members in which payloads name their kind."""

# Members that make a payload a line of a log: what it says of errors is about something else.
_LOG = frozenset(
    (
        *("level", "lvl", "severity", "loglevel", "log_level", "logLevel", "levelname", "logger"),
        *("log.level", "@timestamp", "syslog", "facility"),
    )
)


def fault_in(payload: dict[str, Any], *, announced: bool = False) -> StreamFault | None:
    """The error that `payload` reports by a member or a name, or None. `announced`: its event's type is an error's.

    Fields that the payload does not give are None; an empty `error` (null, "", {}) reports nothing, as in the
    SDKs.
    """
    error = payload.get("error")
    if error:
        fault = _from_error(error, payload)
        if fault is not None:
            return fault
    if announced:
        return fault_announced(payload)
    for name in _KINDS:
        kind = payload.get(name)
        if type(kind) is str and announces(kind):
            return fault_announced(payload)
    return None


def _from_error(error: Any, payload: dict[str, Any]) -> StreamFault | None:
    """What the member `error` says: an object, a text, a code, or that there is one."""
    if isinstance(error, dict):
        if says_success(error):
            return None
        fault = fault_from(error)
        return fault if any(field is not None for field in fault) else fault._replace(message=compact(error))
    if isinstance(error, str):
        return None if error.strip().lower() in EMPTY else _from_text(error, payload)
    if isinstance(error, list):
        return of_list(error)
    fault = fault_beside(payload)
    if error is True:
        return fault
    if type(error) is int and (http_error(error) or fault.message is not None):
        return fault if fault.code is not None else fault._replace(code=error)
    return None  # a number: errors are measured, too


def _from_text(error: str, payload: dict[str, Any]) -> StreamFault:
    beside = fault_beside(payload)
    if beside.message is None:
        return unfolded(beside._replace(message=error))
    if isinstance(beside.code, int):  # {"status": 500, "error": "Internal Server Error", "message": "…"}
        return beside._replace(type=beside.type or error)
    return StreamFault(
        beside.type, error, beside.message
    )  # {"error": "rate_limited", "message": "slow down"}


class Setting(IntEnum):
    """What is known of the stream that an envelope stands in; each form needs to know so much at least."""

    UNKNOWN = 0
    OTHERS = 1  # payloads of another form came before
    EXPECTED = 2  # payloads of a dialect are due, and this is not one


class _Envelope(NamedTuple):
    """One form of an object that is nothing but an error."""

    needs: Setting
    fits: Callable[[dict[str, Any]], bool]
    read: Callable[[dict[str, Any]], StreamFault | None] = fault_from


_FAILED = frozenset({"error", "failed", "failure", "fail"})


def _failed_status(payload: dict[str, Any]) -> bool:
    return any(str(payload.get(name)).lower() in _FAILED for name in ("status", "state", "result"))


def _no_success(payload: dict[str, Any]) -> bool:
    return any(payload.get(name) is False for name in ("success", "ok", "succeeded"))


def _http_status(payload: dict[str, Any]) -> bool:
    said = first_of(payload, MESSAGES) is not None
    return said and any(http_error(payload.get(name)) for name in CODES)


def _named_code(payload: dict[str, Any]) -> bool:
    names = (payload.get(name) for name in CODES)
    return first_of(payload, MESSAGES) is not None and any(
        isinstance(n, str) and is_error_code(n) for n in names
    )


def _any_code(payload: dict[str, Any]) -> bool:
    codes = (payload.get(name) for name in CODES)
    failed = any(type(code) is int and not (code == 0 or 200 <= code < 300) for code in codes)
    return failed and first_of(payload, MESSAGES) is not None


_OWN_MESSAGES = tuple(name for name in MESSAGES if name.lower().startswith("err"))


def _error_message(payload: dict[str, Any]) -> bool:
    codes = [payload[name] for name in CODES if payload.get(name) is not None]
    said = next(filter(None, (string(payload.get(name)) for name in _OWN_MESSAGES)), "")
    return said.lower() not in EMPTY and not (codes and all(code in (0, 200, "0", "200") for code in codes))


def _validation(payload: dict[str, Any]) -> bool:
    detail = payload.get("detail")
    return len(payload) == 1 and isinstance(detail, list) and "msg" in members(next(iter(detail), None))


def _detail(payload: dict[str, Any]) -> bool:
    return len(payload) == 1 and bool(string(payload.get("detail")))


def _like_text(payload: dict[str, Any]) -> bool:
    """A message that is a status line: API Gateway's ``{"message": "Internal server error", "requestId": …}``.

    A detail with nothing beside it may be in other words.
    """
    message = first_of(payload, MESSAGES)
    return message is not None and fault_in_text(message, exact=not _detail(payload)) is not None


_ENVELOPES = (
    _Envelope(
        Setting.UNKNOWN,
        lambda payload: bool(items(payload.get("errors"))),
        lambda payload: of_list(payload["errors"]),
    ),
    _Envelope(Setting.UNKNOWN, _failed_status),
    _Envelope(Setting.UNKNOWN, _no_success),
    _Envelope(Setting.UNKNOWN, _http_status),
    _Envelope(Setting.UNKNOWN, _named_code),
    _Envelope(Setting.UNKNOWN, _error_message),
    _Envelope(Setting.UNKNOWN, _validation, lambda payload: of_list(payload["detail"])),
    _Envelope(Setting.UNKNOWN, _like_text),
    _Envelope(Setting.OTHERS, _detail),
    _Envelope(Setting.EXPECTED, _any_code),
)

# The members of envelopes, and those that say only which request failed and when.
_BESIDE = frozenset(
    (
        *MESSAGES,
        *CODES,
        *(
            "type",
            "kind",
            "status",
            "state",
            "result",
            "success",
            "ok",
            "succeeded",
            "error",
            "errors",
            "error_type",
        ),
        *(
            "errorType",
            "detail",
            "details",
            "messages",
            "title",
            "instance",
            "path",
            "param",
            "name",
            "data",
            "help",
            "hint",
        ),
        *(
            "request_id",
            "requestId",
            "RequestId",
            "x_request_id",
            "trace_id",
            "traceId",
            "connectionId",
            "sid",
            "task_id",
        ),
        *(
            "run_id",
            "conversation_id",
            "message_id",
            "timestamp",
            "time",
            "ts",
            "created",
            "created_at",
            "retry_after",
        ),
        *(
            "retryable",
            "retry",
            "apiVersion",
            "metadata",
            "extensions",
            "locations",
            "log_id",
            "logid",
            "event",
        ),
    )
)
# One of these is in every envelope.
_SIGNS = frozenset(
    (
        *CODES,
        *_OWN_MESSAGES,
        *("status", "state", "result", "success", "ok", "succeeded", "detail", "errors", "message"),
        *("msg", "type"),
    )
)
_ELSEWHERE = frozenset(
    {"success", "base_resp", "fault", "Response", "ErrorMsg", "__type", "error_code", "errorCode"}
)


def fault_alone(payload: dict[str, Any], context: Setting = Setting.EXPECTED) -> StreamFault | None:
    """The error that the whole of `payload` is, or None."""
    if (
        not _SIGNS.isdisjoint(payload)
        and _BESIDE.issuperset(payload)
        and payload.get("data") in (None, "", {}, [])
    ):
        for form in _ENVELOPES:
            if form.needs <= context and form.fits(payload):
                return form.read(payload)
    if len(payload) <= 2:
        for name, value in payload.items():
            if name.endswith("Exception") and announces(name) and (value or len(payload) == 1):
                fault = (
                    fault_from(value) if isinstance(value, dict) else StreamFault(None, None, string(value))
                )
                return fault._replace(
                    type=fault.type or name
                )  # Bedrock: {"throttlingException": {"message": …}}
    return None if _ELSEWHERE.isdisjoint(payload) else _elsewhere(payload)


def _elsewhere(payload: Mapping[str, Any]) -> StreamFault | None:
    """Errors in the members that only one provider or gateway has: MiniMax, Apigee, Tencent, Gradio, Baidu, AWS."""
    given = members(payload.get("base_resp"))
    if given.get("status_code"):
        return fault_from(given)
    for owner, member in (
        (payload, "fault"),
        (members(payload.get("Response")), "Error"),
        (payload, "ErrorMsg"),
    ):
        given = members(owner.get(member))
        if given and first_of(given, MESSAGES) is not None:
            return fault_from(given)
    said = string(members(payload.get("output")).get("error"))
    if said is not None and payload.get("success") is False:  # Gradio's process_completed
        return StreamFault(None, None, said)
    code = payload.get("error_code", payload.get("errorCode"))  # Baidu's, beside the id of the answer
    if (
        code not in (None, "", 0, "0")
        and "choices" not in payload
        and first_of(payload, _OWN_MESSAGES) is not None
    ):
        return fault_from(payload)
    kind = string(payload.get("__type"))
    if kind is not None and announces(kind.rpartition("#")[2]):
        return fault_from({**payload, "type": kind.rpartition("#")[2]})
    return None


_REPORTING = _SIGNS | _ELSEWHERE | {"error", *_KINDS}


def may_report(payload: dict[str, Any]) -> bool:
    """Whether `payload` has a member by which it could report an error: a quick look before a thorough one."""
    return not _REPORTING.isdisjoint(payload) or (len(payload) <= 2 and any(map(is_exception, payload)))


def fault_in_unknown(
    payload: dict[str, Any], context: Setting = Setting.UNKNOWN, *, announced: bool = False
) -> StreamFault | None:
    """The error that a payload of an unknown stream reports beyond doubt: a line of a log reports none."""
    if not announced and not _LOG.isdisjoint(payload):
        return None
    return fault_in(payload, announced=announced) or fault_alone(payload, context)


# Where an error may begin that was written into an event which had not ended. In a JSON string its quotes are escaped.
_BEGINS = re.compile(r'(?<=\n)\{|\{ ?"(?:error"|type" ?: ?"error")')
_TRIED = 4


def fault_behind(data: str) -> StreamFault | None:
    """The error at the end of data that is no JSON: a server that failed wrote it into an event that had not ended."""
    starts = [found.start() for found in _BEGINS.finditer(data) if found.start()]
    for start in starts[: -_TRIED - 1 : -1]:
        try:
            payload = decode(data[start:])
        except JsonError:
            continue
        if isinstance(payload, dict):
            return fault_in(payload)
    return None


def fault_in_any(payload: Any) -> StreamFault | None:
    """The error that a payload of a JSON dialect is where an object is due: a text, or a list that begins with one."""
    if isinstance(payload, str):
        return fault_in_text(payload)
    first = members(next(iter(payload), None)) if isinstance(payload, list) else {}
    return fault_in(first) if "error" in first else None


def named(fault: StreamFault, event_type: str) -> StreamFault:
    """The fault, its type taken from the event's where that is the name of an exception."""
    return fault._replace(type=event_type) if fault.type is None and is_exception(event_type) else fault


def fault_words(fault: StreamFault, limit: int | None = None) -> str:
    """An error that was reported in a stream: its type, code and message, the latter up to `limit` characters."""
    named = " ".join(str(part) for part in (fault.type, fault.code) if part is not None)
    message = (fault.message or "no message")[:limit].rstrip(".")
    return f"{named}: {message}" if named else message


def merged(first: StreamFault | None, later: StreamFault) -> StreamFault:
    """The error of a stream that reported `later` after `first`: the first one, whose gaps later ones fill."""
    if first is None:
        return later
    if first.message is not None or later.message is None:
        return first
    code = first.code if first.code is not None else later.code
    return StreamFault(first.type or later.type, code, later.message)

"""The fields of an error, under the names that servers give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sse_tui.dialects.base import StreamFault
from sse_tui.dialects.error_names import PLAIN, is_error_code
from sse_tui.dialects.payload import JsonError, compact, decode, members, string

MESSAGES = (
    *(
        "message",
        "msg",
        "error_message",
        "errorMessage",
        "error_msg",
        "errorMsg",
        "errmsg",
        "errMsg",
        "errorText",
    ),
    *(
        "error_description",
        "err_msg",
        "err",
        "status_msg",
        "faultstring",
        "Message",
        "Msg",
        "detail",
        "description",
    ),
    *("title", "reason"),
)
"""In this order: the first one that is there is the message."""

_TEXTS = ("content", "text", "data", "value", "body", "details")
"""Where an event that is an error by its name may have its message, too."""

CODES = (
    *(
        "code",
        "error_code",
        "errorCode",
        "err_code",
        "errcode",
        "errno",
        "status_code",
        "statusCode",
        "http_status",
    ),
    *("httpStatus", "http_code", "status", "grpc_code", "originalStatusCode", "errorcode", "Code"),
)

_TYPES = (
    "error_type",
    "errorType",
    "__type",
    "type",
    "exception",
    "class",
    "name",
    "kind",
    "reason",
    "status",
)
_OWN_TYPES = _TYPES[:3]  # that cannot be the type of anything else

_NESTED = (
    "error",
    "last_error",
    "lastError",
    "data",
    "payload",
    "body",
    "object",
    "content",
    "detail",
    "details",
    "response",
    "value",
)
"""Objects around the fields of an announced error."""

EMPTY = frozenset({"", "none", "null", "nil", "ok", "success", "false", "0", "no error", "undefined"})
"""Texts in the place of an error that say that there is none."""

_INNER = ("metadata", "extensions", "detail")
"""Objects beside the fields that may hold the code: GraphQL's extensions, Apigee's detail."""


def fault_from(error: Mapping[str, Any]) -> StreamFault:
    """The error that an object is, which holds nothing else; what it does not give is None."""
    message, kind = first_of(error, MESSAGES), _type_of(error)
    if kind == message:
        kind = None
    return unfolded(StreamFault(kind, _code_of(error), message))


def fault_beside(payload: Mapping[str, Any]) -> StreamFault:
    """The same where the fields stand among those of an event, whose type is not the error's."""
    message, kind = first_of(payload, MESSAGES), _type_of(payload)
    if kind is not None and not (is_error_code(kind) or kind in map(payload.get, _OWN_TYPES)):
        kind = None
    return unfolded(StreamFault(kind if kind != message else None, _code_of(payload), message))


def unfolded(fault: StreamFault) -> StreamFault:
    """The same where the message is the JSON of another error, as gateways pass on what their upstream answered.

    What is given beside it counts as the gateway's own.
    """
    if fault.message is None or not fault.message.lstrip().startswith("{"):
        return fault
    try:
        payload = decode(fault.message)
    except JsonError:
        return fault
    inner = fault_announced(payload) if isinstance(payload, dict) else fault
    code = fault.code if fault.code is not None else inner.code
    return StreamFault(fault.type or inner.type, code, inner.message or fault.message)


def fault_announced(payload: Mapping[str, Any]) -> StreamFault:
    """The same where the payload is known to report an error: its fields may be wrapped, or no more than a text."""
    fault = fault_beside(payload)
    kind = string(payload.get("type"))
    if fault.type is None and kind is not None and not (kind.lower() in PLAIN or ":" in kind or "." in kind):
        fault = fault._replace(type=kind)
    if fault.message is not None:
        return fault
    nested = next(
        (payload[name] for name in _NESTED if isinstance(payload.get(name), dict) and payload[name]), None
    )
    if nested is not None:
        inner = fault_announced(nested)
        code = inner.code if inner.code is not None else fault.code
        return StreamFault(inner.type or fault.type, code, inner.message)
    text = first_of(payload, _TEXTS)
    return fault._replace(message=text if text is not None else compact(payload) if payload else None)


def of_list(errors: Sequence[Any]) -> StreamFault | None:
    """The first of several errors; its message says how many others there are."""
    first = next(iter(errors), None)
    text = string(first)
    if isinstance(first, dict):
        fault = fault_from(first)
    elif text is not None and text.lower() not in EMPTY:
        fault = StreamFault(None, None, text)
    else:
        return None
    if len(errors) == 1:
        return fault
    others = f"{len(errors) - 1} more"
    return fault._replace(message=f"{fault.message} (and {others})" if fault.message else f"(and {others})")


def first_of(fields: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The text of the first of these members that has any; of an object or a list there, its own, or compact JSON."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
        if name in ("message", "detail", "details") and value not in (None, "", {}, []):
            inner = value[0] if isinstance(value, list) else value
            said = first_of(inner, MESSAGES) if isinstance(inner, dict) and name != "message" else None
            return compact(value) if said is None else said
    return None


def says_success(error: Mapping[str, Any]) -> bool:
    """Whether an object in the place of an error says that there is none: ``{"code": 0, "message": "ok"}``."""
    codes = [error[name] for name in CODES if error.get(name) is not None]
    message = first_of(error, MESSAGES)
    if any(code not in (0, 200) and str(code).lower() not in EMPTY for code in codes):
        return False
    return message.lower() in EMPTY if message is not None else bool(codes)


def http_error(code: Any) -> bool:
    """Whether `code` is an HTTP status of an error, as a number or in digits."""
    if isinstance(code, str) and len(code) == 3 and code.isdecimal():
        code = int(code)
    return type(code) is int and 400 <= code < 600


def http_status(data: str) -> int | None:
    """The HTTP status of an error that the data of an event gives at its top, None where there is none."""
    try:
        payload = members(decode(data))
    except JsonError:
        return None
    return next((int(payload[name]) for name in CODES if http_error(payload.get(name))), None)


def _type_of(fields: Mapping[str, Any]) -> str | None:
    for name in _TYPES:
        value = string(fields.get(name))
        if value is not None and value.lower() not in PLAIN and not value.isdecimal():
            return value
    return None


def _code_of(fields: Mapping[str, Any]) -> str | int | None:
    for name in CODES:
        value = fields.get(name)
        if value is None or value == "" or isinstance(value, bool):
            continue
        if name in ("status", "Code") and isinstance(value, str) and not value.isdecimal():
            continue  # a word: the type
        return value if isinstance(value, str | int) else compact(value)
    for name in _INNER:
        inner = members(fields.get(name))
        code = inner.get("code", inner.get("errorcode"))
        if isinstance(code, str | int) and not isinstance(code, bool) and code != "":
            return code
    return None

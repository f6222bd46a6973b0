"""Why data is not JSON: what it is instead, or what broke it, as far as the text shows."""

from __future__ import annotations

import re
from collections.abc import Callable

from sse_tui.diagnosis.reframing import json_texts
from sse_tui.dialects.error_text import fault_in_text

_GOES_ON = re.compile(r"""(?:data|event): ?(?=[{\["\w])""")
_HTML = re.compile(r"\s*<(?:!doctype|html|head|body|title|h1|center|div|p|br)\b", re.I)
_PLACE = re.compile(r"column (\d+)$")
_JSON_BEGINS = re.compile(r'\s*(?:[{\["]|-?\d|true|false|null)')
_LAST_COMMA = re.compile(r",\s*[}\]]")
# What programming languages print for a value that is to be sent, and never JSON.
_PRINTED = {
    "[object Object]": "it is how JavaScript prints an object: the server left out JSON.stringify()",
    "undefined": "it is JavaScript's undefined, which JSON does not have",
    "None": "it is Python's None, not JSON's null",
    "True": "it is Python's True, not JSON's true",
    "False": "it is Python's False, not JSON's false",
    "nil": "it is a nil that was printed, not JSON's null",
    "<nil>": "it is how Go prints nil, not JSON's null",
    "NULL": "it is NULL in capitals, not JSON's null",
}


def cause_of(data: str, reason: str) -> str:
    """The cause as a clause; `reason` is what the decoder said of `data`."""
    return next(cause for cause in (find(data, reason) for find in _CAUSES) if cause)


def event_inside(data: str) -> int:
    """Where another event begins in data that had not ended; 0 for nowhere."""
    found = [match.end() for match in _GOES_ON.finditer(data) if match.start()]
    return found[-1] if found and data.lstrip()[:1] in ("{", "[") else 0


def _constant(data: str, reason: str) -> str:
    known = "the constant " in reason
    return (
        "JavaScript's JSON.parse fails on it and loses the event, Python's json and sse-tui read it"
        if known
        else ""
    )


def _printed(data: str, reason: str) -> str:
    return _PRINTED.get(data.strip(), "")


def _page(data: str, reason: str) -> str:
    return "it is HTML, for example a proxy's error page" if _HTML.match(data) else ""


def _error(data: str, reason: str) -> str:
    if fault_in_text(data) is not None:
        return "it reads like an error message, not like a payload"
    return (
        "an error was probably written into the middle of an event"
        if "\n" in data and "error" in data
        else ""
    )


def _text(data: str, reason: str) -> str:
    return "" if _JSON_BEGINS.match(data) else "it is plain text"


def _another_event(data: str, reason: str) -> str:
    return "another event was written into it before it had ended" if event_inside(data) else ""


def _more(data: str, reason: str) -> str:
    if "Extra data" not in reason:
        return ""
    (first, *_), _ = json_texts(data) if data.lstrip()[:1] in ("{", "[") else ([""], False)
    rest = data.lstrip()[len(first) :].strip()[:40]
    return (
        f"{rest!r} follows the JSON text"
        if first and rest[:1] not in ("{", "[")
        else "two JSON texts run together"
    )


def _control(data: str, reason: str) -> str:
    return (
        "a tab, a line feed or another control character in a string was not escaped"
        if "control char" in reason
        else ""
    )


def _comma(data: str, reason: str) -> str:
    place = _PLACE.search(reason)
    at = int(place[1]) - 1 if place is not None and "\n" not in data else -1
    found = _LAST_COMMA.search(data, max(0, at - 2)) if at >= 0 else None
    return "a comma stands before a closing bracket" if found is not None and found.start() <= at + 1 else ""


def _cut(data: str, reason: str) -> str:
    place = _PLACE.search(reason)
    at_end = place is None or int(place[1]) >= len(data.rstrip())
    cut = "Unterminated" in reason or (at_end and ("Expecting" in reason or "end" in reason))
    return "it is cut short, perhaps at a character that the server took for a line end" if cut else ""


def _unescaped(data: str, reason: str) -> str:
    return "the server probably failed to quote or escape something"


_CAUSES: tuple[Callable[[str, str], str], ...] = (
    _constant,
    _printed,
    _page,
    _error,
    _text,
    _another_event,
    _more,
    _control,
    _comma,
    _cut,
    _unescaped,
)

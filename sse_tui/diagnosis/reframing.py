"""What a wrongly framed stream was meant to be: its events put right, as far as that is certain.

Everything here is about text: a payload, or a block of lines. Each way to frame it wrongly has a function that gives
the events that were meant; what does not fit exactly is left alone.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sse_tui.dialects.payload import JsonError, compact, decode
from sse_tui.eventstream import Event, Parser

DONE = "[DONE]"
FIELDS = ("data", "event", "id", "retry")
_LARGEST = 1024 * 1024  # characters of a payload that are looked at
_LITERAL = 64 * 1024  # likewise, as a Python literal
_DEPTH = 3  # times that an event may have been wrapped
_LINES = 3  # data lines that are more than an event of plain text is likely to have
_STRINGS = 64  # characters of the name of a member that holds an event stream

LINE_ENDS = re.compile("\r\n|\n|\r")
_FIELD_LINE = re.compile(r"(?:data|event|id|retry)(?::|$)|:")
# Line ends that were written as escapes, or with the wrong slash, where no JSON text can have them: before a field, or
# at the very end.
_ESCAPED_RUN = re.compile(r"(?<![\\/][rn])(?:[\\/][rn])++(?=(?:data|event|id|retry):|\s*$)")
_ESCAPED_END = re.compile(r"\\r\\n|/r/n|[\\/][rn]")
_NOTHING = re.compile(r"\s*")
_FIELD_NAME = re.compile(r"\s*(?:data:\s*)?")
_GLUE = re.compile(r"[}\]]\s*(?:data:\s*)?[{\[]")
_decode_one = json.JSONDecoder(
    strict=False
).raw_decode  # a raw line feed in a string is how many payloads get cut


class Misframing(NamedTuple):
    """How a payload or a block was framed wrongly: its `kind`, in which `form`, and the events that were meant.

    `sure` is false where an event that looks like this may be just what the server means to send.
    """

    kind: str
    form: str
    events: list[Event]
    sure: bool = True


def is_json(text: str) -> bool:
    """Whether `text` is one JSON text."""
    try:
        decode(text)
    except JsonError:
        return False
    return True


def is_payload(text: str) -> bool:
    """Whether `text` is what chunks are made of: a JSON object or array, or the end marker."""
    return text.strip() == DONE or (text.lstrip()[:1] in ("{", "[") and is_json(text))


def json_texts(data: str, between: re.Pattern[str] = _NOTHING) -> tuple[list[str], bool]:
    """The JSON objects and arrays, and end markers, that `data` begins with; whether that is all of it.

    `between` matches what may stand between two of them, nothing included.
    """
    texts: list[str] = []
    at = _after(_NOTHING, data, 0)
    while at < len(data):
        end = at + len(DONE)
        if not data.startswith(DONE, at):
            if data[at] not in "{[":
                return texts, False
            try:
                _, end = _decode_one(data, at)
            except (ValueError, RecursionError):
                return texts, False
        texts.append(data[at:end])
        at = _after(between, data, end)
    return texts, True


def _after(what: re.Pattern[str], text: str, at: int) -> int:
    found = what.match(text, at)
    return at if found is None else found.end()


def _events_of(stream: str) -> list[Event]:
    """The events of a text that is an event stream, the last one whether a blank line follows it or not."""
    items = Parser().feed(stream.encode("utf-8", "surrogatepass") + b"\n\n")
    return [item for item in items if type(item) is Event]


def _framed(text: str) -> list[Event]:
    """The events of a text all of whose lines are fields or comments; none where it is anything else."""
    lines = [line for line in LINE_ENDS.split(text) if line]
    return _events_of(text) if lines and all(_FIELD_LINE.match(line) for line in lines) else []


def _json_string(data: str) -> str | None:
    value = decode(data) if is_json(data) else None
    return value if isinstance(value, str) else None


def _encoded_again(data: str) -> str | None:
    """The payload in a JSON string, as the event that would hold it."""
    value = _json_string(data)
    return f"data: {compact(decode(value))}" if value is not None and is_json(value) else None


def _python_literal(data: str) -> str | None:
    if len(data) > _LITERAL:
        return None
    try:
        value = ast.literal_eval(data.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    if not isinstance(text, str):
        return None
    return f"data: {text}" if is_payload(text) else text


def _json_member(data: str) -> str | None:
    """The event stream in the members of an object or array: how some gateways pass on the body of another."""
    value = decode(data) if is_json(data) else None
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return "\n".join(text for text in members if isinstance(text, str) and _FIELD_LINE.match(text))


_LONE_FIELD = re.compile(r"(?:event|id|retry): ?\S+")  # of a stream that was forwarded line by line
_AS_LINES = "as plain lines"
ENCODED_AGAIN = "as a JSON string of JSON"
_IN_A_MEMBER = "inside a JSON object or array"
_QUOTED = re.compile(r"""b?['"](?:data|event|id|retry|):""")
_PYTHON_OBJECT = re.compile(r"\{\s*'|\[\s*\{\s*'")
# How an event stream gets into the data of another: what that begins with, its form, and how to take the stream out.
_WRAPPINGS: tuple[tuple[re.Pattern[str], str, Callable[[str], str | None]], ...] = (
    (_FIELD_LINE, _AS_LINES, lambda data: data),
    (re.compile(r'"\s*(?:(?:data|event|id|retry)\s?:|:)'), "as a JSON string", _json_string),
    (re.compile(r'"\s*[{\[]'), ENCODED_AGAIN, _encoded_again),
    (
        re.compile(r"""b['"](?:(?:data|event|id|retry):|[:{\[])|'(?:data|event):"""),
        "as a Python literal",
        _python_literal,
    ),
    (
        re.compile(rf'(?:\{{\s*"[^"]{{1,{_STRINGS}}}"\s*:|\[)\s*"(?:data|event):'),
        _IN_A_MEMBER,
        _json_member,
    ),
)


def _unwrapped(data: str) -> tuple[str, list[Event]] | None:
    for start, form, take_out in _WRAPPINGS:
        if start.match(data):
            inner = take_out(data)
            events = _framed(inner) if inner is not None else []
            if any(event.data for event in events):
                return form, events
    return None


def quoted(line: str) -> list[Event]:
    """The events in a line that is a Python literal instead of its content, as ``str`` makes of bytes."""
    inner = _python_literal(line) if _QUOTED.match(line) else None
    return _framed(inner) if inner is not None else []


def python_value(data: str) -> str | None:
    """The JSON that was meant by an object as Python writes it; None where it is none."""
    if len(data) > _LITERAL or not _PYTHON_OBJECT.match(data):
        return None
    try:
        return compact(ast.literal_eval(data))
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def wrapped(data: str) -> Misframing | None:
    """An event stream inside the data of an event, once or more often."""
    found = _unwrapped(data)
    if found is None:
        return None
    form, events = found
    for _ in range(_DEPTH):
        deeper = [_unwrapped(event.data) for event in events]
        if not any(deeper):
            break
        events = [
            each
            for event, more in zip(events, deeper, strict=True)
            for each in ([event] if more is None else more[1])
        ]
    payloads = any(is_payload(event.data) for event in events)
    if form in (
        _IN_A_MEMBER,
        ENCODED_AGAIN,
    ):  # which may be the output of some tool, or what an application means
        return Misframing("wrapped", form, events, sure=False) if payloads else None
    return Misframing("wrapped", form, events, payloads)


def escaped(data: str) -> Misframing | None:
    """Events that are separated by a backslash and an n instead of by line ends."""
    run = _ESCAPED_RUN.search(data)
    if run is None:
        return None
    events = _framed("data: " + _ESCAPED_RUN.sub(lambda ends: _ESCAPED_END.sub("\n", ends[0]), data))
    sure = any(is_payload(event.data) for event in events)
    if not sure and len(events) < 2:
        return None
    return Misframing("escaped", run[0], events, sure)


def glued(data: str) -> Misframing | None:
    """JSON texts that follow each other in one payload with nothing, or only a field's name, between them."""
    texts, whole = json_texts(data, _FIELD_NAME)
    if len(texts) < 2 or not whole or not any(text[0] == "{" for text in texts):
        return None
    form = "a missing line end" if "data:" in data and len(json_texts(data)[0]) < len(texts) else ""
    return Misframing("glued", form, _as_events(texts))


def unseparated(block: str) -> Misframing | None:
    """Events that one block holds because the blank lines between them are missing.

    `block` is text of fields; its last line may be cut. A block has one name and one id: two of either, with data
    between, are two events, and so are two JSON texts that begin on lines of their own.
    """
    events: list[Event] = []
    named = {"event": 0, "id": 0}
    name, lines = "", []
    values: list[str] = []
    for field, value in [*_fields(block), ("", "")]:
        if field == "data":
            lines.append(value)
            values.append(value)
            continue
        if lines and field in ("event", "id", ""):
            events.append(Event(name or "message", "\n".join(lines), "", 0, 0))
            name, lines = "", []
        if field in named:
            named[field] += 1
        if field == "event":
            name = value
    if len(events) > 1 and max(named.values()) > 1:
        return Misframing("unseparated", "fields", events)
    texts, _ = json_texts("\n".join(values))
    if not 2 <= len(texts) <= len(values) or not any(text[0] == "{" for text in texts):
        return None
    return Misframing("unseparated", "JSON", _as_events(texts, events[0].type), sure=False)


def plain_lines(block: str) -> list[str]:
    """The values of a block of several data lines and nothing else, all whole; none where it is anything else."""
    lines = LINE_ENDS.split(block)
    if lines.pop() or len(lines) < _LINES or not all(line.startswith("data:") for line in lines):
        return []
    return [line[5:].removeprefix(" ") for line in lines]


def _as_events(texts: Sequence[str], name: str = "message") -> list[Event]:
    return [Event(name, text, "", 0, 0) for text in texts]


def _fields(block: str) -> Iterator[tuple[str, str]]:
    """The names and values of the fields in a block, as the standard cuts them; other lines are left out."""
    for line in LINE_ENDS.split(block):
        name, _, value = line.partition(":")
        if name in FIELDS:
            yield name, value.removeprefix(" ")


def of_event(data: str, block: str | None = None) -> Misframing | None:
    """How an event with this data was framed wrongly; `block` are its lines where they are still at hand."""
    lines = "\n" in data
    # The usual object: nothing in it can be an event stream, and nothing comes after it.
    if data[:1] == "{" and data[-1:] == "}" and not lines and "\\" not in data and _GLUE.search(data) is None:
        return None
    if len(data) > _LARGEST:
        return unseparated((block or "")[:_LARGEST]) if lines else None
    found = wrapped(data)
    if found is None and _LONE_FIELD.fullmatch(data):
        return Misframing("wrapped", _AS_LINES, [], sure=False)
    if found is None and lines:
        found = unseparated(block or "".join(f"data: {value}\n" for value in data.split("\n")))
    elif found is None and (_ESCAPED_END.search(data) or _GLUE.search(data)) and not is_json(data):
        found = escaped(data) or glued(data)
    return found


def of_block(block: str) -> Misframing | None:
    """How a block that has not ended was framed wrongly, by its lines so far."""
    block = block[:_LARGEST]
    found = unseparated(block)
    if found is None:
        values = [value for field, value in _fields(block) if field == "data"]
        if len(values) == 1:
            found = escaped(values[0]) or glued(values[0])
    return found

"""The body of ``POST /v1/chat/completions``, validated: a request, or an error that names the field."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from sse_tui.engine.context_room import require_room
from sse_tui.engine.interface import EngineInfo, GenRequest
from sse_tui.errors import EngineError
from sse_tui.server.api_errors import ApiError, from_engine, invalid, quoted
from sse_tui.text.wording import many

MAX_PARTS = 4096
MAX_STOPS, MAX_STOP_BYTES = 16, 256
ROLES = ("system", "developer", "user", "assistant", "tool", "function")


class _Part(msgspec.Struct):
    type: str
    text: str | None = None


class _Message(msgspec.Struct):
    role: str
    content: str | list[msgspec.Raw] | None = None


class _StreamOptions(msgspec.Struct):
    include_usage: bool | None = None


class _Body(msgspec.Struct):
    """Messages and their parts stay as they are until their number is known: it may be too large."""

    messages: list[msgspec.Raw]
    model: str | None = None
    stream: bool | None = None
    stream_options: _StreamOptions | None = None
    n: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stop: str | list[str] | None = None
    seed: int | None = None


class ChatRequest(msgspec.Struct, frozen=True):
    """The request: the generation, the model's name if given, and the form of the answer."""

    generation: GenRequest
    model: str | None
    stream: bool
    include_usage: bool


_MAX_INT = 2**63 - 1
_BOUNDS = {"temperature": (0.0, 100.0), "top_k": (-1, _MAX_INT), "top_p": (0.0, 1.0), "min_p": (0.0, 1.0)}
_read_body = msgspec.json.Decoder(_Body).decode
_read_message = msgspec.json.Decoder(_Message).decode
_read_part = msgspec.json.Decoder(_Part).decode
_T = TypeVar("_T")
_PATH = re.compile(r" - at `\$\.?((?:(?! - at `\$|`$).)*+)`$")
_MISSING = re.compile(r"^Object missing required field `(.*)`$")


def parse_chat_request(body: bytes | bytearray, id: str, info: EngineInfo) -> ChatRequest:
    """Read `body` as a chat request to the engine `info`; the generation gets the name `id`.

    Raises `ApiError` (400), also for messages that cannot fit the engine's context.
    """
    asked = _decode(_read_body, body)
    if asked.n is not None and asked.n != 1:
        raise invalid("n", "Only one choice per request is supported: n must be 1.", "unsupported_value")
    if not asked.messages:
        raise invalid("messages", "messages must not be empty.")
    limit = asked.max_tokens if asked.max_completion_tokens is None else asked.max_completion_tokens
    name = "max_tokens" if asked.max_completion_tokens is None else "max_completion_tokens"
    sampling = {name: _within(name, getattr(asked, name), *bounds) for name, bounds in _BOUNDS.items()}
    seed = _within("seed", asked.seed, -_MAX_INT - 1, _MAX_INT)
    generation = GenRequest(
        id=id,
        messages=_messages(asked.messages, info),
        max_tokens=_within(name, limit, 1, _MAX_INT),
        stop=_stops(asked.stop),
        seed=secrets.randbits(32) if seed is None else seed & 0xFFFFFFFF,
        **{name: value for name, value in sampling.items() if value is not None},
    )
    usage = bool(asked.stream_options and asked.stream_options.include_usage)
    return ChatRequest(generation, asked.model, bool(asked.stream), usage)


def _decode(
    read: Callable[[bytes | bytearray | msgspec.Raw], _T],
    data: bytes | bytearray | msgspec.Raw,
    where: str = "",
) -> _T:
    """What `read` makes of `data`, which stands at `where` in the body."""
    try:
        return read(data)
    except msgspec.ValidationError as error:
        raise _validation(str(error), where) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ApiError(400, "invalid_json", f"The body is not valid JSON: {error}.") from None
    except RecursionError:
        raise ApiError(400, "invalid_json", "The body is nested too deeply.", param=where or None) from None


def _validation(text: str, where: str) -> ApiError:
    """An error from msgspec's message, "Expected `str`, got `int` - at `$.content[0].text`", with the field apart."""
    found = _PATH.search(text)
    param = ".".join(filter(None, (where, found[1] if found else "")))
    message = text[: found.start()] if found else text
    missing = _MISSING.match(message)
    if missing:
        return _missing(f"{param}.{missing[1]}" if param else missing[1])
    return invalid(param or None, f"Invalid type for {param or 'the body'}: {message}.", "invalid_type")


def _missing(param: str) -> ApiError:
    return invalid(param, f"Missing required parameter: {param}.", "missing_required_parameter")


def _messages(given: list[msgspec.Raw], info: EngineInfo) -> list[dict[str, Any]]:
    """The messages for the chat template, if they can fit the context."""
    try:
        require_room(info, messages=len(given))
        decoded = [_decode(_read_message, raw, f"messages[{index}]") for index, raw in enumerate(given)]
        _require_few_parts(decoded)
        messages = [_message(f"messages[{index}]", each) for index, each in enumerate(decoded)]
        require_room(info, messages=len(given), size=sum(_size(each["content"]) for each in messages))
    except EngineError as error:
        raise from_engine(error.code, error.message) from None
    return messages


def _size(text: str) -> int:
    """The bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def _require_few_parts(messages: list[_Message]) -> None:
    """Parts may be empty, so that the context sets no limit to their number."""
    parts = sum(len(each.content) for each in messages if isinstance(each.content, list))
    if parts > MAX_PARTS:
        message = f"The messages together may have at most {many(MAX_PARTS, 'part')}, not {parts:,}."
        raise invalid("messages", message)


def _message(where: str, message: _Message) -> dict[str, Any]:
    """A message for the chat template: text parts joined, OpenAI's newer name for the system role mapped."""
    if message.role not in ROLES:
        raise invalid(f"{where}.role", f"Unknown role {quoted(message.role)}; known: {', '.join(ROLES)}.")
    role = "system" if message.role == "developer" else message.role
    if isinstance(message.content, list):
        parts = [_part(f"{where}.content[{index}]", part) for index, part in enumerate(message.content)]
        return {"role": role, "content": "".join(parts)}
    if message.content is None and role != "assistant":
        raise invalid(f"{where}.content", f"A message with the role {message.role} needs content.")
    return {"role": role, "content": message.content or ""}


def _part(where: str, raw: msgspec.Raw) -> str:
    part = _decode(_read_part, raw, where)
    if part.type != "text":
        text = f"Content of type {quoted(part.type)} is not supported, only text."
        raise invalid(f"{where}.type", text, "unsupported_value")
    if part.text is None:
        raise _missing(f"{where}.text")
    return part.text


def _stops(stop: str | list[str] | None) -> list[str]:
    stops = [stop] if isinstance(stop, str) else stop or []
    if len(stops) > MAX_STOPS:
        raise invalid("stop", f"At most {MAX_STOPS} stop strings are allowed, not {len(stops):,}.")
    for index, each in enumerate(stops):
        name = "stop" if isinstance(stop, str) else f"stop[{index}]"
        if not each:
            raise invalid(name, "A stop string must not be empty.")
        if (size := len(each.encode())) > MAX_STOP_BYTES:
            raise invalid(name, f"A stop string has at most {MAX_STOP_BYTES} bytes, not {size:,}.")
    return stops


def _within(name: str, value: Any, low: float, high: float) -> Any:
    """`value`, if it is None or within the bounds. Raises 400 otherwise."""
    if value is None or low <= value <= high:
        return value
    if isinstance(value, int) and abs(value) > _MAX_INT:
        raise invalid(name, f"{name} must be an integer of at most 64 bits.")
    bounds = f"at least {low:g}" if high == _MAX_INT else f"between {low:g} and {high:g}"
    raise invalid(name, f"{name} must be {bounds}, not {value:g}.")

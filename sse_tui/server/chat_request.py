"""The body of ``POST /v1/chat/completions``, validated: a request, or an error that names the field."""

from __future__ import annotations

import re
import secrets
from typing import Any

import msgspec

from sse_tui.engine.interface import GenRequest
from sse_tui.server.api_errors import ApiError, invalid

MAX_STOPS, MAX_STOP_BYTES = 16, 256
ROLES = ("system", "developer", "user", "assistant", "tool", "function")


class _Part(msgspec.Struct):
    type: str
    text: str | None = None


class _Message(msgspec.Struct):
    role: str
    content: str | list[_Part] | None = None


class _StreamOptions(msgspec.Struct):
    include_usage: bool | None = None


class _Body(msgspec.Struct):
    messages: list[_Message]
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


_BOUNDS = {"temperature": (0.0, 100.0), "top_k": (-1, None), "top_p": (0.0, 1.0), "min_p": (0.0, 1.0)}
_decoder = msgspec.json.Decoder(_Body)
_PATH = re.compile(r" - at `\$\.?(.*)`$")
_MISSING = re.compile(r"^Object missing required field `(.*)`$")


def parse_chat_request(body: bytes, id: str) -> ChatRequest:
    """Read `body` as a chat request; the generation gets the name `id`. Raises `ApiError` (400)."""
    asked = _decode(body)
    if asked.n is not None and asked.n != 1:
        raise invalid("n", "Only one choice per request is supported: n must be 1.", "unsupported_value")
    if not asked.messages:
        raise invalid("messages", "messages must not be empty.")
    limit = asked.max_tokens if asked.max_completion_tokens is None else asked.max_completion_tokens
    name = "max_tokens" if asked.max_completion_tokens is None else "max_completion_tokens"
    sampling = {name: _within(name, getattr(asked, name), *bounds) for name, bounds in _BOUNDS.items()}
    generation = GenRequest(
        id=id,
        messages=[_message(index, message) for index, message in enumerate(asked.messages)],
        max_tokens=_within(name, limit, 1, None),
        stop=_stops(asked.stop),
        seed=secrets.randbits(32) if asked.seed is None else asked.seed & 0xFFFFFFFF,
        **{name: value for name, value in sampling.items() if value is not None},
    )
    usage = bool(asked.stream_options and asked.stream_options.include_usage)
    return ChatRequest(generation, asked.model, bool(asked.stream), usage)


def _decode(body: bytes) -> _Body:
    try:
        return _decoder.decode(body)
    except msgspec.ValidationError as error:
        raise _validation(str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ApiError(400, "invalid_json", f"The body is not valid JSON: {error}") from None


def _validation(text: str) -> ApiError:
    """An error from msgspec's message, "Expected `str`, got `int` - at `$.messages[0].role`", with the field apart."""
    found = _PATH.search(text)
    param = found[1] if found else ""
    message = text[: found.start()] if found else text
    missing = _MISSING.match(message)
    if missing:
        param = f"{param}.{missing[1]}" if param else missing[1]
        return invalid(param, f"Missing required parameter: {param}.", "missing_required_parameter")
    return invalid(param or None, f"Invalid type for {param or 'the body'}: {message}.", "invalid_type")


def _message(index: int, message: _Message) -> dict[str, Any]:
    """A message for the chat template: text parts joined, OpenAI's newer name for the system role mapped."""
    where = f"messages[{index}]"
    if message.role not in ROLES:
        raise invalid(f"{where}.role", f"Unknown role {message.role!r}; known: {', '.join(ROLES)}.")
    role = "system" if message.role == "developer" else message.role
    if isinstance(message.content, list):
        text = "".join(_part(where, at, part) for at, part in enumerate(message.content))
        return {"role": role, "content": text}
    if message.content is None and role != "assistant":
        raise invalid(f"{where}.content", f"A message with the role {message.role} needs content.")
    return {"role": role, "content": message.content or ""}


def _part(where: str, index: int, part: _Part) -> str:
    if part.type != "text":
        text = f"Content of type {part.type!r} is not supported, only text."
        raise invalid(f"{where}.content[{index}].type", text, "unsupported_value")
    if part.text is None:
        param = f"{where}.content[{index}].text"
        raise invalid(param, f"Missing required parameter: {param}.", "missing_required_parameter")
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


def _within(name: str, value: Any, low: float, high: float | None) -> Any:
    """`value`, if it is None or within the bounds. Raises 400 otherwise."""
    if value is None or (value >= low and (high is None or value <= high)):
        return value
    bounds = f"at least {low:g}" if high is None else f"between {low:g} and {high:g}"
    raise invalid(name, f"{name} must be {bounds}, not {value:g}.")

"""Finds the secrets that a name announces: in a header's value, in cookies, in the fields of a JSON text."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator

_AUTH_PARAMETER = re.compile(
    r'(?:response|signature|credential|oauth_token|oauth_signature)\s*=\s*"?([^",\s]+)', re.IGNORECASE
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
# A JSON string, or the rest of the text if none ends it, so that no character is read twice.
_STRING = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)("?)', re.DOTALL)
# JSON in a string in JSON: the arguments of a tool call, the message of a proxied error.
_DEEPEST = 3


def credentials(name: str, value: str) -> Iterator[str]:
    """The parts of a header's value, or a field's, that are secrets on their own, wherever they occur."""
    if name.lower() in ("cookie", "set-cookie"):
        yield from (secret for _, secret in in_cookies(name, value))
        return
    scheme, space, rest = value.strip().partition(" ")
    if not space or not _SCHEME.fullmatch(scheme):
        yield value
        return
    # Not the whole value: it starts with the name of the scheme, which is an ordinary word.
    yield rest
    yield from _AUTH_PARAMETER.findall(rest)
    if scheme.lower() == "basic":
        try:
            pair = base64.b64decode(rest.strip(), validate=True).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            return
        yield pair
        yield pair.partition(":")[2]


def in_cookies(name: str, value: str) -> Iterator[tuple[str, str]]:
    """The names and values of the cookies in a ``Cookie`` or a ``Set-Cookie`` header."""
    pairs = value.split(";") if name.lower() == "cookie" else value.split(";", 1)[:1]
    for pair in pairs:
        cookie, _, secret = pair.partition("=")
        yield cookie.strip(), secret.strip().strip('"')


def replaced_fields(text: str, replacement: Callable[[str, str], str | None], depth: int = _DEEPEST) -> str:
    """A text with the string fields of the JSON in it replaced: `replacement` gets name and value, None leaves it.

    The rest is kept as it is, character by character. JSON in a string is looked at as well, but left alone.
    """
    parts: list[str] = []
    done = before = 0
    name: str | None = None
    for found in _STRING.finditer(text):
        if name is not None and text[before : found.start()].strip() == ":":
            value = _unescaped(found[1])
            if (new := replacement(name, value)) is not None:
                parts += (text[done : found.start()], json.dumps(new))
                done = found.end()
            elif depth and '"' in value:
                replaced_fields(value, replacement, depth - 1)
            name = None
        else:
            name = _unescaped(found[1])
            if depth and '"' in name:
                replaced_fields(name, replacement, depth - 1)
        before = found.end()
    parts.append(text[done:])
    return "".join(parts)


def _unescaped(string: str) -> str:
    if "\\" not in string:
        return string
    try:
        return str(json.loads(f'"{string}"', strict=False))
    except ValueError:
        return string

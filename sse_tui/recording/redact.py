"""Redacts secrets from records before they are written.

By name: the values of headers, query parameters and fields of a JSON request body whose names suggest a secret
(`secret_names`) are replaced, and so is `user:password@` in a URL. By value: secrets found that way are remembered for
the session and replaced wherever they occur again, as `masking` describes.

This cannot catch: a secret first seen in a body, where nothing names it (use a pattern); values shorter than
`masking.SHORTEST` characters, except where they are named; bodies with a content coding such as gzip; a secret that a
model spells out over several events.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from urllib.parse import unquote, unquote_plus

import msgspec

from sse_tui import fields, secret_names
from sse_tui.errors import RecordingError
from sse_tui.recording.masking import MOST, KnownSecrets
from sse_tui.recording.records import (
    Chunk,
    Close,
    End,
    Fault,
    Headers,
    Note,
    Reconnect,
    Record,
    Request,
    Response,
    chunk,
)

PLACEHOLDER = "[redacted]"
# Without brackets, which would make a URL invalid: programs that read recordings parse it.
URL_PLACEHOLDER = "redacted"

_AUTH_PARAMETER = re.compile(
    r'(?:response|signature|credential|oauth_token|oauth_signature)\s*=\s*"?([^",\s]+)', re.IGNORECASE
)
_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^\s\"'<>]+", re.IGNORECASE)
# The value is a URL, even if it is relative.
_URL_HEADERS = frozenset(["location", "content-location", "referer", ":path"])
_USERINFO = re.compile(r"^([a-z][a-z0-9+.-]*://)([^/?#]*)@", re.IGNORECASE)


# The fields that contain text for people.
_WORDS: dict[type[Record], tuple[str, ...]] = {
    Close: ("detail",),
    Note: ("text",),
    Fault: ("plan", "at", "did"),
    End: ("reason",),
}


class Redactor:
    """Redacts the records of one session. It remembers the secrets it has seen, so each session needs its own.

    `extra_names` are additional names of headers, query parameters and body fields, where "*" matches anything.
    Whatever `extra_patterns`, regular expressions, match anywhere is a secret. `most` limits the number of remembered
    values. Raises RecordingError for an invalid pattern.
    """

    def __init__(
        self, extra_names: Iterable[str] = (), extra_patterns: Iterable[str] = (), *, most: int = MOST
    ) -> None:
        names = tuple(extra_names)
        patterns = [_compiled(pattern) for pattern in extra_patterns]
        self.names = [*secret_names.LISTED, *names, *(f"pattern:{at}" for at in range(1, len(patterns) + 1))]
        """What is redacted, for the header of the recording: names, where "*" matches anything, and "pattern:N"."""
        self._known = KnownSecrets(patterns, most=most)
        own = [translate(name.lower()).removesuffix(r"\Z").removesuffix(r"\z") for name in names]
        self._own = re.compile("|".join(own), re.IGNORECASE) if own else None

    @property
    def secrets(self) -> list[str]:
        """The values known to be secret so far."""
        return self._known.values

    def learn(self, value: str) -> None:
        """Remember a secret known from elsewhere, such as an API key."""
        self._known.learn(value)

    def learn_matches(self, text: str) -> None:
        """Remember what the patterns match in a complete text (a live body never is)."""
        self._known.learn_matches(text)

    def record(self, record: Record) -> Record:
        """The record as it may be written; the same object if there is nothing to redact."""
        match record:
            case Chunk():
                return self._chunk(record)
            case Request():
                return self.request(record)
            case Response():
                # New cookies and session IDs are secrets, too.
                headers = self._masked_headers(self._headers(record.headers))
                return msgspec.structs.replace(record, headers=headers)
            case Reconnect():
                last_id, url = self._event_id(record.last_event_id), self._url(record.url)
                url = self._known.mask_text(url, URL_PLACEHOLDER)
                return msgspec.structs.replace(record, last_event_id=last_id, url=url)
            case Close():
                self._known.forget(record.conn)
        words = {name: self.text(getattr(record, name)) for name in _WORDS.get(type(record), ())}
        return msgspec.structs.replace(record, **words) if words else record

    def _chunk(self, record: Chunk) -> Chunk:
        if not self._known:
            return record
        data = record.data
        masked = self._known.mask_body(record.conn, data)
        if masked == data:
            return record
        return chunk(record.t, masked, turn=record.turn, conn=record.conn, clock=record.clock)

    def request(self, record: Request) -> Request:
        """A request without its secrets, which are remembered."""
        # Learn everything before masking: the body may name a secret that the URL contains, too.
        headers = self._headers(record.headers)
        url = self._url(record.url)
        binary = record.body_b64 is not None
        body = record.data.decode("utf-8", "surrogateescape") if binary else record.body or ""
        if body:
            kind = fields.essence(fields.first(record.headers, "content-type"))
            if kind == "application/x-www-form-urlencoded":
                body = "&".join(map(self._parameter_redacted, body.split("&")))
            self._learn_fields(body)
            self._known.learn_matches(body)
        record = msgspec.structs.replace(
            record, headers=self._masked_headers(headers), url=self._known.mask_text(url, URL_PLACEHOLDER)
        )
        body = self._masked(body)
        if binary:
            body = base64.b64encode(body.encode("utf-8", "surrogateescape")).decode("ascii")
            return msgspec.structs.replace(record, body_b64=body)
        return msgspec.structs.replace(record, body=body) if record.body is not None else record

    def text(self, text: str) -> str:
        """Text for people, with known secrets and the secrets in URLs redacted."""
        if not text:
            return text
        text = _URL.sub(lambda match: self._url(match.group()), text)
        self._known.learn_matches(text)
        return self._masked(text)

    def _masked(self, text: str) -> str:
        return self._known.mask_text(text, PLACEHOLDER)

    def _learn_all(self, secrets: Iterable[str]) -> None:
        for secret in secrets:
            self._known.learn(secret)

    def _is_named(self, name: str) -> bool:
        """Whether it is one of the user's names."""
        return self._own is not None and self._own.fullmatch(name) is not None

    def _headers(self, headers: Headers) -> Headers:
        redacted: Headers = []
        for name, value in headers:
            if secret_names.is_secret_header(name) or self._is_named(name):
                self._learn_all(_secrets_of_header(name.lower(), value))
                redacted.append((name, PLACEHOLDER))
            elif name.lower() in _URL_HEADERS:
                redacted.append((name, self._url(value)))
            else:
                redacted.append((name, _URL.sub(lambda match: self._url(match.group()), value)))
                self._known.learn_matches(value)
        return redacted

    def _masked_headers(self, headers: Headers) -> Headers:
        return [
            (name, self._event_id(value) if name.lower() == "last-event-id" else self._masked(value))
            for name, value in headers
        ]

    def _event_id(self, value: str) -> str:
        """An event ID, masked as in a body, so that the two stay equal."""
        return self._known.mask_text(value, None)

    def _url(self, url: str) -> str:
        self._known.learn_matches(url)
        url = _USERINFO.sub(self._without_userinfo, url, count=1)
        # Keep the separators and the exact spelling of every other parameter.
        parts = re.split(r"([?#&;])", url)
        return parts[0] + "".join(
            separator + self._parameter_redacted(pair)
            for separator, pair in zip(parts[1::2], parts[2::2], strict=True)
        )

    def _without_userinfo(self, match: re.Match[str]) -> str:
        scheme, userinfo = match.groups()
        user, _, password = userinfo.partition(":")
        pair = base64.b64encode(unquote(userinfo).encode("utf-8", "surrogatepass")).decode("ascii")
        self._learn_all((password or user, unquote(password or user), pair))
        return f"{scheme}{URL_PLACEHOLDER}@"

    def _parameter_redacted(self, pair: str) -> str:
        name, equals, value = pair.partition("=")
        plain = unquote_plus(name)
        if not value or not (secret_names.is_secret_parameter(plain) or self._is_named(plain)):
            return pair
        self._learn_all((value, unquote(value), unquote_plus(value)))
        return f"{name}{equals}{URL_PLACEHOLDER}"

    def _learn_fields(self, body: str) -> None:
        try:
            document = json.loads(body)
        except (ValueError, RecursionError):
            return
        for name, value in _string_fields(document):
            if secret_names.is_secret_field(name) or self._is_named(name):
                self._learn_all(_secrets_of_header(name.lower(), value))


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise RecordingError(
            "recording-pattern",
            f"The redaction pattern {pattern!r} is not a valid regular expression: {error}.",
            "Escape special characters such as ( [ * + ? with a backslash.",
        ) from None


def _secrets_of_header(name: str, value: str) -> Iterator[str]:
    """The parts of a header's value that are secrets on their own, wherever they occur."""
    if name in ("cookie", "set-cookie"):
        pairs = value.split(";") if name == "cookie" else value.split(";")[:1]
        for pair in pairs:
            _, _, secret = pair.partition("=")
            yield secret.strip().strip('"')
        return
    scheme, space, rest = value.strip().partition(" ")
    if not space or not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", scheme):
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


def _string_fields(document: object) -> Iterator[tuple[str, str]]:
    """Every field of a JSON document whose value is a string."""
    waiting = [document]
    while waiting:
        match waiting.pop():
            case dict() as fields:
                for name, value in fields.items():
                    if isinstance(value, str):
                        yield name, value
                    else:
                        waiting.append(value)
            case list() as items:
                waiting += items

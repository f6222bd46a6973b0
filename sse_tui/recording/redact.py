"""Redacts secrets from records before they are written.

By name: the values of headers, query parameters and fields of a JSON request body whose names suggest a secret
(`secret_names`) are replaced, and so is `user:password@` in a URL, wherever the URL stands. By value: secrets found
that way are remembered for the session and replaced wherever they occur again, as `masking` describes. What a request
names is remembered for good; of what a response sets, only what can be a secret: session cookies, tokens, and other
cookies that are long and random (`secret_values`), since a preference in a cookie is a word of the answer too.

This cannot catch: a secret first seen in a response's body, where nothing names it (use a pattern); values shorter than
`secret_values.SHORTEST` characters, except where they are named; bodies with a content coding that is not decoded here;
a secret that a model spells out over several events (a bundle masks it).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from fnmatch import translate
from functools import partial
from urllib.parse import unquote, unquote_plus

import msgspec

from sse_tui import fields, secret_names
from sse_tui.errors import RecordingError
from sse_tui.recording.coded_body import CodedBody, recoded
from sse_tui.recording.masking import MOST, KnownSecrets
from sse_tui.recording.named_secrets import credentials, in_cookies, replaced_fields
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
)
from sse_tui.recording.secret_values import is_made_of_words, is_random, is_word

PLACEHOLDER = "[redacted]"
# Without brackets, which would make a URL invalid: programs that read recordings parse it.
URL_PLACEHOLDER = "redacted"

# All but the end is bounded, so that each letter is looked at a few times. A JSON text may escape slashes.
_URL = re.compile(
    r"[a-z][a-z0-9+.-]{0,31}:(?:\\{0,8}/){2}(?:[^\s\"'<>\\]|\\{1,8}(?:/|u[0-9a-f]{4}))+", re.IGNORECASE
)
# The value is a URL, even if it is relative.
_URL_HEADERS = frozenset(["location", "content-location", "referer", ":path"])
_USERINFO = re.compile(r"^([a-z][a-z0-9+.-]{0,31}:(?:\\{0,8}/){2})([^/?#\\]*)@", re.IGNORECASE)
# In a JSON text "&" may be escaped.
_SEPARATORS = re.compile(r"(\\{1,8}u0026|[?#&;])", re.IGNORECASE)
_FORM = "application/x-www-form-urlencoded"
_WORDS_ALONE = re.compile(r"[\w .:/-]*")

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
        self._cookies_set = False
        self._coded: dict[int, CodedBody] = {}

    @property
    def secrets(self) -> list[str]:
        """The values known to be secret so far."""
        return self._known.values

    def learn(self, value: str) -> None:
        """Remember a value that somebody calls a secret, even if it is a word; not one that cannot be searched for."""
        self._known.learn(value)

    def learn_named(self, values: Iterable[str], *, keep: bool = True) -> None:
        """Remember the values of something whose name suggests a secret, such as an API key; but no ordinary words.

        Without `keep` only the latest are remembered: a server may set any number.
        """
        for value in values:
            if not is_word(value.strip()):
                self._known.learn(value, keep=keep)

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
                self._coded.pop(record.conn, None)
                if self._known:
                    self._begin_coded(record)
                headers = self._masked_headers(self._headers(record.headers, keep=False))
                return msgspec.structs.replace(record, headers=headers)
            case Reconnect():
                last_id, url = self._event_id(record.last_event_id), self._url(record.url)
                url = self._known.mask_text(url, URL_PLACEHOLDER)
                return msgspec.structs.replace(record, last_event_id=last_id, url=url)
            case Close():
                self._known.forget(record.conn)
                self._coded.pop(record.conn, None)
        words = {name: self.text(getattr(record, name)) for name in _WORDS.get(type(record), ())}
        return msgspec.structs.replace(record, **words) if words else record

    def _chunk(self, record: Chunk) -> Chunk:
        if not self._known:
            return record
        data = record.data
        coded = self._coded.get(record.conn)
        masked = coded.masked(data) if coded is not None else self._known.mask_body(record.conn, data)
        if masked == data:
            return record
        return record.holding(masked)

    def _begin_coded(self, response: Response) -> None:
        body = CodedBody(response.headers, partial(self._known.mask_body, response.conn))
        if not body.plain:
            self._coded[response.conn] = body

    def request(self, record: Request) -> Request:
        """A request without its secrets, which are remembered."""
        # Learn everything before masking.
        headers = self._headers(record.headers, keep=True)
        url = self._url(record.url, keep=True)
        form = fields.essence(fields.first(record.headers, "content-type")) == _FORM
        if record.body_b64 is not None:
            mask = partial(self._body_bytes, form=form)
            data = recoded(record.headers, record.data, mask) or mask(record.data)
            body = base64.b64encode(data).decode("ascii")
            record = msgspec.structs.replace(record, body_b64=body)
        elif record.body:
            record = msgspec.structs.replace(record, body=self._body(record.body, form=form))
        # Only now: the body may name a secret that a header or the URL repeats.
        url = self._known.mask_text(url, URL_PLACEHOLDER)
        return msgspec.structs.replace(record, headers=self._masked_headers(headers), url=url)

    def _body(self, body: str, *, form: bool) -> str:
        if form:
            body = "&".join(self._parameter(pair, keep=True) for pair in body.split("&"))
        body = self._urls(replaced_fields(body, partial(self._field, keep=True)), keep=True)
        self._known.learn_matches(body)
        return self._masked(body)

    def _body_bytes(self, body: bytes, *, form: bool) -> bytes:
        text = body.decode("utf-8", "surrogateescape")
        return self._body(text, form=form).encode("utf-8", "surrogateescape")

    def text(self, text: str) -> str:
        """Text for people, with known secrets and the secrets in URLs redacted."""
        if not text:
            return text
        text = self._urls(text)
        self._known.learn_matches(text)
        return self._masked(text)

    def learn_fields(self, text: str) -> None:
        """Remember what JSON and URLs in the text of a response name as secrets, if it looks like secrets."""
        replaced_fields(text, self._learn_field)
        self._urls(text)

    def _learn_field(self, name: str, value: str) -> None:
        # "password": "Your password, please" is a label, "token": "######" a part of an answer.
        named = secret_names.is_secret_field(name) or self._is_named(name)
        vague = secret_names.may_be_secret_field(name) and is_random(value)
        if vague or (named and not is_made_of_words(value)):
            self.learn_named(credentials(name, value), keep=False)

    def _masked(self, text: str) -> str:
        return self._known.mask_text(text, PLACEHOLDER)

    def _is_named(self, name: str) -> bool:
        """Whether it is one of the user's names."""
        return self._own is not None and self._own.fullmatch(name) is not None

    def _headers(self, headers: Headers, *, keep: bool) -> Headers:
        redacted: Headers = []
        for name, value in headers:
            if secret_names.is_secret_header(name) or self._is_named(name):
                if name.lower() in ("cookie", "set-cookie"):
                    self._learn_cookies(name.lower(), value, keep=keep)
                else:
                    self.learn_named(credentials(name, value), keep=keep)
                redacted.append((name, PLACEHOLDER))
            elif name.lower() in _URL_HEADERS:
                redacted.append((name, self._url(value, keep=keep)))
            else:
                redacted.append((name, self._urls(value, keep=keep)))
                self._known.learn_matches(value)
        return redacted

    def _learn_cookies(self, name: str, value: str, *, keep: bool) -> None:
        # Once a server has set cookies, those of the requests may be the server's, of which there can be any number.
        self._cookies_set |= name == "set-cookie"
        for cookie, secret in in_cookies(name, value):
            session = secret_names.is_session_cookie(cookie) and any(map(str.isdigit, secret))
            if is_random(secret) or session or self._is_named(cookie):
                self.learn_named([secret, unquote(secret)], keep=keep and not self._cookies_set)

    def _masked_headers(self, headers: Headers) -> Headers:
        return [
            (name, self._event_id(value) if name.lower() == "last-event-id" else self._masked(value))
            for name, value in headers
        ]

    def _event_id(self, value: str) -> str:
        """An event ID, masked as in a body, so that the two stay equal."""
        return self._known.mask_text(value, None)

    def _urls(self, text: str, *, keep: bool = False) -> str:
        """A text with the secrets in its URLs redacted."""
        if ":/" not in text and ":\\/" not in text:
            return text
        return _URL.sub(lambda match: self._url(match.group(), keep=keep), text)

    def _url(self, url: str, *, keep: bool = False) -> str:
        self._known.learn_matches(url)
        url = _USERINFO.sub(partial(self._without_userinfo, keep=keep), url, count=1)
        # Keep the separators and the exact spelling of every other parameter.
        parts = _SEPARATORS.split(url)
        return parts[0] + "".join(
            separator + self._parameter(pair, keep=keep)
            for separator, pair in zip(parts[1::2], parts[2::2], strict=True)
        )

    def _without_userinfo(self, match: re.Match[str], *, keep: bool) -> str:
        scheme, userinfo = match.groups()
        user, _, password = userinfo.partition(":")
        pair = base64.b64encode(unquote(userinfo).encode("utf-8", "surrogatepass")).decode("ascii")
        self.learn_named((password or user, unquote(password or user), pair), keep=keep)
        return f"{scheme}{URL_PLACEHOLDER}@"

    def _parameter(self, pair: str, *, keep: bool) -> str:
        name, equals, value = pair.partition("=")
        if not value:
            return pair
        plain = unquote_plus(name)
        if not (secret_names.is_secret_parameter(plain) or self._is_named(plain)):
            return pair
        self.learn_named((value, unquote(value), unquote_plus(value)), keep=keep)
        return f"{name}{equals}{URL_PLACEHOLDER}"

    def _field(self, name: str, value: str, *, keep: bool = False) -> str | None:
        """What a string field of a JSON text is replaced by; None if it is no secret."""
        named = secret_names.is_secret_field(name) or self._is_named(name)
        vague = secret_names.may_be_secret_field(name) and not _holds_words(value)
        if not value or not (named or vague):
            return None
        self.learn_named(credentials(name, value), keep=keep)
        return PLACEHOLDER


def _holds_words(value: str) -> bool:
    return _WORDS_ALONE.fullmatch(value) is not None and is_made_of_words(value)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise RecordingError(
            "recording-pattern",
            f"The redaction pattern {pattern!r} is not a valid regular expression: {error}.",
            "Escape special characters such as ( [ * + ? with a backslash.",
        ) from None

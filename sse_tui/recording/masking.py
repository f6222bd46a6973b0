"""Finds known secrets, in whatever form they come back, and masks them in a body.

A server may echo a key in an error message, a proxy may put it into a URL, a tool may encode it. So each value is
searched for in all its forms (`secret_forms`): as it is, percent-encoded, JSON-escaped, as part of base64 text at each
of the three alignments.

Masking a body preserves all sizes and offsets, because a recording exists to show them: a secret becomes as many
asterisks as it has bytes. A body may be cut anywhere into reads, so a secret can start in one read and end in the
next. The first part cannot be held back (a read must be recorded when it arrives) nor changed later (the file only
grows). Therefore, if a read ends with the beginning of a secret that is at least `EAGER` bytes long (or half of the
secret, if that is shorter), this beginning is masked at once. The bytes of the last reads are remembered in memory, so
that the rest is recognised and masked when it arrives, however small the pieces. Of a secret cut that way, at most the
first `EAGER - 1` bytes reach the disk. The price: text that ends a read and just looks like the beginning of a secret
is masked, too.

A key that is made of ordinary words (``my-test-key``) could be anything else as well. It is masked only where it stands
alone, and never as a JSON key, so that no answer loses its fields to somebody's ``Bearer finish_reason``; its beginning
is masked only once it is more than its first word.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sse_tui.recording.secret_forms import Unescaped, encodings, may_be_escaped, reach
from sse_tui.recording.secret_values import can_be_known, is_made_of_words

EAGER = 6
# A server that sets a new cookie with every response must not slow down every read of a long session.
MOST = 64
# Those of the requests are not forgotten for those of the responses; this many are more than any user has.
MOST_KEPT = 1000
# How many bytes back a match of a user's pattern may start.
PATTERN_REACH = 256
# A longer value is searched for in pieces: what is remembered of a body must stay small beside a read.
_PIECE = 1024
_MOST_PIECES = 16

Span = tuple[int, int]

_NAMING = re.compile(rb'[{,]\s{0,16}\\{0,8}"\Z')
_NAMED = re.compile(rb'\\{0,8}"\s{0,16}:')
_FIRST_WORD = re.compile(rb"[A-Za-z0-9]+[^A-Za-z0-9]+[A-Za-z0-9]")
# How many bytes before a value show whether it is a JSON key.
_BEFORE = 32


class _Form(NamedTuple):
    """A form of a secret, the beginning of it that is masked at once, and whether it could be ordinary text."""

    text: bytes
    head: bytes
    plain: bool


class KnownSecrets:
    """The secrets seen so far and the user's patterns.

    Those of the responses are at most `most`: the least recently used is dropped. Those of the requests stay.
    `patterns` are regular expressions for text. Whatever they match is a secret, in bodies too: there a match may start
    up to `PATTERN_REACH` bytes back in earlier reads, and that part of it has already been written.
    """

    def __init__(self, patterns: Iterable[re.Pattern[str]] = (), *, most: int = MOST) -> None:
        self._patterns = tuple(patterns)
        self._most = most
        self._kept: dict[str, list[_Form]] = {}
        self._values: OrderedDict[str, list[_Form]] = OrderedDict()
        self._changed = False
        self._all_forms: tuple[_Form, ...] = ()
        self._heads: tuple[bytes, ...] = ()
        self._longest = 0
        self._reach = PATTERN_REACH if self._patterns else 0
        self._before: dict[int, bytes] = {}

    def __bool__(self) -> bool:
        return bool(self._kept or self._values or self._patterns)

    @property
    def values(self) -> list[str]:
        """The secrets: those of the responses, least recently used first, and those of the requests."""
        return [*self._values, *self._kept]

    def learn(self, value: str, *, keep: bool = True) -> None:
        """Remember a value, for good with `keep`, unless it cannot be searched for (`can_be_known`)."""
        value = value.strip()
        if not can_be_known(value):
            return
        if len(value) > _PIECE:
            for at in range(0, min(len(value), _PIECE * _MOST_PIECES), _PIECE):
                self.learn(value[at : at + _PIECE], keep=keep)
            return
        if value in self._kept:
            return
        if value in self._values:
            self._values.move_to_end(value)
            return
        forms = list(_forms(value))
        self._changed = True
        if keep and len(self._kept) < MOST_KEPT:
            self._kept[value] = forms
            return
        self._values[value] = forms
        while len(self._values) > self._most:
            self._values.popitem(last=False)

    def learn_matches(self, text: str) -> None:
        """Remember what the user's patterns match in `text`."""
        for pattern in self._patterns:
            for match in pattern.finditer(text):
                self.learn(match.group(), keep=False)

    def mask_text(self, text: str, placeholder: str | None) -> str:
        """`text` with every known secret and match of a pattern replaced by `placeholder`; None: by asterisks."""
        if not self:
            return text
        data = text.encode("utf-8", "surrogatepass")
        spans = _merged(self._spans(data))
        if not spans:
            return text
        parts: list[bytes] = []
        done = 0
        for start, end in spans:
            mask = b"*" * (end - start) if placeholder is None else placeholder.encode()
            parts += (data[done:start], mask)
            done = end
        parts.append(data[done:])
        return b"".join(parts).decode("utf-8", "surrogatepass")

    def mask_body(self, conn: int, data: bytes) -> bytes:
        """One read of the body of connection `conn`, masked; its length does not change."""
        if not self:
            return data
        forms = self._forms
        before = self._before.get(conn, b"")
        window = before + data
        self._before[conn] = window[-self._reach :]
        spans: list[Span] = []
        # Hardly ever is there even the beginning of a form, and many forms begin alike.
        near = window[-len(data) - self._longest :]
        if any(head in near for head in self._heads):
            spans += _found(forms, window)
            spans += ((start, len(window)) for start in _begun(forms, window))
        if may_be_escaped(window):
            plain = Unescaped(window)
            spans += (plain.span(*span) for span in _found(forms, plain.data))
            spans += ((plain.span(at, at + 1)[0], len(window)) for at in _begun(forms, plain.data))
        if self._patterns:
            spans += self._matches(window)
        if not spans:
            return data
        masked = bytearray(window)
        for start, end in _merged(spans):
            masked[start:end] = b"*" * (end - start)
        return bytes(masked[len(before) :])

    def forget(self, conn: int) -> None:
        """Connection `conn` has ended."""
        self._before.pop(conn, None)

    @property
    def _forms(self) -> tuple[_Form, ...]:
        # A response can set many cookies: the forms are put together once for all of them.
        if self._changed:
            self._changed = False
            known = self._kept | self._values
            forms = {form.text: form for forms in known.values() for form in forms}
            self._all_forms = tuple(forms.values())
            self._heads = tuple({form.head for form in self._all_forms})
            self._longest = max(map(len, forms), default=0)
            reaches = [PATTERN_REACH if self._patterns else 0, self._longest, *map(reach, known)]
            self._reach = max(reaches) + _BEFORE
        return self._all_forms

    def _spans(self, data: bytes) -> list[Span]:
        spans = list(_found(self._forms, data))
        if may_be_escaped(data):
            plain = Unescaped(data)
            spans += (plain.span(*span) for span in _found(self._forms, plain.data))
        spans += self._matches(data)
        return spans

    def _matches(self, data: bytes) -> Iterator[Span]:
        """What the user's patterns match."""
        text = data.decode("utf-8", "surrogateescape") if self._patterns else ""
        for pattern in self._patterns:
            at = place = 0
            for match in pattern.finditer(text):
                if match.group():
                    start = place + len(text[at : match.start()].encode("utf-8", "surrogateescape"))
                    place = start + len(match.group().encode("utf-8", "surrogateescape"))
                    at = match.end()
                    yield start, place


def _forms(secret: str) -> Iterator[_Form]:
    raw = secret.encode("utf-8", "surrogatepass")
    for text in encodings(secret):
        plain = text == raw and is_made_of_words(secret)
        size = min(EAGER, len(text) // 2)
        if plain:
            word = _FIRST_WORD.match(text)
            size = max(size, word.end() if word is not None else 0)
        yield _Form(text, text[:size], plain)


def _found(forms: Iterable[_Form], data: bytes) -> Iterator[Span]:
    for form in forms:
        text = form.text
        start = data.find(text)
        while start >= 0:
            end = start + len(text)
            if not form.plain or _stands_alone(data, start, end):
                yield start, end
            # Of the occurrences that overlap this one, the last: those between the two add nothing.
            last = data.rfind(text, start + 1, end + len(text) - 1)
            start = last if last >= 0 else data.find(text, end)


def _stands_alone(data: bytes, start: int, end: int) -> bool:
    """Whether words are a value by themselves, neither a part of a longer word nor a JSON key."""
    if data[start - 1 : start].isalnum() or data[end : end + 1].isalnum():
        return False
    if _NAMING.search(data, max(0, start - _BEFORE), start) is None:
        return True
    return end < len(data) and _NAMED.match(data, end) is None


def _begun(forms: Iterable[_Form], window: bytes) -> Iterator[int]:
    """Where, at the end of the window, the beginnings of secrets start that are long enough to mask at once."""
    end = len(window)
    for form in forms:
        start = window.find(form.head, max(0, end - len(form.text) + 1))
        while start >= 0:
            if form.text.startswith(window[start:]) and (not form.plain or _stands_alone(window, start, end)):
                yield start
                break
            start = window.find(form.head, start + 1)


class SecretSearch:
    """Searches bytes that arrive in pieces for values that must not occur, in all their forms."""

    def __init__(self, values: Iterable[str]) -> None:
        values = list(values)
        self._values = {form.text: (form, value) for value in values for form in _forms(value)}
        self._reach = max([*map(len, self._values), *map(reach, values)], default=0) + _BEFORE
        self._before = b""

    def feed(self, data: bytes) -> str | None:
        """The first value found that ends in this piece; None if there is none."""
        window = self._before + data
        self._before = window[-self._reach :]
        forms = [form for form, _ in self._values.values()]
        texts = [window, Unescaped(window).data] if may_be_escaped(window) else [window]
        for text in texts:
            for form in forms:
                if form.text in text and next(_found([form], text), None) is not None:
                    return self._values[form.text][1]
        return None


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged

"""Finds known secrets, in whatever form they come back, and masks them in a body.

A server may echo a key in an error message, a proxy may put it into a URL, a tool may encode it. So each value is
searched for as it is, percent-encoded, JSON-escaped (once and twice), and as part of base64 text at each of the three
alignments.

Masking a body preserves all sizes and offsets, because a recording exists to show them: a secret becomes as many
asterisks as it has bytes. A body may be cut anywhere into reads, so a secret can start in one read and end in the
next. The first part cannot be held back (a read must be recorded when it arrives) nor changed later (the file only
grows). Therefore, if a read ends with the beginning of a secret that is at least `EAGER` bytes long (or half of the
secret, if that is shorter), this beginning is masked at once. The bytes of the last reads are remembered in memory, so
that the rest is recognised and masked when it arrives, however small the pieces. Of a secret cut that way, at most the
first `EAGER - 1` bytes reach the disk. The price: text that ends a read and just looks like the beginning of a secret
is masked, too.
"""

from __future__ import annotations

import base64
import json
import re
from collections import OrderedDict
from collections.abc import Iterable
from urllib.parse import quote

EAGER = 6
SHORTEST = 6
# A server that sets a new cookie with every response must not slow down every read of a long session.
MOST = 64
# How many bytes back a match of a user's pattern may start.
PATTERN_REACH = 256
# What the documentation of local servers suggests where a key is required, and our own placeholders: they are not
# secrets, and answers are full of such words.
STAND_INS = frozenset(
    [
        "ollama",
        "lm-studio",
        "lmstudio",
        "llama.cpp",
        "llamacpp",
        "not-needed",
        "no-key-needed",
        "no-key-required",
        "sk-no-key-required",
        "not-required",
        "unused",
        "anonymous",
        "api-key",
        "api_key",
        "apikey",
        "bearer",
        "secret",
        "redacted",
        "[redacted]",
    ]
)

Span = tuple[int, int]


def can_be_known(value: str) -> bool:
    """Whether a value can be searched for: it has at least `SHORTEST` characters and is not a stand-in for a key."""
    return len(value) >= SHORTEST and value.lower() not in STAND_INS


def encodings(secret: str) -> set[bytes]:
    """The forms in which a value may come back, itself included."""
    raw = secret.encode("utf-8", "surrogatepass")
    forms = {raw}
    try:
        forms.add(secret.encode("latin-1"))
    except UnicodeEncodeError:
        pass
    for quoted in (quote(raw, safe=""), quote(raw), quote(raw, safe="").replace("%20", "+")):
        forms.add(quoted.encode())
        forms.add(re.sub("%[0-9A-F]{2}", lambda match: match.group().lower(), quoted).encode())
    for ascii_only in (True, False):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        for escaped in (once, once.replace("/", "\\/"), json.dumps(once)[1:-1]):
            forms.add(escaped.encode("utf-8", "surrogatepass"))
    for shift in range(3):
        # The base64 characters that depend only on the secret if `shift` bytes precede it.
        core = base64.b64encode(bytes(shift) + raw)[-(-shift * 8 // 6) : (shift + len(raw)) * 8 // 6]
        forms |= {core, core.translate(bytes.maketrans(b"+/", b"-_"))}
    return forms


class KnownSecrets:
    """The secrets seen so far, at most `most` (the least recently used is dropped), and the user's patterns.

    `patterns` are regular expressions for text. Whatever they match is a secret, in bodies too: there a match may start
    up to `PATTERN_REACH` bytes back in earlier reads, and that part of it has already been written.
    """

    def __init__(self, patterns: Iterable[re.Pattern[str]] = (), *, most: int = MOST) -> None:
        self._patterns = tuple(patterns)
        self._most = most
        self._values: OrderedDict[str, set[bytes]] = OrderedDict()
        self._forms: tuple[tuple[bytes, bytes], ...] = ()
        self._reach = PATTERN_REACH if self._patterns else 0
        self._before: dict[int, bytes] = {}

    def __bool__(self) -> bool:
        return bool(self._forms or self._patterns)

    @property
    def values(self) -> list[str]:
        """The secrets, least recently used first."""
        return list(self._values)

    def learn(self, value: str) -> None:
        """Remember a value, unless it is shorter than `SHORTEST` characters or a stand-in for a key."""
        value = value.strip()
        if not can_be_known(value):
            return
        if value in self._values:
            self._values.move_to_end(value)
            return
        self._values[value] = encodings(value)
        while len(self._values) > self._most:
            self._values.popitem(last=False)
        forms = set().union(*self._values.values())
        self._forms = tuple((form, form[: min(EAGER, len(form) // 2)]) for form in forms)
        self._reach = max(PATTERN_REACH if self._patterns else 0, max(map(len, forms)) - 1)

    def learn_matches(self, text: str) -> None:
        """Remember what the user's patterns match in `text`."""
        for pattern in self._patterns:
            for match in pattern.finditer(text):
                self.learn(match.group())

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
        before = self._before.get(conn, b"")
        window = before + data
        spans = self._spans(window) + self._begun(window)
        self._before[conn] = window[-self._reach :]
        masked = bytearray(window)
        for start, end in spans:
            masked[start:end] = b"*" * (end - start)
        return bytes(masked[len(before) :]) if spans else data

    def forget(self, conn: int) -> None:
        """Connection `conn` has ended."""
        self._before.pop(conn, None)

    def _spans(self, data: bytes) -> list[Span]:
        spans: list[Span] = []
        for form, _ in self._forms:
            start = data.find(form)
            while start >= 0:
                spans.append((start, start + len(form)))
                start = data.find(form, start + 1)
        if self._patterns:
            text = data.decode("utf-8", "surrogateescape")
            for pattern in self._patterns:
                for match in pattern.finditer(text):
                    if match.group():
                        start = len(text[: match.start()].encode("utf-8", "surrogateescape"))
                        size = len(match.group().encode("utf-8", "surrogateescape"))
                        spans.append((start, start + size))
        return spans

    def _begun(self, window: bytes) -> list[Span]:
        """The beginnings of secrets at the end of the window that are long enough to mask at once."""
        spans: list[Span] = []
        end = len(window)
        for form, head in self._forms:
            start = window.find(head, max(0, end - len(form) + 1))
            while start >= 0:
                if form.startswith(window[start:]):
                    spans.append((start, end))
                    break
                start = window.find(head, start + 1)
        return spans


class SecretSearch:
    """Searches bytes that arrive in pieces for values that must not occur, in all their forms."""

    def __init__(self, values: Iterable[str]) -> None:
        self._values = {form: value for value in values for form in encodings(value)}
        self._reach = max(map(len, self._values), default=1) - 1
        self._before = b""

    def feed(self, data: bytes) -> str | None:
        """The first value found that ends in this piece; None if there is none."""
        window = self._before + data
        self._before = window[-self._reach :] if self._reach else b""
        return next((value for form, value in self._values.items() if form in window), None)


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged

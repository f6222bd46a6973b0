"""The forms in which a secret may come back: as it is, or encoded by whoever repeats it.

An encoder that escapes as little as it must gives one form for each secret, which can be searched for. One that escapes
more (``\\u0041`` for A, ``%2D`` for a hyphen) gives any of very many: such text is read as what it stands for.
"""

from __future__ import annotations

import base64
import json
import re
from bisect import bisect_right
from urllib.parse import quote

# However often a string was escaped, its backslashes are doubled each time. They are tried once for each run of them.
_ESCAPE = re.compile(rb"(?<!\\)\\++(?:(?:u00|x)([0-9a-fA-F]{2})|([/\"]))|%(?:25)*([0-9a-fA-F]{2})")
# An escape that may go on in the next read.
_OPEN = re.compile(rb"(?:(?<!\\)\\++(?:(?:u0{0,2}|x)[0-9a-fA-F]?)?|%(?:25)*[0-9a-fA-F]?)\Z")
_LONGEST_ESCAPE = 12


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


def reach(secret: str) -> int:
    """How many bytes the longest form of a value has that `unescaped` reads."""
    return _LONGEST_ESCAPE * len(secret.encode("utf-8", "surrogatepass"))


class Unescaped:
    """Bytes with their escapes undone, as far as `data`; an escape that the bytes end within is left out."""

    def __init__(self, original: bytes) -> None:
        parts: list[bytes] = []
        # Of each escape: where its character stands in `data`; the character's size, and the escape's span.
        self._at: list[int] = []
        self._escapes: list[tuple[int, int, int]] = []
        done = size = 0
        for found in _ESCAPE.finditer(original):
            start, end = found.span()
            size += start - done
            self._at.append(size)
            code = found[1] or found[3]
            character = bytes.fromhex(code.decode()) if code else found[2]
            if found[1] and character > b"\x7f":
                character = character.decode("latin-1").encode()
            parts += (original[done:start], character)
            self._escapes.append((len(character), start, end))
            size += len(character)
            done = end
        parts.append(_OPEN.sub(b"", original[done:]))
        self.data = b"".join(parts)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that stands for a span of `data`, which is not empty."""
        return self._place(start)[0], self._place(end - 1)[1]

    def _place(self, at: int) -> tuple[int, int]:
        index = bisect_right(self._at, at) - 1
        if index < 0:
            return at, at + 1
        size, start, end = self._escapes[index]
        past = at - self._at[index] - size
        return (start, end) if past < 0 else (end + past, end + past + 1)


def may_be_escaped(data: bytes) -> bool:
    """Whether `Unescaped` can differ from the bytes themselves: quick to say, and sometimes wrong."""
    if b"%" in data:
        return True
    return b"\\" in data and (b"\\u00" in data or b"\\x" in data or b"\\" in data[-8:])

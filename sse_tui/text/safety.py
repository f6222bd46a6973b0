"""Makes text from elsewhere safe to display: one policy for each kind of place where it is displayed.

Text from a server, a model or a file may contain characters that have an effect instead of being visible. They are
replaced by visible signs, never dropped, because this is a program for looking closely:

- C0 controls, DEL and C1 controls, which start escape sequences (ECMA-48; U+009B alone is CSI, U+009D alone OSC).
- Directional embeddings, overrides, isolates and marks (UAX 9), which change the order in which text is displayed
  ("Trojan Source", CVE-2021-42574).
- U+0085, U+2028 and U+2029, which end a line for some programs but not for others.
- Invisible characters, which split a word or hide text: zero-width spaces, fillers, tags (U+E0000 to U+E007F).
- Lone surrogates and noncharacters, which UTF-8 text cannot or should not contain.

Some invisible characters are part of ordinary text and are kept in these places: a joiner (U+200C, U+200D) after a
letter of a script that uses joiners, U+200D between emoji, a variation selector after a character that can have one,
the tags of the three flags that consist of tags. A second one in a row serves no such purpose but can carry hidden
data, so it is replaced.

A policy is called with a text. If the text arrives in pieces, pass the end of the previous piece as `before`: it
decides about joiners and selectors at the beginning of the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property

REPLACEMENT = "\ufffd"
DOT = "\u00b7"
UNPRINTABLE = "\u2426"
"""In a pane: stands for a character that has an effect but no control picture."""

# Sets of characters, as in a regular expression.
_DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb"
)
_INVISIBLE_SHORTHAND = "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
_TAGS = "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
_BROKEN = "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
_NONCHARACTERS = "".join(f"{chr(end - 1)}{chr(end)}" for end in range(0x1FFFF, 0x110000, 0x10000))
_SELECTORS = "\ufe00-\ufe0f"
_IDEOGRAPHIC_SELECTORS = "\U000e0100-\U000e01ef"

_JOINING = (
    "\u0600-\u07bf\u07c0-\u0dff\u0f00-\u109f\u1780-\u18aa\u1a20-\u1aad\u1b00-\u1bff\u1c00-\u1c4f\ua800-\ua8f1"
    "\ua980-\uaadf\uabc0-\uabff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010a00-\U00010aff\U00010d00-\U00010fff"
    "\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u20e3\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\ufe0f\U0001f000-\U0001faff"
)
# ASCII except "#", "*" and digits, which start keycap emoji.
_INVARIABLE = '\x00-"$-)+-/:-\x7f'

_IDEOGRAPHS = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_FLAG_TAGS = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in name) for name in ("gbeng", "gbsct", "gbwls")
)
_FLAG = rf"(?P<flag>\U0001f3f4(?:{_FLAG_TAGS})\U000e007f)"
_SUSPECTS = "|".join(
    [
        _FLAG,
        rf"[{_DIRECTION}{_INVISIBLE}{_INVISIBLE_SHORTHAND}{_TAGS}{_BROKEN}{_NONCHARACTERS}]",
        # A joiner, unless it follows a letter of a joining script and is not followed by another joiner.
        rf"\u200c(?:(?<![{_JOINING}]\u200c)|(?=[\u200c\u200d]))",
        # The same, or unless it is between emoji. At the end of the text the next emoji may still arrive.
        rf"\u200d(?:(?<![{_JOINING}{_EMOJI}]\u200d)|(?<=[{_JOINING}]\u200d)(?=[\u200c\u200d])"
        rf"|(?<=[{_EMOJI}]\u200d)(?![{_EMOJI}]|\Z))",
        rf"[{_SELECTORS}](?<=[{_SELECTORS}{_IDEOGRAPHIC_SELECTORS}{_INVARIABLE}].)",
        rf"[{_IDEOGRAPHIC_SELECTORS}](?<![{_IDEOGRAPHS}].)",
    ]
)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode()


def _json_escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


class TextPolicy:
    """How text is displayed in one kind of place.

    `keeps` are the control characters that are kept. `acting` replaces a character that has an effect, `invisible` an
    invisible one, `broken` a surrogate or noncharacter; if it is None, the character is escaped by `escape`, such as
    ``\\u202e``. With `pictures`, C0 controls and DEL become control pictures, such as ``\\u241b``. `special` takes
    precedence.
    """

    def __init__(
        self,
        keeps: str = "",
        *,
        acting: str | None = None,
        invisible: str | None = None,
        broken: str | None = REPLACEMENT,
        pictures: bool = True,
        escape: Callable[[str], str] = _escape,
        special: Mapping[str, str] | None = None,
    ) -> None:
        self._keeps = keeps
        self._acting = acting
        self._invisible = invisible
        self._broken = broken
        self._pictures = pictures
        self._escape = escape
        self._signs = dict(special or {})

    def __call__(self, text: str, before: str = "") -> str:
        """`text` made safe; `before` is the text displayed directly before it."""
        if (text.isascii() and text.isprintable()) or not self._candidates.search(text):
            return text
        start = len(before[-1:])
        whole = before[-1:] + text
        parts: list[str] = []
        done = start
        for match in self._suspects.finditer(whole, start):
            if match.lastgroup is None:
                parts += (whole[done : match.start()], self._sign(match[0]))
                done = match.end()
        return "".join([*parts, whole[done:]]) if parts else text

    def line(self, text: str) -> str:
        """`text` on one line, with every run of white space replaced by a space."""
        return self(" ".join(text.split()))

    # Compiled on first use: most commands only ever display printable ASCII.

    @cached_property
    def _candidates(self) -> re.Pattern[str]:
        # Searching for one set of characters is much faster than for the alternatives. Above U+FFFF the set is wider
        # than necessary, because each range there costs time for every character searched.
        beyond = f"{_INVISIBLE_SHORTHAND}\U0001fffe-\U0010ffff"
        return re.compile(
            f"[{self._controls}{_DIRECTION}{_INVISIBLE}{_BROKEN}{_SELECTORS}\u200c\u200d{beyond}]"
        )

    @cached_property
    def _suspects(self) -> re.Pattern[str]:
        return re.compile(f"[{self._controls}]|{_SUSPECTS}")

    @property
    def _controls(self) -> str:
        return "".join({chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))} - set(self._keeps))

    def _sign(self, char: str) -> str:
        if char not in self._signs:
            self._signs[char] = self._new_sign(char)
        return self._signs[char]

    def _new_sign(self, char: str) -> str:
        code = ord(char)
        if self._pictures and (code < 0x20 or code == 0x7F):
            return "\u2421" if code == 0x7F else chr(0x2400 + code)
        if re.match(f"[{_BROKEN}{_NONCHARACTERS}]", char):
            sign = self._broken
        elif code < 0xA0 or re.match(f"[{_DIRECTION}]", char):
            sign = self._acting
        else:
            sign = self._invisible
        return self._escape(char) if sign is None else sign


terminal = TextPolicy("\t\n")
"""Text written to a terminal."""

pane = TextPolicy("\n", acting=UNPRINTABLE, invisible=DOT, special={"\t": " "})
"""Text in a pane: each character is replaced by exactly one, so that offsets stay valid."""

pane_line = TextPolicy(acting=UNPRINTABLE, invisible=DOT, special={"\n": "\u21b5"})
"""Text on one line of a pane: the same, with line feeds visible."""

document = TextPolicy("\t\n", acting=REPLACEMENT, invisible=DOT)
"""Text in a report: plain text, Markdown, and HTML before escaping."""

xml = TextPolicy("\t\n\r", acting=REPLACEMENT, invisible=DOT, pictures=False)
"""Text in XML 1.0 before escaping: XML cannot contain C0 controls, not even escaped."""

log_line = TextPolicy(broken=None, pictures=False)
"""A one-line message in a log, a finding or an error: everything unsafe, line ends included, is escaped."""

json_line = TextPolicy(broken=None, pictures=False, escape=_json_escape)
"""A line of JSON on a terminal: the same value, with everything unsafe escaped as in JSON."""

_SURROGATES = re.compile("[\ud800-\udfff]")
_UNTYPED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def html(text: str) -> str:
    """`text` as the content or an attribute value of an HTML element."""
    from html import escape

    return escape(document(text))


def encodable(text: str) -> str:
    """`text` with lone surrogates, which JSON escapes can produce but UTF-8 cannot encode, replaced by U+FFFD."""
    return _SURROGATES.sub(REPLACEMENT, text)


def typed(text: str) -> str:
    """Pasted text as if typed: line ends become line feeds, and control characters other than tabs are removed."""
    return _UNTYPED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))

"""Other people's text, made safe to show: one policy for each kind of place that it is shown in.

What a server, a model or a file says may hold characters that act instead of being read. They are shown as a
sign, never dropped, since this program is for looking closely:

- C0 controls, DEL and C1 controls, which begin escape sequences (ECMA-48; U+009B alone is a CSI, U+009D an OSC).
- Embeddings, overrides, isolates and marks of direction (UAX 9), which make text read in another order than it
  has ("Trojan Source", CVE-2021-42574).
- U+0085, U+2028 and U+2029, which end a line for some programs and not for others.
- Invisible characters, which split a word or hide a text: zero-width spaces, fillers, tags (U+E0000 to U+E007F).
- Lone surrogates and noncharacters, which no UTF-8 text can hold, or none should.

Some invisible characters are needed in ordinary text, and stay where they are: a joiner (U+200C, U+200D) after a
letter of a script that joins, U+200D between emoji, a variation selector after something that varies, the tags of
the three flags that have them. A second one in a row has no such use, but can carry hidden data.

A policy is a function of a text. Where text comes in pieces, the end of what came before goes along as `before`,
for joiners and selectors at the beginning of a piece.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property

REPLACEMENT = "\ufffd"
DOT = "\u00b7"
UNPRINTABLE = "\u2426"
"""In a pane, where each character has one cell: a character that acts and has no picture of its own."""

# Sets of characters, in the notation of regular expressions.
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
# ASCII but for "#", "*" and digits, which begin keycaps.
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
        # A joiner after a letter of a script that joins, if it is one joiner.
        rf"\u200c(?:(?<![{_JOINING}]\u200c)|(?=[\u200c\u200d]))",
        # The same, or between emoji. At the end of a text the next emoji may be on its way.
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
    """How text is shown in one kind of place.

    `keeps` are the controls that mean there what they always mean. `acting` stands for a character that acts,
    `invisible` for one that is not seen, `broken` for one that is not a character; instead of None stands what
    `escape` makes of the character, ``\\u202e``. With `pictures` C0 controls and DEL are shown as their pictures,
    ``\\u241b``. `special` comes before all of this.
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
        """`text` as it may be shown; `before` ended what stands before it on the same line."""
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
        """`text` as one line: white space of any kind is one space."""
        return self(" ".join(text.split()))

    # Compiled when they are needed, since most runs of a command show nothing but ASCII.

    @cached_property
    def _candidates(self) -> re.Pattern[str]:
        # One set of characters is searched for much faster than the alternatives. From U+10000 on it is wider than
        # it need be, because there each range of it costs time for every character.
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
"""Text that is written to a terminal."""

pane = TextPolicy("\n", acting=UNPRINTABLE, invisible=DOT, special={"\t": " "})
"""Text for a pane of lines: one character for each, so that offsets stay."""

pane_line = TextPolicy(acting=UNPRINTABLE, invisible=DOT, special={"\n": "\u21b5"})
"""Text for one line of a pane: the same, and a line feed is shown."""

document = TextPolicy("\t\n", acting=REPLACEMENT, invisible=DOT)
"""Text in a report: plain, in Markdown, and in HTML before it is escaped."""

xml = TextPolicy("\t\n\r", acting=REPLACEMENT, invisible=DOT, pictures=False)
"""Text in XML 1.0, which cannot hold C0 controls even escaped; mark-up is left to the caller."""

log_line = TextPolicy(broken=None, pictures=False)
"""A message on one line, in a log, a finding or an error: what is odd, line ends too, is written as an escape."""

json_line = TextPolicy(broken=None, pictures=False, escape=_json_escape)
"""JSON on one line, for a terminal: the same value, with what is odd escaped as JSON escapes it."""

_SURROGATES = re.compile("[\ud800-\udfff]")
_UNTYPED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def html(text: str) -> str:
    """`text` for the content or an attribute of an HTML element."""
    from html import escape

    return escape(document(text))


def encodable(text: str) -> str:
    """`text`, otherwise exact, with U+FFFD for lone surrogates: JSON escapes can make them, UTF-8 cannot hold them."""
    return _SURROGATES.sub(REPLACEMENT, text)


def typed(text: str) -> str:
    """Pasted text as if it had been typed: line ends are line feeds, tabs stay, what no key types is left out."""
    return _UNTYPED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))

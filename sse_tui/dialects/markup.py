"""What a chat template leaves in the text of an answer: reasoning between tags, and control tokens.

Models write their reasoning between tags that a server is meant to take out of the text. Where it does not, the text
begins with ``<think>``; with a template that holds the opening tag itself (DeepSeek's, QwQ's), only the closing one is
in the text. Tags are cut over deltas where a server counts them as ordinary text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sse_tui.dialects.base import Delta, Dialect, Finish, Meta, Reasoning, StreamFault, Text, ToolCall
from sse_tui.eventstream.items import Event

_NAMES = (
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "seed:think",
    "ant_thinking",
    "antthinking",
)

PAIRS: dict[str, str] = {
    **{f"<{name}>": f"</{name}>" for name in _NAMES},
    "\u25c1think\u25b7": "\u25c1/think\u25b7",  # Kimi
    "[think]": "[/think]",  # Magistral
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|start_thinking|>": "<|end_thinking|>",  # Command A
    "<|thinking|>": "<|/thinking|>",
}
"""The tags around reasoning, in lower case: by each opening one the one that closes it."""

_CONTROL = re.compile(
    r"<[|\uff5c][A-Za-z0-9_/\u2581]{2,40}[|\uff5c]>"  # ChatML, Llama 3, Harmony, DeepSeek
    r"|<(?:start|end)_of_turn>|<</?SYS>>|\[/?INST\]|\[(?:TOOL_CALLS|AVAILABLE_TOOLS)\]"
)
_LONE_END = re.compile(r"(?:</s>|<eos>)\s*\Z")

_TAGS = (*PAIRS, *PAIRS.values())
_LONGEST = max(map(len, _TAGS))
_OPENING = re.compile("|".join(map(re.escape, PAIRS)), re.I)
_CLOSING = re.compile("|".join(map(re.escape, PAIRS.values())), re.I)
_QUOTES = "`'\"\u201c\u2018"

# What a choice's text has come to.
_START, _INSIDE, _OUTSIDE, _CLOSED, _DONE = range(5)

_FLUSHES = (Finish, ToolCall, StreamFault)

_FOLLOWED = 64  # choices that are followed; the text of others is left as it is


class _State:
    __slots__ = ("before", "closing", "held", "part", "phase", "tag", "tail")

    def __init__(self) -> None:
        self.phase = _START
        self.held = ""  # text that may be the beginning of a tag, and was not given yet
        self.closing = ""
        self.tag = ""
        self.before = ""  # the character before what is held
        self.tail = ""  # text that was given and may be the beginning of a closing tag
        self.part = 0


class Markup:
    """Takes the deltas of one response as its dialect gives them, and tells reasoning in tags from text.

    `settled` are the choices whose next text needs a look only if it holds a ``<``. The characters of a tag are given
    as `Meta` "tag"; "reasoning-tag" names the tag, once a choice; "reasoning-before" says that the text of a choice so
    far was reasoning; "control-token" names a token of a chat template.
    """

    def __init__(self) -> None:
        self.settled: set[int] = set()
        self._states: dict[int, _State] = {}

    def split(self, deltas: Sequence[Delta]) -> Sequence[Delta]:
        """The deltas of one event."""
        out: list[Delta] = []
        for delta in deltas:
            if type(delta) is Text:
                if delta.text:
                    self._text(delta, out)
                else:
                    out.append(delta)
                continue
            if isinstance(delta, _FLUSHES) or (isinstance(delta, Meta) and delta.name == "done"):
                out += self.rest()
            out.append(delta)
        return out

    @property
    def unclosed(self) -> str | None:
        """The opening tag of a choice whose closing tag has not come."""
        return next((state.tag for state in self._states.values() if state.phase == _INSIDE), None)

    def rest(self) -> list[Delta]:
        """What was held back because it could have been the beginning of a tag: no more text follows it."""
        out: list[Delta] = []
        for index, state in self._states.items():
            if state.held:
                kind = Reasoning if state.phase == _INSIDE else Text
                out.append(kind(state.held, index, state.part))
                state.held = ""
                if state.phase != _INSIDE:
                    self._settle(index, state)
        return out

    def _settle(self, index: int, state: _State) -> None:
        state.phase = _DONE
        self.settled.add(index)

    def _text(self, delta: Text, out: list[Delta]) -> None:
        text, index, part = delta
        state = self._states.get(index)
        if state is None:
            if len(self._states) >= _FOLLOWED:
                out.append(delta)
                return
            state = self._states[index] = _State()
        state.part = part
        if "<" in text:
            out += [Meta("control-token", found[0]) for found in _CONTROL.finditer(text)]
        if state.phase == _START:
            self._start(state, text, index, out)
        elif state.phase == _INSIDE:
            self._inside(state, text, index, out)
        elif state.phase == _CLOSED:
            self._closed(state, text, index, out)
        elif state.phase == _OUTSIDE:
            self._outside(state, text, index, out)
        else:
            out.append(delta)

    def _start(self, state: _State, text: str, index: int, out: list[Delta]) -> None:
        """Nothing but white space has come before this text."""
        whole = state.held + text
        bare = whole.lstrip()
        if not bare:
            out.append(Text(text, index, state.part))
            return
        space = whole[: len(whole) - len(bare)]
        opening = _OPENING.match(bare)
        if opening is not None:
            tag = opening[0]
            if space:
                out.append(Text(space, index, state.part))
            out += (Meta("tag", tag), Meta("reasoning-tag", tag))
            state.phase, state.held, state.tag, state.closing = _INSIDE, "", tag, PAIRS[tag.lower()]
            if bare[len(tag) :]:
                self._inside(state, bare[len(tag) :], index, out)
        elif len(bare) < _LONGEST and any(tag.startswith(bare.lower()) for tag in PAIRS):
            if space:
                out.append(Text(space, index, state.part))
            out.append(Meta("tag", text))
            state.held = bare
        else:
            state.phase, state.held = _OUTSIDE, ""
            self._outside(state, whole, index, out)

    def _inside(self, state: _State, text: str, index: int, out: list[Delta]) -> None:
        """In reasoning, until its closing tag."""
        whole = state.held + text
        at = whole.lower().find(state.closing)
        if at < 0:
            kept = _beginning_of((state.closing,), whole)
            given, state.held = whole[: len(whole) - len(kept)], kept
            if given:
                out.append(Reasoning(given, index, state.part))
            else:
                out.append(Meta("tag", text))
            return
        if at:
            out.append(Reasoning(whole[:at], index, state.part))
        end = at + len(state.closing)
        out.append(Meta("tag", whole[at:end]))
        state.held = ""
        self._settle(index, state)
        if whole[end:]:
            out.append(Text(whole[end:], index, state.part))

    def _outside(self, state: _State, text: str, index: int, out: list[Delta]) -> None:
        """In text that did not begin with a tag: a closing tag makes all of it reasoning, if text follows."""
        known = len(state.tail)  # characters that were given already
        whole = state.tail + state.held + text
        state.tail = state.held = ""
        opening, closing = _OPENING.search(whole), _CLOSING.search(whole)
        if opening is not None and (
            closing is None or opening.start() < closing.start()
        ):  # a text about tags
            self._settle(index, state)
        elif closing is not None and not _quoted(state.before, whole, closing):
            at = max(known, closing.start())
            if at > known:
                out.append(Text(whole[known:at], index, state.part))
            state.phase, state.tag, state.held = _CLOSED, closing[0], whole[at:]
            self.settled.discard(index)
            self._closed(state, "", index, out)
            return
        else:
            kept = _beginning_of(_TAGS, whole)
            at = len(whole) - len(kept)
            if len(kept) < 2:  # a lone "<" is usually something else, and is given at once
                state.tail = kept
            else:
                given = max(at, known)
                state.before = whole[at - 1 : at] if at else state.before
                state.tail, state.held, whole = whole[at:known], whole[given:], whole[:given]
            if kept:
                self.settled.discard(index)
            else:
                self.settled.add(index)
        if whole[known:]:
            out.append(Text(whole[known:], index, state.part))
        else:
            out.append(Meta("tag", text))

    def _closed(self, state: _State, text: str, index: int, out: list[Delta]) -> None:
        """After a closing tag without an opening one, held back until text follows it."""
        whole = state.held + text
        rest = whole[whole.find(state.tag[-1]) + 1 :]
        if not rest.strip():
            state.held = whole
            out.append(Meta("tag", text))
            return
        state.held = ""
        out += (Meta("reasoning-before", index), Meta("tag", state.tag), Meta("reasoning-tag", state.tag))
        self._settle(index, state)
        out.append(Text(rest, index, state.part))


def deltas_of(dialect: Dialect, event: Event) -> Sequence[Delta]:
    """The meaning of an event as `dialect` reads it, with the reasoning in tags told apart from the text."""
    found = (dialect.reader or dialect).read(event)
    if not found:
        return found
    markup = dialect.markup
    if markup is not None and len(found) == 1:  # the usual event, in the shortest time
        delta = found[0]
        if type(delta) is Text:
            if delta[1] in markup.settled and "<" not in delta[0]:
                return found
        elif type(delta) is Reasoning:
            return found
    return _split(dialect, found)


def deltas_of_line(dialect: Dialect, line: str) -> Sequence[Delta]:
    """The same for a line that the standard ignores."""
    found = dialect.read_ignored(line)
    return _split(dialect, found) if found else found


def rest_of(dialect: Dialect) -> Sequence[Delta]:
    """What was held back of the text of a response that is over."""
    return dialect.markup.rest() if dialect.markup is not None else ()


def _split(dialect: Dialect, found: Sequence[Delta]) -> Sequence[Delta]:
    if dialect.markup is None:
        if not any(type(delta) is Text for delta in found):
            return found
        dialect.markup = Markup()
    return dialect.markup.split(found)  # type: ignore[no-any-return]


def control_tokens(text: str) -> list[tuple[int, str]]:
    """The control tokens in a whole text with their positions, those that were cut over deltas included."""
    found = [(match.start(), match[0]) for match in _CONTROL.finditer(text)]
    end = _LONE_END.search(text, max(0, len(text) - 100))
    return [*found, (end.start(), end[0].strip())] if end is not None else found


def _beginning_of(tags: Iterable[str], text: str) -> str:
    """The longest end of `text` that one of `tags` begins with, "" for none."""
    lower = text[-_LONGEST:].lower()
    starts = [at for at, character in enumerate(lower) if character in "<\u25c1["]
    beginnings = (lower[at:] for at in starts)
    found = next((end for end in beginnings if any(tag.startswith(end) for tag in tags)), "")
    return text[len(text) - len(found) :]


def _quoted(before: str, text: str, tag: re.Match[str]) -> bool:
    """Whether a tag stands in quotes or between words, in a text that is about tags; `before`: what came before it."""
    left = text[tag.start() - 1 : tag.start()] if tag.start() else before
    right = text[tag.end() : tag.end() + 1]
    return left == right == " " or left in tuple(_QUOTES) or right in tuple(_QUOTES + "\u201d\u2019")

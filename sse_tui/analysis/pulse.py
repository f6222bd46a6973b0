"""Tells a connection's heartbeats from its answer where only the pace does: chunks without content, and white space.

A chunk without content (``"delta": {}``, ``"content": ""``, an empty text_delta) is a heartbeat when it comes after a
pause: parsers that hold tokens back send such chunks too, but at the rate of the tokens. A chunk of white space is
text, unless it comes alone, the same again and again, with pauses between.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sse_tui.analysis.turn import Turn
from sse_tui.dialects.base import Delta, Meta, Reasoning, Text, Usage
from sse_tui.dialects.bearing import TEXTS, Bearing, bearing_of, is_empty, nothing_seen
from sse_tui.dialects.heartbeats import named_ping
from sse_tui.eventstream import Event
from sse_tui.metrics import Idle

PAUSE_NS = 500_000_000
"""A chunk without content that comes this long after the event before it is a heartbeat."""
BLANK_PAUSE_NS = 1_000_000_000
"""The same for white space, of which a slow model sends a little more often."""
_IN_A_ROW = 3  # chunks without content that make heartbeats where no times are known
_LARGE = 1024  # characters of a payload: one that is not understood and longer has something in it

_TYPE = re.compile(r'"(?:type|event)"\s*:\s*"([^"]*)"')


class HeldToken(NamedTuple):
    """An event that has tokens, or may have: its time in ns, its read, and whether its tokens are visible."""

    t: int
    read: int
    visible: bool


class Judged(NamedTuple):
    """What an event does for the answer, and the events, in order, that are known by it to have tokens."""

    bearing: Bearing
    tokens: Sequence[HeldToken]


_VISIBLE, _REASONING, _BLANK = Bearing.VISIBLE, Bearing.REASONING, Bearing.BLANK  # read at every event
_NO_TOKENS: Sequence[HeldToken] = ()


class Pulse:
    """Counts what the events of one connection do for the turn's answer.

    White space is held back until it is known whether it has tokens.
    """

    __slots__ = (
        "_beating", "_blank", "_clocks", "_conn", "_empties", "_form", "_gaps", "_held", "_idle",
        "_turn",
    )  # fmt: skip

    def __init__(self, turn: Turn, idle: Idle, conn: int) -> None:
        self._turn = turn
        self._clocks, self._gaps, self._idle, self._conn = turn.clocks, turn.gaps, idle, conn
        self._held: list[HeldToken] = []
        self._blank: Sequence[Delta] = ()  # what each of the held events has
        self._beating = False  # so many of those came that they are heartbeats
        self._form: tuple[str, str] | None = None
        self._empties = 0

    def weigh(
        self,
        deltas: Sequence[Delta],
        t: int,
        read: int,
        event: Event | None = None,
        since: int | None = None,
    ) -> Bearing:
        """Count an event, or a line without one; gives what it does for the answer.

        `since` is the time since the event before it, ns; None for the first one, and where times are not known.
        """
        if len(deltas) == 1 and not self._held:  # the usual event, with as few calls as can be
            delta = deltas[0]
            text = delta[0] if type(delta) is Text else ""
            if text and ("!" <= text[-1] <= "~" or not nothing_seen(text)):
                self._idle.last_progress = t
                clocks = self._clocks
                if clocks.first_visible is None:
                    clocks.token(t, True)
                else:
                    clocks.last_token = t
                self._gaps.token(t, read, self._conn)
                return _VISIBLE
        bearing = bearing_of(deltas)
        if len(deltas) > 3 and any(map(_is_retold, deltas)):
            self._clocks.nothing_visible()
        if bearing is _BLANK and since is not None and since < BLANK_PAUSE_NS and self._gaps.token_events:
            bearing = _seen(deltas)  # white space within a text, or right after it
        if (bearing is _VISIBLE or bearing is _REASONING) and not self._held:
            self._idle.last_progress = t
            self._clocks.token(t, bearing is _VISIBLE)
            self._gaps.token(t, read, self._conn)
            return bearing
        token = HeldToken(t, read, _seen(deltas) is _VISIBLE)
        bearing, tokens = self._judge(bearing, event, deltas, token, since)
        for settled in tokens:
            self._count(settled)
        if bearing is Bearing.BEAT:
            self._idle.beat(t)
        elif bearing is Bearing.WORK:
            self._idle.progress(t)
        return bearing

    def close(self) -> None:
        """Nothing follows: what is held back has tokens."""
        for token in self._settle():
            self._count(token)

    def _count(self, token: HeldToken) -> None:
        self._idle.progress(token.t)
        self._clocks.token(token.t, token.visible)
        self._gaps.token(token.t, token.read, self._conn)

    def _judge(
        self,
        bearing: Bearing,
        event: Event | None,
        deltas: Sequence[Delta],
        token: HeldToken,
        since: int | None,
    ) -> Judged:
        if event is None or bearing >= _REASONING:
            return Judged(bearing, [*self._settle(), token] if bearing >= Bearing.BLANK else _NO_TOKENS)
        if bearing is Bearing.BLANK:
            if not self._gaps.timed:
                return Judged(_seen(deltas), (token,))
            return self._white_space(deltas, token, since, self._gaps.token_events > 0)
        if bearing is Bearing.BEAT:
            # The first event of all, with an ID and no data, sets the ID to resume from (MCP).
            priming = self._form is None and since is None and event.id and not event.data
            return Judged(Bearing.NONE if priming else bearing, _NO_TOKENS)
        if bearing is Bearing.NONE:
            bearing = self._without_tokens(event, deltas, since)
        return Judged(bearing, self._settle() if deltas and bearing is not Bearing.BEAT else _NO_TOKENS)

    def _without_tokens(self, event: Event, deltas: Sequence[Delta], since: int | None) -> Bearing:
        if named_ping(event.type):
            return Bearing.BEAT
        usage = bool(deltas) and all(type(delta) is Usage for delta in deltas)
        if not self._turn.dialect.answers or len(event.data) > _LARGE or not (usage or is_empty(deltas)):
            self._form, self._empties = ("", ""), 0
            return Bearing.NONE
        kind = _TYPE.search(event.data)
        form = event.type, "usage" if usage else kind[1] if kind else ""
        again, self._form = form == self._form, form
        self._empties = self._empties + 1 if again else 1
        if not (again or usage or form[1].endswith("delta") or form == ("message", "")):
            return Bearing.WORK  # a step that the dialect has no delta for
        if since is None:
            return Bearing.BEAT if not self._gaps.timed and self._empties >= _IN_A_ROW else Bearing.NONE
        return Bearing.BEAT if since >= PAUSE_NS and (again or not usage) else Bearing.NONE

    def _white_space(
        self, deltas: Sequence[Delta], token: HeldToken, since: int | None, begun: bool
    ) -> Judged:
        """White space is held where only the next event shows what it is."""
        paused = since is None or since >= BLANK_PAUSE_NS
        blank = [
            delta for delta in deltas if type(delta) in TEXTS
        ]  # the first has the model's name beside it
        same = paused and blank == self._blank
        if same and (self._beating or len(self._held) > begun):
            self._held, self._beating = [], True
            return Judged(Bearing.BEAT, _NO_TOKENS)
        if same and self._held:
            self._held.append(token)
            return Judged(Bearing.BLANK, _NO_TOKENS)
        earlier = self._settle()
        if not paused and (begun or earlier):
            return Judged(_seen(deltas), [*earlier, token])
        self._held, self._blank, self._beating = [token], blank, False
        return Judged(Bearing.BLANK, earlier)

    def _settle(self) -> Sequence[HeldToken]:
        held, self._held = self._held, []
        return held


def _is_retold(delta: Delta) -> bool:
    """Whether this says that the text so far was reasoning; the text that follows comes with it."""
    return isinstance(delta, Meta) and delta.name == "reasoning-before"


def _seen(deltas: Sequence[Delta]) -> Bearing:
    """What an event does whose white space has turned out to be tokens."""
    return _REASONING if all(type(delta) is Reasoning for delta in deltas) else _VISIBLE

"""Fault plans as text: ``ACTION[=VALUE]@TRIGGER[;...]``.

    cut@event=41                 close the connection right after the 41st event
    reset@bytes=1000             reset it after 1,000 bytes of the body
    stall=8s@text="Paris"        stop reading for 8 s after the event whose data contains Paris
    cut@time=2.5s; stall=2s@now

``str(plan)`` is the canonical spelling and parses to an equal plan. Durations are whole milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sse_tui.errors import UsageError
from sse_tui.text.nearest import did_you_mean

ACTIONS = ("cut", "reset", "stall")
TRIGGERS = ("event", "bytes", "time", "text", "now")
# Words of the language that this version does not implement: they get a message of their own, so that nobody looks for
# a typing error.
# fmt: off
_FUTURE_ACTIONS = (
    "truncate", "stall-heartbeat", "drip", "delay", "buffer", "split", "dup", "drop", "swap", "garble", "bom", "crlf",
    "no-id", "no-heartbeat", "status", "html", "204", "gzip", "wrong-type", "forget", "overlap", "gap", "restart",
)
# fmt: on
_FUTURE_TRIGGERS = ("headers", "field", "utf8", "crlf", "id", "done", "every", "p")

_UNITS = {"ms": 1, "s": 1000, "m": 60_000}
_ESCAPES = {"\\": "\\", '"': '"', "n": "\n", "t": "\t", "r": "\r"}
_WORD = re.compile(r"[A-Za-z0-9_-]+")
# Bounded, because Python refuses to convert numbers of thousands of digits.
_DURATION = re.compile(r"([0-9]{1,40}(?:\.[0-9]{1,40})?)([A-Za-z0-9_-]*)")
_COUNT = re.compile(r"0*([1-9][0-9]{0,15})(?![0-9])")
_MAX_NUMBER = 10**15
_QUOTED = re.compile(r'(?:[^"\\]|\\[\\"ntr])*')


@dataclass(frozen=True, slots=True)
class FaultSpec:
    """One fault: what to do and when.

    `duration_ms` belongs to stall. `trigger` is event, bytes, time, text or now; `at` its argument: a
    count, a duration in milliseconds, the text, or None for now.
    """

    action: str
    trigger: str
    at: int | str | None = None
    duration_ms: int = 0

    def __str__(self) -> str:
        action = f"{self.action}={_duration(self.duration_ms)}" if self.action == "stall" else self.action
        at = _quote(self.at) if isinstance(self.at, str) else str(self.at)
        if self.trigger == "time":
            at = _duration(int(self.at or 0))
        return f"{action}@now" if self.trigger == "now" else f"{action}@{self.trigger}={at}"


@dataclass(frozen=True, slots=True)
class Plan:
    """Faults in the order written."""

    faults: tuple[FaultSpec, ...]

    def __str__(self) -> str:
        return ";".join(str(fault) for fault in self.faults)


def parse_plan(text: str) -> Plan:
    """A plan from its text. Raises UsageError "fault-plan" with the position and what was expected there."""
    return Plan(tuple(_Scanner(text).faults()))


class _Scanner:
    """Reads one plan from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def faults(self) -> list[FaultSpec]:
        faults = [self._fault()]
        while self._take(";"):
            self._spaces()
            if self._at == len(self._text):  # a trailing semicolon
                break
            faults.append(self._fault())
        if self._at < len(self._text):
            raise self._wrong("a semicolon or the end")
        return faults

    def _fault(self) -> FaultSpec:
        action = self._word("an action", ACTIONS, _FUTURE_ACTIONS)
        duration = 0
        if action == "stall":
            self._need("=", "'=' and a duration, as in stall=8s")
            duration = self._duration()
        self._need("@", "'@' and a trigger, as in @event=41")
        trigger = self._word("a trigger", TRIGGERS, _FUTURE_TRIGGERS)
        if trigger == "now":
            return FaultSpec(action, trigger, None, duration)
        self._need("=", f"'=' and a value, as in {_EXAMPLES[trigger]}")
        if trigger == "text":
            return FaultSpec(action, trigger, self._quoted(), duration)
        at = self._duration() if trigger == "time" else self._count()
        return FaultSpec(action, trigger, at, duration)

    def _word(self, what: str, known: Sequence[str], future: Sequence[str]) -> str:
        self._spaces()
        match = _WORD.match(self._text, self._at)
        word = match.group() if match else ""
        if word in future:
            raise UsageError(
                "fault-plan",
                f"Fault plan, position {self._at + 1}: {word!r} is not supported by this version.",
                f"Supported here: {', '.join(known)}.",
            )
        if word not in known:
            raise self._wrong(f"{what} ({', '.join(known)})", did_you_mean(word.lower(), known))
        self._at += len(word)
        return word

    def _duration(self) -> int:
        match = _DURATION.match(self._text, self._at)
        if match is None:
            raise self._wrong("a duration such as 500ms, 8s or 1.5m")
        if match[2] not in _UNITS:
            self._at = match.end(1)
            raise self._wrong("a unit (ms, s, m)")
        ms = Fraction(match[1]) * _UNITS[match[2]]
        if ms.denominator != 1 or ms > _MAX_NUMBER:
            raise self._wrong("a duration in whole milliseconds")
        self._at = match.end()
        return int(ms)

    def _count(self) -> int:
        match = _COUNT.match(self._text, self._at)
        if match is None or int(match[1]) > _MAX_NUMBER:
            raise self._wrong("a whole number of at least 1")
        self._at = match.end()
        return int(match[1])

    def _quoted(self) -> str:
        self._need('"', "text in double quotes")
        match = _QUOTED.match(self._text, self._at)
        assert match is not None  # it also matches no text at all
        self._at = match.end()
        if self._take("\\"):
            raise self._wrong('one of \\\\ \\" \\n \\t \\r')
        if not match[0] and self._at < len(self._text):
            raise self._wrong("some text between the quotes")
        self._need('"', "the closing quote")
        return re.sub(r"\\(.)", lambda escape: _ESCAPES[escape[1]], match[0])

    def _need(self, char: str, expected: str) -> None:
        if not self._take(char):
            raise self._wrong(expected)

    def _take(self, char: str) -> bool:
        if char in "@;":
            self._spaces()
        if self._text[self._at : self._at + 1] == char:
            self._at += 1
            return True
        return False

    def _spaces(self) -> None:
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1

    def _wrong(self, expected: str, hint: str = "") -> UsageError:
        rest = self._text[self._at :]
        word = _WORD.match(rest)
        found = repr(word.group() if word else rest[0]) if rest else "the end"
        return UsageError(
            "fault-plan",
            f"Fault plan, position {self._at + 1}: expected {expected}, found {found}.",
            hint or 'A plan looks like cut@event=41 or stall=8s@text="word".',
        )


_EXAMPLES = {"event": "event=41", "bytes": "bytes=1000", "time": "time=2s", "text": 'text="word"'}


def _duration(ms: int) -> str:
    return f"{ms // 1000}s" if ms % 1000 == 0 else f"{ms}ms"


def _quote(text: str) -> str:
    table = {ord(char): f"\\{letter}" for letter, char in _ESCAPES.items()}
    return f'"{text.translate(table)}"'

"""Times as loggers write them before a line, in integer nanoseconds, so that nothing is lost to rounding.

Times with a date count from 1970, those without from midnight, and those of a program's run from its start. Only their
differences are used.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

NS = 1_000_000_000
DAY = 24 * 3600 * NS
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_FRACTION = r"(?:[.,](\d{1,12}))?"
_CLOCK = r"(\d\d):(\d\d):(\d\d)" + _FRACTION


def _iso(match: re.Match[str]) -> int:
    date, hours, minutes, seconds, fraction, zone = match.groups()
    if zone in (None, "Z", "z"):
        zone = "+00:00"
    elif ":" not in zone:
        zone = f"{zone[:3]}:{zone[3:]}"
    moment = datetime.fromisoformat(f"{date}T{hours}:{minutes}:00{zone}")
    return ((moment - _EPOCH) // timedelta(seconds=1) + int(seconds or 0)) * NS + _ns(fraction)


def _clock(match: re.Match[str]) -> int:
    hours, minutes, seconds, fraction = match.groups()
    return of_day(int(hours), int(minutes), int(seconds), fraction)


def of_day(hours: int, minutes: int, seconds: int, fraction: str | None) -> int:
    """A time of day in ns since midnight; `fraction` are the digits after the decimal point."""
    return (hours * 3600 + minutes * 60 + seconds) * NS + _ns(fraction)


def _dated(match: re.Match[str]) -> int:
    month, day, hours, minutes, seconds, fraction = match.groups()
    # Without a year: any leap year will do.
    days = (datetime(2000, _MONTHS.index(month) + 1, int(day), tzinfo=UTC) - _EPOCH).days
    return days * DAY + of_day(int(hours), int(minutes), int(seconds), fraction)


def _seconds(match: re.Match[str]) -> int:
    return int(match[1]) * NS + _ns(match[2])


def _digits(match: re.Match[str]) -> int:
    return int(match[1].ljust(19, "0"))


def _ns(fraction: str | None) -> int:
    return int((fraction or "0")[:9].ljust(9, "0"))


# What a time looks like, and what reads it. The order matters: 10 digits are seconds since 1970.
_FORMS: tuple[tuple[str, Callable[[re.Match[str]], int]], ...] = (
    (r"(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d)" + _FRACTION + r")?\s?(Z|z|[+-]\d\d:?\d\d)?", _iso),
    (rf"({'|'.join(_MONTHS)}) [ ]?(\d\d?) " + _CLOCK, _dated),
    (_CLOCK, _clock),
    (r"(\d{13}|\d{16}|\d{19})", _digits),
    (r"[ ]{0,12}(\d{1,10})[.](\d{1,12})", _seconds),
    (r"(\d{10})()", _seconds),
)
# Between the time and the line: one space or tab, " | " or " - "; nothing before an empty line.
_GAP = r"\]?(?:[ \t]*\|[ \t]?| - |[ \t]|(?=\r?\n|$))"
_BEFORE = tuple((re.compile(r"\[?" + form + _GAP), read) for form, read in _FORMS)
# Longer than any time with the characters around it.
LONGEST = 64


class Elapsed:
    """Time since the first of a series, in ns. It never goes back: lines can be slightly out of order."""

    def __init__(self) -> None:
        self._first: int | None = None
        self._before = 0
        self._days = 0
        self._latest = 0

    def at(self, t: int, *, wraps: bool = True) -> int:
        """Take the next time; `wraps` if it has no date, so that it starts again at midnight."""
        if self._first is None:
            self._first = t
        elif wraps and t < self._before - DAY // 2:
            self._days += 1
        self._before = t
        self._latest = max(self._latest, t - self._first + self._days * DAY)
        return self._latest


class Stamp:
    """One of the forms in which a time is written before a line."""

    def __init__(self, pattern: re.Pattern[str], read: Callable[[re.Match[str]], int]) -> None:
        self._pattern = pattern
        self._read = read
        self.wraps = read is _clock

    def split(self, line: bytes) -> tuple[int, int] | None:
        """The time before a line in ns, and where the line itself begins; None if there is no time."""
        match = self._pattern.match(line[:LONGEST].decode("latin-1"))
        if match is None:
            return None
        try:
            return self._read(match), match.end()
        except ValueError:
            return None


def stamp_of(line: bytes) -> Stamp | None:
    """The form of the time before `line`; None if there is no time."""
    for pattern, read in _BEFORE:
        stamp = Stamp(pattern, read)
        if stamp.split(line) is not None:
            return stamp
    return None

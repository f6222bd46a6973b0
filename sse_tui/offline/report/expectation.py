"""Expectations: ``ttft<500ms, itl.p99<200ms, complete, text~"hello"``.

    expectations = expectation *("," expectation)
    expectation  = ["!"] name | name op value
    op           = "<" | "<=" | ">" | ">=" | "=" | "==" | "!=" | "~" | "!~"
    value        = number [unit] | "quoted" | 'quoted' | /regular expression/ | word up to the next comma

``~`` is "contains", or "matches somewhere" with a regular expression. A number alone means ms where a time is meant. A
measure by itself is expected to be true, or more than 0, or not empty. A measure whose value is unknown fails.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sse_tui.analysis.turn import Turn
from sse_tui.errors import UsageError
from sse_tui.offline.report.measures import ALIASES, MEASURES, Measure, measure
from sse_tui.text.nearest import did_you_mean

_NAME = re.compile(r"\s*+(!?)\s*+([A-Za-z][\w.:-]*)\s*")
_OP = re.compile(r"(<=|>=|==|!=|!~|<|>|=|~)\s*")
_NUMBER = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)\s*([a-zµ%]*)", re.IGNORECASE)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'', re.DOTALL)
_REGEX = re.compile(r"/((?:[^/\\]|\\.)*)/", re.DOTALL)
_WORD = re.compile(r"[^,]+")
_MS = {"": 1.0, "ms": 1.0, "s": 1000.0, "us": 0.001, "µs": 0.001, "ns": 1e-6, "min": 60_000.0}
_COUNTS = {"": 1.0, "k": 1e3, "m": 1e6, "%": 0.01}
_ORDERS: dict[str, Callable[[Any, Any], bool]]
_ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expectation: `op` is "" for a measure by itself, "!" for one that is not to be."""

    text: str
    measure: Measure
    op: str
    value: float | str | re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of an expectation in one turn: whether it holds, and what was found."""

    expectation: Expectation
    turn: int
    passed: bool
    found: str


def parse_expectations(text: str) -> list[Expectation]:
    """The expectations in `text`. Raises `UsageError`, which names the wrong character."""
    expectations: list[Expectation] = []
    at = 0
    while text[at:].strip():
        one, at = _expectation(text, at)
        expectations.append(one)
        rest = text[at:].lstrip()
        if rest and not rest.startswith(","):
            raise _wrong(text, at, "expected a comma before this")
        at = len(text) - len(rest) + 1 if rest else len(text)
    if not expectations:
        raise UsageError(
            "expect-empty", "--expect names no expectation.", "For example: --expect 'ttft<500ms, complete'"
        )
    return expectations


def _expectation(text: str, at: int) -> tuple[Expectation, int]:
    match = _NAME.match(text, at)
    if match is None:
        raise _wrong(text, at, "expected the name of a measure here")
    found = measure(match[2])
    if found is None:
        known = f"Known: {', '.join(MEASURES)}, rule:NAME."
        hint = did_you_mean(match[2], [*MEASURES, *ALIASES], known, most=3, likeness=0.5)
        raise UsageError("expect-unknown", f"There is no measure {match[2]!r}.", hint)
    end = match.end()
    op = _OP.match(text, end)
    if op is None:
        return Expectation(text[at:end].strip(), found, match[1]), end
    if match[1]:
        raise _wrong(text, at, "! goes with a measure by itself; use != or !~")
    if op[1] in _ORDERS and found.kind == "text":
        raise _wrong(text, end, f"{found.name} is text: use = != ~ or !~")
    if found.kind == "flag":
        raise _wrong(text, end, f"{found.name} is true or false: write {found.name} or !{found.name}")
    if "~" in op[1] and found.kind != "text":
        raise _wrong(text, end, f"{found.name} is a number: use < <= > >= = or !=")
    value, end = (_text_value if found.kind == "text" else _number_value)(text, op.end(), found)
    return Expectation(text[at:end].strip(), found, op[1].replace("==", "="), value), end


def _number_value(text: str, at: int, of: Measure) -> tuple[float, int]:
    match = _NUMBER.match(text, at)
    if match is None:
        raise _wrong(text, at, f"expected a number to compare {of.name} with")
    units = _MS if of.kind == "ms" else _COUNTS
    factor = units.get(match[2].lower())
    if factor is None:
        known = ", ".join(unit for unit in units if unit)
        raise _wrong(text, match.start(2), f"{match[2]} is not a unit for {of.name}; use {known}")
    return float(match[1]) * factor, match.end()


def _text_value(text: str, at: int, of: Measure) -> tuple[str | re.Pattern[str], int]:
    if match := _QUOTED.match(text, at):
        quoted = match[1] if match[1] is not None else match[2]
        return re.sub(r"\\(.)", _unescaped, quoted, flags=re.DOTALL), match.end()
    if match := _REGEX.match(text, at):
        try:
            return re.compile(match[1].replace("\\/", "/"), re.DOTALL), match.end()
        except re.error as error:
            raise _wrong(text, at, f"invalid regular expression: {error}") from None
    if text[at : at + 1] in ('"', "'", "/"):
        raise _wrong(text, at, f"{text[at]} is not closed")
    match = _WORD.match(text, at)
    if match is None or not match[0].strip():
        raise _wrong(text, at, f"expected text to compare {of.name} with")
    return match[0].strip(), match.end()


def _unescaped(match: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t", "r": "\r"}.get(match[1], match[1])


def _wrong(text: str, at: int, why: str) -> UsageError:
    at += len(text[at:]) - len(text[at:].lstrip())
    near = f" at {text[at : at + 20]!r}" if text[at:] else " at its end"
    return UsageError("expect-syntax", f"--expect, character {at + 1}{near}: {why}.")


def judge(expectation: Expectation, turn: Turn) -> Judgement:
    """Whether the expectation holds for a turn."""
    value = expectation.measure.read(turn)
    found = _found_text(expectation.measure, value)
    stats = turn.gaps.stats()
    if expectation.measure.name.endswith(".p99") and value is not None and stats.p99 is None:
        found += f", the maximum of {stats.n}"
    return Judgement(expectation, turn.number, _holds(expectation, value), found)


def _holds(expectation: Expectation, value: Any) -> bool:
    op, bound = expectation.op, expectation.value
    if op in ("", "!"):
        return bool(value) != (op == "!")
    if value is None:
        # Only "is not this" can be said of what is not there.
        return op in ("!=", "!~") and expectation.measure.kind == "text"
    if op in _ORDERS:
        return bool(_ORDERS[op](value, bound))
    if isinstance(bound, re.Pattern):
        holds = bool(bound.search(value) if "~" in op else bound.fullmatch(value))
    else:
        holds = bool(str(bound) in value if "~" in op else value == bound)
    return holds != op.startswith("!")


def _found_text(of: Measure, value: Any) -> str:
    """A value as people read it."""
    if value is None:
        return "unknown"
    if of.kind == "flag":
        return "yes" if value else "no"
    if of.kind == "text":
        return repr(value if len(value) <= 60 else value[:57] + "...")
    return f"{value:.4g} ms" if of.kind == "ms" else f"{value:g}"

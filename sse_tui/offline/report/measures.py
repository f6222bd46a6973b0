"""What an expectation can be about: the numbers, the marks and the texts of a turn, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.outcome import Outcome
from sse_tui.analysis.turn import Turn
from sse_tui.metrics import Clocks, Stats

Kind = Literal["ms", "number", "flag", "text"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure: its kind, and how it is read off a turn (None when it is not known)."""

    name: str
    kind: Kind
    read: Callable[[Analysis, Turn], Any]


def _clock(name: str) -> Measure:
    return Measure(name, "ms", lambda _, turn: getattr(turn.clocks.clocks(), name))


def _gap(prefix: str, name: str) -> Measure:
    return Measure(
        f"{prefix}.{name}", "number" if name == "n" else "ms", lambda _, turn: _stat(turn.gaps.stats(), name)
    )


def _stat(stats: Stats, name: str) -> Any:
    # The p99 of fewer than 100 samples is their maximum.
    return stats.max if name == "p99" and stats.p99 is None else getattr(stats, name)


def _number(name: str, read: Callable[[Turn], Any]) -> Measure:
    return Measure(name, "number", lambda _, turn: read(turn))


def _flag(name: str, read: Callable[[Turn], bool]) -> Measure:
    return Measure(name, "flag", lambda _, turn: read(turn))


def _text(name: str, read: Callable[[Turn], str | None]) -> Measure:
    return Measure(name, "text", lambda _, turn: read(turn))


def _usage(name: str) -> Measure:
    return _number(f"tokens.{name}", lambda turn: (turn.answer.usage or {}).get(name))


def _of_severity(turn: Turn, severity: str) -> int:
    return sum(finding.severity == severity for finding in turn.findings)


def _error(turn: Turn) -> str | None:
    error = turn.error
    if error is None:
        return None
    return ": ".join(str(part) for part in (error.type, error.code, error.message) if part is not None)


_ALL: list[Measure] = [
    *map(_clock, (*Clocks.__dataclass_fields__, "connect", "thinking")),
    *(_gap(prefix, name) for prefix in ("itl", "icl", "gap") for name in
      ("p50", "p90", "p95", "p99", "max", "mean", "sd", "n")),
    Measure("tpot", "ms", lambda _, turn: turn.tpot.ms),
    _number("tokens_per_s", lambda turn: turn.tpot.per_second),
    _number("tokens_per_event", lambda turn: turn.tokens_per_event),
    _number("events_per_read", lambda turn: turn.gaps.events_per_read),
    _number("stutters", lambda turn: turn.gaps.stutters),
    _number("coalesced", lambda turn: turn.gaps.coalesced),
    _number("token_events", lambda turn: turn.gaps.token_events),
    _number("events", lambda turn: turn.events),
    _number("comments", lambda turn: turn.comments),
    _number("bytes", lambda turn: turn.bytes),
    _number("reads", lambda turn: sum(conn.reads for conn in turn.connections)),
    _number("connections", lambda turn: len(turn.connections)),
    _number("reconnects", lambda turn: max(0, len(turn.connections) - 1)),
    _number("repeats", lambda turn: turn.repeats),
    _number("tool_calls", lambda turn: len(turn.answer.tool_calls)),
    _number("status", lambda turn: next((c.response.status for c in turn.connections if c.response), None)),
    *map(_usage, ("input", "output", "reasoning", "cached")),
    _number("findings", lambda turn: len(turn.findings)),
    _number("errors", lambda turn: _of_severity(turn, "error")),
    _number("warnings", lambda turn: _of_severity(turn, "warning")),
    _flag("complete", lambda turn: turn.outcome is Outcome.COMPLETE),
    _flag("truncated", lambda turn: turn.outcome is Outcome.TRUNCATED),
    _flag("resumed", lambda turn: turn.verdict is not None),
    _flag("lossless", lambda turn: turn.verdict is not None and turn.verdict.kind == "lossless"),
    _flag("ids", lambda turn: turn.ids),
    _flag("done_sentinel", lambda turn: turn.answer.done_sentinel),
    _text("text", lambda turn: turn.answer.text),
    _text("reasoning", lambda turn: turn.answer.reasoning),
    _text("refusal", lambda turn: turn.answer.refusal),
    _text("finish_reason", lambda turn: turn.answer.finish_reason),
    _text("model", lambda turn: turn.answer.model),
    _text("dialect", lambda turn: turn.dialect_name),
    _text("outcome", lambda turn: turn.outcome.value),
    _text("verdict", lambda turn: None if turn.verdict is None else turn.verdict.kind),
    _text("last_event_id", lambda turn: turn.last_event_id),
    _text("error", _error),
    _text("tools", lambda turn: " ".join(str(call.get("name") or "") for call in turn.answer.tool_calls)),
]  # fmt: skip
MEASURES: dict[str, Measure] = {measure.name: measure for measure in _ALL}
# Other names that people know them by.
ALIASES = {"finish": "finish_reason", "tps": "tokens_per_s", "total": "stream_end", "itl": "itl.p50"}


def measure(name: str) -> Measure | None:
    """The measure of that name; ``rule:NAME`` counts the findings of a rule. None for a name that is none."""
    plain = name.lower().replace("-", "_") if not name.startswith("rule:") else name
    if plain.startswith("rule:"):
        rule = plain[len("rule:") :]
        return (
            _number(name, lambda turn: sum(finding.rule == rule for finding in turn.findings))
            if rule
            else None
        )
    return MEASURES.get(ALIASES.get(plain, plain))

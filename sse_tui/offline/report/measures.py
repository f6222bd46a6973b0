"""What an expectation can be about: the numbers, the marks and the texts of a turn, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from sse_tui.analysis.outcome import Outcome
from sse_tui.analysis.turn import Turn
from sse_tui.metrics import Clocks

Kind = Literal["ms", "number", "flag", "text"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure: its kind, and how it is read off a turn (None when it is not known)."""

    name: str
    kind: Kind
    read: Callable[[Turn], Any]


def _clock(name: str) -> Measure:
    return Measure(name, "ms", lambda turn: getattr(turn.clocks.clocks(), name))


def _gap(prefix: str, name: str) -> Measure:
    def read(turn: Turn) -> Any:
        stats = turn.gaps.stats()
        # The p99 of fewer than 100 samples is their maximum.
        return stats.max if name == "p99" and stats.p99 is None else getattr(stats, name)

    return Measure(f"{prefix}.{name}", "number" if name == "n" else "ms", read)


def _usage(name: str) -> Measure:
    return Measure(f"tokens.{name}", "number", lambda turn: (turn.answer.usage or {}).get(name))


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
    Measure("tpot", "ms", lambda turn: turn.tpot.ms),
    Measure("tokens_per_s", "number", lambda turn: turn.tpot.per_second),
    Measure("tokens_per_event", "number", lambda turn: turn.tokens_per_event),
    Measure("events_per_read", "number", lambda turn: turn.gaps.events_per_read),
    Measure("stutters", "number", lambda turn: turn.gaps.stutters),
    Measure("coalesced", "number", lambda turn: turn.gaps.coalesced),
    Measure("token_events", "number", lambda turn: turn.gaps.token_events),
    Measure("events", "number", lambda turn: turn.events),
    Measure("comments", "number", lambda turn: turn.comments),
    Measure("bytes", "number", lambda turn: turn.bytes),
    Measure("reads", "number", lambda turn: sum(conn.reads for conn in (*turn.connections, turn.left_out))),
    Measure("connections", "number", lambda turn: turn.connection_count),
    Measure("reconnects", "number", lambda turn: max(0, turn.connection_count - 1)),
    Measure("repeats", "number", lambda turn: turn.repeats),
    Measure("tool_calls", "number", lambda turn: len(turn.answer.calls)),
    Measure("status", "number", lambda turn: next((c.response.status for c in turn.connections if c.response), None)),
    *map(_usage, ("input", "output", "reasoning", "cached")),
    Measure("findings", "number", lambda turn: len(turn.findings)),
    Measure("errors", "number", lambda turn: _of_severity(turn, "error")),
    Measure("warnings", "number", lambda turn: _of_severity(turn, "warning")),
    Measure("complete", "flag", lambda turn: turn.outcome is Outcome.COMPLETE),
    Measure("truncated", "flag", lambda turn: turn.outcome is Outcome.TRUNCATED),
    Measure("resumed", "flag", lambda turn: turn.verdict is not None),
    Measure("lossless", "flag", lambda turn: turn.verdict is not None and turn.verdict.kind == "lossless"),
    Measure("ids", "flag", lambda turn: turn.ids),
    Measure("done_sentinel", "flag", lambda turn: turn.answer.done_sentinel),
    Measure("text", "text", lambda turn: turn.answer.text),
    Measure("reasoning", "text", lambda turn: turn.answer.reasoning),
    Measure("refusal", "text", lambda turn: turn.answer.refusal),
    Measure("finish_reason", "text", lambda turn: turn.answer.finish_reason),
    Measure("model", "text", lambda turn: turn.answer.model),
    Measure("dialect", "text", lambda turn: turn.dialect_name),
    Measure("outcome", "text", lambda turn: turn.outcome.value),
    Measure("verdict", "text", lambda turn: None if turn.verdict is None else turn.verdict.kind),
    Measure("last_event_id", "text", lambda turn: turn.last_event_id),
    Measure("error", "text", _error),
    Measure("tools", "text", lambda turn: " ".join(str(call.get("name") or "") for call in turn.answer.calls)),
]  # fmt: skip
MEASURES: dict[str, Measure] = {measure.name: measure for measure in _ALL}
# Other names that people know them by.
ALIASES = {"finish": "finish_reason", "tps": "tokens_per_s", "total": "stream_end", "itl": "itl.p50"}


def measure(name: str) -> Measure | None:
    """The measure of that name; ``rule:NAME`` counts the findings of a rule. None if there is no such measure."""
    if name.startswith("rule:"):
        rule = name.removeprefix("rule:")
        count = Measure(name, "number", lambda turn: sum(finding.rule == rule for finding in turn.findings))
        return count if rule else None
    plain = name.lower().replace("-", "_")
    return MEASURES.get(ALIASES.get(plain, plain))

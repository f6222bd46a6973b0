"""The JSON that programs read: one object an entry, one object a result. Their shape is a contract.

Offsets are bytes in the connection's body, times are milliseconds; what cannot be known is null, never invented.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.entry import Entry
from sse_tui.analysis.outcome import Outcome
from sse_tui.analysis.turn import Turn
from sse_tui.diagnosis import Finding
from sse_tui.errors import SseTuiError
from sse_tui.eventstream import Comment, Event, Ignored, NoData, Retry, Tail
from sse_tui.fields import first
from sse_tui.metrics import label_for

_ANSWER = ("text", "reasoning", "refusal", "tool_calls", "finish_reason", "usage")


def entry_json(entry: Entry) -> dict[str, Any]:
    """One line of ``tail --json`` and ``open --json``."""
    out: dict[str, Any] = {"kind": entry.kind}
    item = entry.item
    if isinstance(item, Event):
        out |= {"type": item.type, "data": item.data, "id": item.id}
    elif isinstance(item, Comment | Tail):
        out |= {"text": item.text}
    elif isinstance(item, Retry):
        out |= {"ms": item.ms, **({"digits": item.beyond} if item.beyond else {})}
    elif isinstance(item, Ignored):
        out |= {"line": item.line}
    elif isinstance(item, NoData):
        out |= {"type": item.type, "id": item.id}
    if item is not None:
        out |= {"start": item.start, "end": item.end}
    elif entry.record is not None:
        fields = msgspec.to_builtins(entry.record)
        out |= {name: value for name, value in fields.items() if name not in ("t", "k", "turn", "conn")}
    out["t_ms"] = _ms(entry.t)
    if item is not None:
        out["gap_ms"] = None if entry.gap_ms is None else round(entry.gap_ms, 6)
    if entry.repeat:
        out["repeat"] = True
    out["conn"] = entry.conn
    return out


def result_json(analysis: Analysis, turn: Turn, problem: SseTuiError | None = None) -> dict[str, Any]:
    """The one object of ``ask --json``: what the stream held, and how it came.

    `problem` is an error that the records do not hold: the run was interrupted, or no request could be sent.
    """
    answer = turn.answer
    outcome = turn.outcome if turn.connections or problem is None else Outcome.FAILED
    out: dict[str, Any] = {
        "dialect": turn.dialect_name,
        "model": answer.model,
        "outcome": outcome.value,
        **{name: getattr(answer, name) for name in _ANSWER},
        "choices": [choice._asdict() for choice in answer.by_choice],
        "error": error_json(turn, problem),
        "events": turn.events,
        "event_types": dict(turn.event_types),
        "comments": turn.comments,
        "ids": turn.ids,
        "last_event_id": turn.last_event_id,
        "retry": turn.retries,
        "ignored_fields": dict(turn.ignored_fields),
        "done_sentinel": answer.done_sentinel,
        "discarded_tail": turn.discarded_tail,
        "clocks": clocks_json(turn) if analysis.header.clock != "none" else None,
        "gaps": gaps_json(turn) if analysis.header.clock != "none" else None,
        "connections": connections_json(turn),
        "continuity": continuity_json(turn),
        "findings": [finding_json(finding) for finding in turn.findings],
    }
    extras = ("server_tool_calls", "tool_plan", "final_text", "incomplete_reason", "jsonrpc")
    out |= {name: value for name in extras if (value := getattr(answer, name))}
    return out | ({"others": turn.others} if turn.others else {})


def error_json(turn: Turn, problem: SseTuiError | None = None) -> dict[str, Any] | None:
    """What went wrong with the turn: its type, code and message; null where nothing did.

    An error that the stream reported has the server's own type, code and message, each null where it gave none. Of
    any other the type is the error's class ("http", "stream", "connect" ...) and the code its name for programs.
    """
    if turn.error is not None:
        return turn.error._asdict()
    found = turn.conclusion.problem() or problem
    return {"type": found.kind, "code": found.code, "message": found.message} if found is not None else None


def clocks_json(turn: Turn) -> dict[str, float | None]:
    """The clocks of the turn's first connection and of its tokens, ms; null where nothing marked them."""
    return {name: _round(value) for name, value in dataclasses.asdict(turn.clocks.clocks()).items()}


def gaps_json(turn: Turn) -> dict[str, Any]:
    """The gaps between token-bearing events, and what they can and cannot say."""
    gaps = turn.gaps
    tpot = turn.tpot
    stats = gaps.stats()
    return {
        "label": label_for(turn.tokens_per_event),
        "n": stats.n,
        **{name: _round(getattr(stats, name)) for name in ("mean", "sd", "p50", "p90", "p95", "p99", "max")},
        "coalesced": gaps.coalesced,
        "stutters": gaps.stutters,
        "token_events": gaps.token_events,
        "tokens_per_event": _round(turn.tokens_per_event),
        "tpot_ms": _round(tpot.ms),
        "tokens_from": tpot.source,
        "tokens_per_s": _round(tpot.per_second),
        "events_per_read": _round(gaps.events_per_read),
    }


def connections_json(turn: Turn) -> list[dict[str, Any]]:
    """Each connection of the turn: what was asked, what came, how it ended."""
    return [
        {
            "conn": conn.number,
            "status": conn.response.status if conn.response is not None else None,
            "last_event_id": first(conn.request.headers if conn.request is not None else (), "last-event-id"),
            "events": conn.events,
            "bytes": conn.bytes,
            "reads": conn.reads,
            "close": conn.close.reason if conn.close is not None else None,
            "detail": conn.close.detail if conn.close is not None else "",
        }
        for conn in turn.connections
    ]


def continuity_json(turn: Turn) -> dict[str, Any] | None:
    """The verdict over the turn's reconnects; null when it never reconnected."""
    verdict = turn.verdict
    return verdict and {"verdict": verdict.kind, "n": verdict.n, "detail": verdict.detail}


def finding_json(finding: Finding) -> dict[str, Any]:
    """One finding; beside what the contract names: how often it occurred, the first bytes, the evidence."""
    named = ("rule", "severity", "message", "advice", "reference", "conn", "start", "end", "event")
    return {
        **{name: getattr(finding, name) for name in named},
        "t_ms": _ms(finding.t),
        "count": finding.count,
        "raw": finding.raw.decode("utf-8", "backslashreplace"),
        "evidence": finding.evidence,
    }


def _ms(t: int | None) -> float | None:
    return None if t is None else round(t / 1e6, 6)


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)

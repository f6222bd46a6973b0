"""The report as one JSON object: a turn's result as ``ask --json`` gives it, and what a report has beside it."""

from __future__ import annotations

from typing import Any

from sse_tui.analysis.jsonform import result_json
from sse_tui.offline.report.builder import Report


def render(report: Report) -> dict[str, Any]:
    """The object. A recording of one turn is that turn's object; one of several has them in ``turns``."""
    turns = [result_json(report.analysis, turn) for turn in report.turns]
    out: dict[str, Any] = dict(turns[0]) if len(turns) == 1 else {"turns": turns}
    header = report.analysis.header
    out["recording"] = {
        "name": report.name,
        "tool": header.tool,
        "created": header.created,
        "clock": header.clock,
        "damage": report.damage,
        "problems": list(report.analysis.problems),
        "notes": list(report.analysis.notes),
    }
    if report.judgements:
        out["expectations"] = [
            {"expect": one.expectation.text, "turn": one.turn, "passed": one.passed, "found": one.found}
            for one in report.judgements
        ]
    if report.objectives:
        out["slo"] = [row._asdict() for row in report.objectives]
    return out

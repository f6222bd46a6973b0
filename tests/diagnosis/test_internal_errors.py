"""A rule that raises is reported as a finding of its own, live and in a report, and stops nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.cli.main import main
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Finding
from sse_tui.diagnosis.registry import CLOSE, EVENT, NO_DATA, RULES, Occurrence, rule
from sse_tui.eventstream import Event
from sse_tui.recording.records import Header
from tests.diagnosis.telling import Wire, text

THIRD = b"event: 3\ndata: c\n\n"
FOUR = b"event: 1\ndata: a\n\nevent: 2\ndata: b\n\n" + THIRD + b"event: 4\n\nevent: 4\ndata: d\n\n"


@pytest.fixture
def broken() -> Iterator[str]:
    """A rule that raises on every event from the third on."""

    @rule("info", EVENT, advice="None.", reference="a test")
    def broken_rule(event: Event, facts: Facts) -> Occurrence | None:
        """It has a defect."""
        if facts.entry.number >= 3:
            raise ZeroDivisionError("division by\x1bzero")
        return None

    yield "broken-rule"
    del RULES["broken-rule"]
    EVENT.checks = [(known, check) for known, check in EVENT.checks if known.id != "broken-rule"]


def internal(analysis: Analysis) -> list[Finding]:
    return [finding for finding in analysis.findings if finding.rule == "internal"]


def test_it_is_found_live(broken: str) -> None:
    story = Wire().ask().good().read(5, FOUR).read(6, b"data: e\n\n").close(7, "eof")
    analysis = Analysis(Header())
    *before, read, late, close = story.records
    for record in before:
        analysis.feed(record)
    assert internal(analysis) == []
    analysis.feed(read)
    (finding,) = internal(analysis)
    assert finding in analysis.turns[-1].findings
    assert re.fullmatch(
        r"rule broken-rule failed on event 3: ZeroDivisionError: division by\\x1bzero "
        r"\(test_internal_errors\.py, line \d+\)\.",
        finding.message,
    )
    assert (finding.severity, finding.event, finding.conn, finding.raw) == ("error", 3, 1, THIRD)
    for record in (late, close):
        analysis.feed(record)
    analysis.finish()
    assert internal(analysis) == analysis.diagnosis.internal_errors == [finding]
    assert finding.count == 3, "events 3, 4 and 5"
    assert "event-without-data" in {found.rule for found in analysis.findings}, "the other rules still run"


def test_a_rule_about_reads_fails_on_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(_: object, facts: Facts) -> Iterator[Occurrence]:
        yield Occurrence("Found before it failed.")
        raise KeyError("x")

    monkeypatch.setattr(CLOSE, "checks", [(RULES["usage-missing"], check)])
    analysis = Analysis(Header())
    for record in Wire().ask(dialect="openai-chat").good().read(5, text("a")).close(6, "reset").records:
        analysis.feed(record)
    (finding,) = internal(analysis)
    assert finding.message.startswith("rule usage-missing failed on connection 1 (close): KeyError: 'x'")
    assert "usage-missing" in {found.rule for found in analysis.findings}


def test_each_failing_rule_is_reported_once(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(_: object, facts: Facts) -> None:
        raise RecursionError

    monkeypatch.setattr(NO_DATA, "checks", [(RULES["event-without-data"], check)])
    analysis = Analysis(Header())
    story = Wire().ask().good()
    story.read(5, FOUR).close(6, "reset")
    story.waits(6)
    story.ask(1006, again=True).good(1007).read(1008, FOUR).close(1009, "eof")
    for record in story.records:
        analysis.feed(record)
    assert [finding.evidence["rule"] for finding in internal(analysis)] == [broken, "event-without-data"]
    assert [finding.count for finding in internal(analysis)] == [4, 2]
    assert "(test_internal_errors.py, line " in internal(analysis)[1].message


@pytest.mark.parametrize("form", ["text", "json", "md", "html", "junit"])
def test_it_is_in_the_report(
    form: str, broken: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / "a.sse"
    file.write_bytes(FOUR)
    with pytest.raises(SystemExit):
        main(["report", str(file), "--format", form])
    out = capsysbinary.readouterr().out.decode()
    words = " ".join(re.sub(r"&#x27;|\\", "", out).split())
    assert "internal" in words
    assert "failed on event 3" in words
    if form == "json":
        assert [f["rule"] for f in json.loads(out)["findings"] if f["severity"] == "error"] == ["internal"]

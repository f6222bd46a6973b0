"""Any bytes in any reads, any records in any order: no rule fails, and what is kept is bounded."""

from __future__ import annotations

import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.analysis.analysis import Analysis
from sse_tui.diagnosis.collector import KEPT
from sse_tui.recording.records import (
    Close,
    End,
    Fault,
    Header,
    Note,
    Phase,
    Reconnect,
    Record,
    Request,
    Response,
    chunk,
)
from tests.diagnosis.telling import DONE, HEALTHY, of_bytes, read, text

PARTS = st.sampled_from(
    [
        *(
            b"data: ",
            b"data",
            b"id: 1",
            b"id: 2",
            b"id:",
            b"retry: 0",
            b"retry: x",
            b"event: ping",
            b"event: error",
        ),
        *(
            b":",
            b": ping",
            b"\n",
            b"\n\n",
            b"\r",
            b"\r\n",
            b"\xef\xbb\xbf",
            b"\xf0\x9f",
            b"\x98\x80",
            b"\xff",
            b"\0",
        ),
        *(b'{"error":{"message":"x"}}', b'{"choices":[]}', b'{"sequence_number":3}', b"{", b"<html>"),
        *(b"sk-" + b"a" * 40, text("a"), DONE, HEALTHY, "\u2028".encode(), b"\x0b"),
        b'event: message_start\ndata: {"type":"ping"}\n\n',
    ]
)
BODY = st.lists(PARTS | st.binary(max_size=8), max_size=40).map(b"".join)
NUMBER = st.integers(0, 3)
TIME = st.integers(0, 400_000_000_000)
NAMES = st.sampled_from(
    ["Content-Type", "content-encoding", "Retry-After", "Last-Event-ID", "Authorization", "x"]
)
VALUES = st.sampled_from(
    ["text/event-stream", "text/html; charset=x", "gzip", "5", "\u20ac", "", "Bearer " + 30 * "k"]
)
HEADERS = st.lists(st.tuples(NAMES, VALUES), max_size=4)
REASONS = st.sampled_from(
    ["eof", "incomplete", "reset", "timeout", "client", "fault", "refused", "error", "?"]
)


@st.composite
def records(draw: st.DrawFn) -> list[Record]:
    out: list[Record] = []
    for _ in range(draw(st.integers(0, 25))):
        t, turn, conn = draw(TIME), draw(NUMBER), draw(NUMBER)
        kind = draw(st.integers(0, 9))
        if kind <= 3:
            out.append(chunk(t, draw(BODY), turn=turn, conn=conn))
        elif kind == 4:
            method, url = draw(st.sampled_from(["GET", "POST", ""])), draw(st.text(max_size=8))
            body = draw(st.none() | st.text(max_size=20))
            out.append(
                Request(t=t, turn=turn, conn=conn, method=method, url=url, headers=draw(HEADERS), body=body)
            )
        elif kind == 5:
            status = draw(st.integers(100, 599))
            out.append(
                Response(t=t, turn=turn, conn=conn, status=status, http_version="", headers=draw(HEADERS))
            )
        elif kind == 6:
            out.append(
                Close(t=t, turn=turn, conn=conn, reason=draw(REASONS), detail=draw(st.text(max_size=5)))
            )
        elif kind == 7:
            out.append(
                Reconnect(t=t, turn=turn, conn=conn, delay_ms=draw(st.floats()), last_event_id="", policy="")
            )
        elif kind == 8:
            out.append(Phase(t=t, turn=turn, conn=conn, name="sent", dt=1))
        else:
            other: list[Record] = [
                Note(t=t, text=""),
                End(t=t, reason=""),
                Fault(t=t, turn=turn, conn=conn, plan="", at="", did=""),
            ]
            out.append(draw(st.sampled_from(other)))
    return out


@given(BODY, st.integers(1, 50))
@settings(max_examples=300, deadline=None)
def test_any_bytes(body: bytes, size: int) -> None:
    analysis = of_bytes(*[body[at : at + size] for at in range(0, len(body), size)])
    for finding in analysis.findings:
        assert len(finding.raw) <= 200
        if finding.start is not None and finding.end is not None:
            assert 0 <= finding.start <= finding.end <= len(body)
            if finding.raw:
                assert body[finding.start :].startswith(finding.raw)


@given(records(), st.sampled_from(["read", "none"]))
@settings(max_examples=300, deadline=None)
def test_any_records(told: list[Record], clock: str) -> None:
    read(told, clock=clock)


def test_endless_findings_are_bounded() -> None:
    analysis = Analysis(Header(clock="none"))
    for _ in range(300):
        analysis.feed(chunk(0, 100 * b"event: x\n\nretry: 0\n\nfoo\n\n", turn=1, conn=1))
    by_rule = [f.rule for f in analysis.findings]
    assert max(by_rule.count(rule) for rule in by_rule) <= KEPT
    assert analysis.findings[0].count >= 30_000


def test_a_huge_event_is_not_kept() -> None:
    analysis = Analysis(Header(clock="none"))
    tracemalloc.start()
    try:
        for _ in range(2000):
            analysis.feed(chunk(0, b"x" * 1000, turn=1, conn=1))
        taken = tracemalloc.take_snapshot()
    finally:
        tracemalloc.stop()
    own = taken.filter_traces([tracemalloc.Filter(True, "*/sse_tui/diagnosis/*")])
    assert 1_000 < sum(stat.size for stat in own.statistics("filename")) < 50_000

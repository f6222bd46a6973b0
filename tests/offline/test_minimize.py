"""Minimizing keeps what was asked for, and little else."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from typing import Any

import pytest

from sse_tui.diagnosis import checked_rule
from sse_tui.errors import UsageError
from sse_tui.offline.minimize import minimize
from sse_tui.offline.reproduction import findings_of, still_found
from sse_tui.recording.importing import raw_records, untimed
from sse_tui.recording.records import Chunk, Header, Record, Request
from tests.analysis.story import Story
from tests.diagnosis import wires
from tests.diagnosis.telling import DONE, GOOD_HEADERS, HEALTHY, Wire, text
from tests.diagnosis.test_rules import ALL, FIRES

RAW = Header(clock="none")


def body(records: Sequence[Record]) -> bytes:
    return b"".join(record.data for record in records if isinstance(record, Chunk))


def minimal(records: list[Record], rule: str, header: Header = RAW, **options: Any) -> list[Record]:
    holds = still_found(rule, header, records)
    assert holds is not None
    result = minimize(records, holds, **options)
    assert holds(result.records)
    assert result.bytes <= result.was
    return result.records


def of_raw(data: bytes, rule: str) -> bytes:
    return body(minimal(list(raw_records(untimed([data]))), rule))


@pytest.mark.parametrize("rule", ALL)
def test_every_rule_still_fires_on_less(rule: str) -> None:
    case = FIRES[rule]
    if isinstance(case, Story):
        records, header = list(case.records), Header(clock="read")
    else:
        records, header = list(raw_records(untimed([case] if isinstance(case, bytes) else case))), RAW
    rest = minimal(records, rule, header, tries=1500)
    assert rule in {finding.rule for finding in findings_of(rest, header)}
    assert len(rest) <= len(records)


def test_what_is_left_is_the_cause() -> None:
    noise = HEALTHY * 20
    # One chunk is part of the cause: in a stream that is no model's answer it would be a note.
    left = of_raw(b"id: 1\n" + noise + b": ping\n\n" + noise, "phantom-event-risk")
    assert left == b'id:1\ndata:{"choices":[]}\n\n:\n\n'
    assert of_raw(b": hb\n" + noise, "heartbeat-form") == b":\n"
    assert of_raw(text("a long answer") * 5, "truncated-stream").rstrip().endswith(b"}")
    assert len(of_raw(text("a long answer") * 5, "truncated-stream")) < 60


def test_an_error_keeps_its_words() -> None:
    left = of_raw(
        text("a") * 9 + b'data: {"error":{"message":"Overloaded","x":[1,2]},"id":"c"}\n\n' + DONE,
        "in-band-error",
    )
    assert left == b'data:{"error":{"message":"Overloaded"}}\n\n'


def test_other_connections_and_headers_go() -> None:
    wire: Any = Wire().ask(headers=[("X-One", "1")]).good().read(10, HEALTHY).close(20, "eof")
    wire.ask(100, headers=[("X-Two", "2")]).good(110).read(120, b"event: x\n\n").close(130, "eof")
    left = minimal(list(wire.records), "event-without-data", Header())
    assert [record.kind for record in left] == ["chunk"]
    asked = minimal(list(wires.asked_twice("POST").records), "unsafe-retry", Header())
    assert len(asked) == 2
    assert isinstance(asked[-1], Request)
    assert asked[-1].headers == []


def test_the_reads_stay_where_they_matter() -> None:
    left = minimal(list(wires.buffered().records), "proxy-buffering", Header())
    assert sum(isinstance(record, Chunk) for record in left) >= 3
    whole = minimal(list(raw_records(untimed([b"eve", b"nt: x\n", b"\n"]))), "event-without-data")
    assert sum(isinstance(record, Chunk) for record in whole) == 1


def test_a_compressed_body_is_told_without_its_coding() -> None:
    wire: Any = Wire().ask()
    wire.response(5, headers=[*GOOD_HEADERS, ("Content-Encoding", "gzip")])
    wire.read(10, gzip.compress(HEALTHY + b"event: x\n\n")).close(20, "eof")
    left = minimal(list(wire.records), "event-without-data", Header())
    assert body(left) == b"event:x\n\n"
    assert [r.kind for r in minimal(list(wire.records), "compressed-stream", Header())] == ["response"]


def test_tries_are_bounded() -> None:
    records = list(raw_records(untimed([text("a") * 200])))
    asked = 0

    def holds(part: Sequence[Record]) -> bool:
        nonlocal asked
        asked += 1
        return b"content" in body(part)

    result = minimize(records, holds, tries=20)
    assert (result.exhausted, result.tries) == (True, 20)
    assert asked <= 21
    assert b"content" in body(result.records)
    assert minimize(records, holds, max_bytes=10**5).exhausted


def test_what_never_held_is_refused() -> None:
    with pytest.raises(ValueError, match="does not hold"):
        minimize([], lambda _: False)


def test_a_rule_that_finds_nothing_or_is_none() -> None:
    assert still_found("bom", RAW, list(raw_records(untimed([HEALTHY])))) is None
    assert checked_rule("bom") == "bom"
    with pytest.raises(UsageError, match="truncated-stream"):
        checked_rule("truncated_stream")

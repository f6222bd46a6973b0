"""Compressed bodies that expand: read in slices, up to a bound, and everything else as if it had come in one piece."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.entry import Entry
from sse_tui.limits import EXPANSION_LINES
from sse_tui.recording.content import SLICE
from sse_tui.recording.records import Chunk, Record
from tests.analysis.story import STREAM_HEADERS, Story

GZIP = [*STREAM_HEADERS, ("Content-Encoding", "gzip")]
EVENTS = b"".join(b'id: %d\ndata: {"n": %d}\n\n' % (n, n) for n in range(20_000))


def story(body: bytes, headers: Sequence[tuple[str, str]] = GZIP) -> list[Record]:
    wire = Story().request(0)
    wire.response(10, headers=list(headers))
    return wire.read(20, body).close(30, "eof").records


def in_slices(records: list[Record]) -> tuple[Analysis, list[Entry], int]:
    analysis, entries, largest = Analysis(), [], 0
    for record in records:
        for part in analysis.slices(record):
            entries += part
            largest = max(largest, len(part))
    analysis.finish()
    return analysis, entries, largest


def test_slices_give_the_entries_of_the_whole_and_each_is_small() -> None:
    coded, plain = story(gzip.compress(EVENTS)), story(EVENTS, STREAM_HEADERS)
    whole = Analysis()
    expected = [entry for record in plain for entry in whole.feed(record)]
    whole.finish()
    for records in (coded, plain):
        analysis, entries, largest = in_slices(records)
        assert entries[3:] == expected[3:]  # those of the body and its end
        assert largest < SLICE // 10
        assert len(EVENTS) > 4 * SLICE
        assert analysis.reads == 1
        assert analysis.turns[0].connections[0].reads == 1
        rules = {finding.rule: finding.evidence for finding in analysis.findings}
        rules.pop("compressed-stream", None)
        assert rules == {finding.rule: finding.evidence for finding in whole.findings}
    fed = Analysis()
    assert [entry for record in coded for entry in fed.feed(record)][3:] == expected[3:]


@pytest.mark.parametrize("unit", [b":\n", b"x\n", b"data:\n\n", b"id\n", b"\n", b"data:\n"])
def test_a_bomb_is_read_up_to_a_bound_in_slices(unit: bytes) -> None:
    records = story(gzip.compress(unit * (20 * 2**20 // len(unit))))
    analysis, made, largest = Analysis(), 0, 0
    for record in records:
        for part in analysis.slices(record):
            made += len(part)
            largest = max(largest, len(part))
    analysis.finish()
    assert largest <= SLICE
    assert made < EXPANSION_LINES + 4 * 30_000
    (finding,) = [finding for finding in analysis.findings if finding.rule == "runaway-compression"]
    assert finding.severity == "error"
    assert "expand to more than" in finding.message
    assert analysis.turns[0].connections[0].undecoded
    assert len(analysis.problems) == 1


def test_a_line_that_never_ends_is_held_up_to_the_limit_of_an_event() -> None:
    body = gzip.compress(b"data: " + b"x" * (18 * 2**20), 1)
    for limit in (2**20, 2**24):
        analysis = Analysis(max_event_bytes=limit)
        for record in story(body):
            for _ in analysis.slices(record):
                pass
        assert [problem for problem in analysis.problems if "the limit is" in problem]


def test_a_read_that_brings_only_a_head_of_the_coding_is_a_read() -> None:
    packer = zlib.compressobj(wbits=31)
    head = packer.compress(b"") or b""
    rest = packer.compress(b"data: a\n\n") + packer.flush()
    wire = Story().request(0)
    wire.response(10, headers=GZIP)
    analysis, entries, _ = in_slices(wire.read(20, (head + rest)[:10]).read(30, (head + rest)[10:]).records)
    assert analysis.reads == 2
    assert [entry.read for entry in entries if entry.kind == "event"] == [2]
    assert isinstance(wire.records[2], Chunk)

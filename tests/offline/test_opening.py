"""Opening files and pipes: everything becomes records, live or not."""

from __future__ import annotations

import os
import threading
from itertools import chain
from pathlib import Path

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.errors import RecordingError
from sse_tui.offline.opening import Piped, is_recording, open_path, spool
from sse_tui.recording import read_recording
from sse_tui.recording.records import Chunk
from sse_tui.session.live import Live
from sse_tui.session.spec import SessionSpec
from tests.analysis.story import done, finish, role, token

BODY = role() + token("Hello") + token(" you") + finish() + done()


def write_slowly(data: list[bytes]) -> int:
    """A pipe's reading end; each piece is written only after the one before was taken."""
    reading, writing = os.pipe()

    def write() -> None:
        for piece in data:
            os.write(writing, piece)
        os.close(writing)

    threading.Thread(target=write, daemon=True).start()
    return reading


def test_a_raw_stream_in_a_file_has_no_clock(tmp_path: Path) -> None:
    path = tmp_path / "a.sse"
    path.write_bytes(BODY)
    assert not is_recording(path)
    recording = open_path(path)
    analysis = Analysis(recording.header)
    list(chain.from_iterable(map(analysis.feed, recording)))
    turn = analysis.turns[0]
    assert turn.answer.text == "Hello you"
    assert turn.outcome == "complete"
    assert turn.dialect_name == "openai-chat"
    assert turn.clocks.clocks().ttft is None
    assert turn.conclusion.problem() is None


def test_a_raw_stream_from_a_pipe_is_stamped_as_it_is_read() -> None:
    fd = write_slowly([BODY[:50], BODY[50:200], BODY[200:]])
    piped = Piped(fd)
    assert piped.header.clock == "read"
    analysis = Analysis(piped.header)
    entries = list(chain.from_iterable(map(analysis.feed, piped)))
    os.close(fd)
    assert analysis.turns[0].answer.text == "Hello you"
    times = [entry.t for entry in entries if entry.kind == "event"]
    assert all(t is not None for t in times)
    assert times == sorted(times)  # type: ignore[type-var]


def test_a_redirected_file_has_no_clock(tmp_path: Path) -> None:
    path = tmp_path / "a.sse"
    path.write_bytes(BODY)
    fd = os.open(path, os.O_RDONLY)
    piped = Piped(fd)
    assert piped.header.clock == "none"
    assert {record.t for record in piped} == {0}
    os.close(fd)


def test_curl_s_output_through_a_pipe_is_stamped_as_it_comes() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    fd = write_slowly([head[:10], head[10:], BODY[:50], BODY[50:]])
    piped = Piped(fd)
    assert piped.header.clock == "read"
    analysis = Analysis(piped.header)
    list(chain.from_iterable(map(analysis.feed, piped)))
    os.close(fd)
    turn = analysis.turns[0]
    assert turn.answer.text == "Hello you"
    assert turn.connections[0].response is not None


def test_a_log_with_times_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(
        b"".join(b"12:00:%02d.500 %s\n" % (at, line) for at, line in enumerate(BODY.split(b"\n")[:-1]))
    )
    assert not is_recording(path)
    recording = open_path(path)
    assert recording.header.clock == "imported"
    analysis = Analysis(recording.header)
    list(chain.from_iterable(map(analysis.feed, recording)))
    assert analysis.turns[0].answer.text == "Hello you"
    assert analysis.turns[0].gaps.stats().max == 2000.0


def test_a_spooled_stream_is_a_recording_that_holds_the_same_bytes(tmp_path: Path) -> None:
    raw = tmp_path / "a.sse"
    raw.write_bytes(BODY)
    path = spool(open_path(raw), tmp_path / "spooled.sse.jsonl")
    assert is_recording(path)
    assert b"".join(record.data for record in read_recording(path) if isinstance(record, Chunk)) == BODY
    fd = os.open(path, os.O_RDONLY)
    piped = Piped(fd)
    assert piped.header == read_recording(path).header
    assert list(piped) == list(read_recording(path))
    os.close(fd)


def test_a_truncated_file_is_said_to_be_truncated(tmp_path: Path) -> None:
    path = tmp_path / "cut.sse"
    path.write_bytes(role() + token("par") + b"data: {")
    recording = open_path(path)
    analysis = Analysis(recording.header)
    list(chain.from_iterable(map(analysis.feed, recording)))
    problem = analysis.turns[0].conclusion.problem()
    assert problem is not None
    assert problem.code == "truncated-stream"
    assert analysis.turns[0].discarded_tail


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b\x08\x00rest"])
def test_what_is_neither_is_refused_with_its_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match="odd"):
        open_path(path)


async def test_rows_of_a_recording_without_a_clock_have_no_times(tmp_path: Path) -> None:
    raw = tmp_path / "a.sse"
    raw.write_bytes(BODY)
    live = Live(SessionSpec(mode="open", path=spool(open_path(raw), tmp_path / "a.sse.jsonl")))
    await live.start()
    while live.poll() or live.behind:
        pass
    assert live.reader is not None
    rows = [live.rows.row(index, live.reader) for index in range(len(live.rows))]
    await live.close()
    assert len(rows) > 4
    assert {(row.t_ns, row.gap_ms, row.same_read) for row in rows} == {(None, None, False)}

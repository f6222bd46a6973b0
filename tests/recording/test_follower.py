from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.errors import RecordingError
from sse_tui.recording import Follower, Redactor, Writer, mark_kept, read_recording
from sse_tui.recording.record_lines import encode_line
from sse_tui.recording.records import Header, Note, Record


def test_it_gives_what_a_writer_adds_step_by_step(tmp_path: Path, session: list[Record]) -> None:
    path = tmp_path / "a.sse.jsonl"
    with Follower(path) as follower:
        assert follower.poll() == []
        assert follower.header is None
        with Writer(path, Header(tool="here"), Redactor()) as writer:
            assert follower.poll() == []
            assert follower.header is not None
            assert follower.header.tool == "here"
            for record in session:
                before = writer.size
                writer.write(record)
                size = writer.size
                assert follower.poll() == [(before, record)]
                assert (follower.size, follower.offset, follower.caught_up) == (size, size, True)
                assert follower.poll() == []
            writer.write_many(session)
            assert [record for _, record in follower.poll()] == session
    follower.close()


@settings(deadline=None, max_examples=30)
@given(cuts=st.lists(st.integers(0, 2000), max_size=12), limit=st.none() | st.integers(1, 400))
def test_any_growth_and_any_limit_give_the_same_records(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], limit: int | None
) -> None:
    folder = tmp_path_factory.mktemp("grow")
    notes: list[Record] = [Note(t=t, text="☃" * (t % 7) * t) for t in range(12)]
    with Writer(folder / "whole", Header(), Redactor()) as writer:
        writer.write_many(notes)
    data = (folder / "whole").read_bytes()
    expected = list(read_recording(folder / "whole").with_offsets())
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    seen: list[tuple[int, Record]] = []
    with (folder / "grown").open("wb", buffering=0) as file, Follower(folder / "grown") as follower:
        for start, end in itertools.pairwise(places):
            file.write(data[start:end])
            while True:
                seen += follower.poll(limit)
                if follower.caught_up:
                    break
            whole = [pair for pair in expected if data.index(b"\n", pair[0]) < end]
            assert seen == whole
    assert seen == expected


def test_a_limit_bounds_what_one_poll_brings(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with Writer(path, Header(), Redactor()) as writer, Follower(path) as follower:
        writer.write_many(Note(t=t, text="x" * 50) for t in range(1000))
        # One byte is never a line: what is read is doubled until it holds one.
        assert len(follower.poll(1)) < 5
        assert follower.header is not None
        assert 1 <= len(follower.poll(1)) < 5
        assert 10 < len(follower.poll(2000)) < 40
        assert not follower.caught_up


def test_nothing_new_costs_one_system_call(
    tmp_path: Path, session: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    with Writer(path, Header(), Redactor()) as writer, Follower(path) as follower:
        writer.write_many(session)
        follower.poll()
        with path.open("ab") as file:
            file.write(b'{"t":1,"k":"no')
        assert follower.poll() == []
        assert follower.caught_up
        reads: list[int] = []
        monkeypatch.setattr(os, "pread", lambda *_: reads.append(1))
        assert follower.poll() == []
        assert reads == []


def test_a_half_line_that_is_taken_back(tmp_path: Path) -> None:
    """A writer on a full disk cuts its half line off again; the next one stands in the same place."""
    path = tmp_path / "a"
    with Writer(path, Header(), Redactor()) as writer, Follower(path) as follower:
        writer.write(Note(t=1, text="one"))
        size = writer.size
        with path.open("ab") as file:
            file.write(b'{"t":2,"k":"note","te')
        assert [record.t for _, record in follower.poll()] == [1]
        os.truncate(path, size)
        writer.write(Note(t=3, text="three"))
        assert follower.poll() == [(size, Note(t=3, text="three"))]


def test_it_follows_a_file_that_is_renamed(tmp_path: Path) -> None:
    path = tmp_path / "a.sse.jsonl"
    with Writer(path, Header(), Redactor()) as writer, Follower(path) as follower:
        follower.poll()
        mark_kept(path)
        writer.write(Note(t=1, text=""))
        assert len(follower.poll()) == 1


def test_damage_is_counted_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(
        b'{"format":"sse-recording","version":1}\nbroken\n{"t":1,"k":"new"}\n{"t":2,"k":"note","text":""}\n'
    )
    with Follower(path) as follower:
        assert [record.t for _, record in follower.poll()] == [2]
        assert [(damage.line, damage.offset) for damage in follower.damage] == [(2, 39)]
        assert follower.unknown == {"new": 1}


def test_files_it_cannot_follow(tmp_path: Path, session: list[Record]) -> None:
    (tmp_path / "raw").write_bytes(b"data: x\n\n")
    with Follower(tmp_path / "raw") as follower, pytest.raises(RecordingError, match="not a recording"):
        follower.poll()
    (tmp_path / "huge").write_bytes(b"x" * 2_000_000)
    with Follower(tmp_path / "huge") as follower, pytest.raises(RecordingError, match="not a recording"):
        follower.poll()
    with Follower(tmp_path) as follower, pytest.raises(RecordingError, match="Is a directory"):
        follower.poll()
    with Writer(tmp_path / "a", Header(), Redactor()) as writer, Follower(tmp_path / "a") as follower:
        writer.write_many(session)
        follower.poll()
        os.truncate(tmp_path / "a", 60)
        with pytest.raises(RecordingError, match="was truncated while"):
            follower.poll()


def test_a_line_longer_than_any_record_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sse_tui.recording.follower.LINE_LIMIT", 1_000)
    path = tmp_path / "long.sse.jsonl"
    note = encode_line(Note(t=1, text="a"))
    path.write_bytes(encode_line(Header()) + note + b"x" * 5_000)
    with Follower(path) as follower:
        assert [record for _ in range(3) for _, record in follower.poll(64)] == [Note(t=1, text="a")]
        assert follower.caught_up
        with path.open("ab") as file:
            file.write(b"x" * 5_000 + b"\n" + note)
        got = [record for _ in range(3) for _, record in follower.poll(64)]
        assert got == [Note(t=1, text="a")]
        (damage,) = follower.damage
        assert (damage.line, damage.offset) == (3, len(encode_line(Header())) + len(note))
        assert "10,000 bytes" in damage.reason

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sse_tui.errors import RecordingError
from sse_tui.recording import Redactor, Writer, open_any, read_recording, sniff
from sse_tui.recording.importing import raw_records, untimed
from sse_tui.recording.records import Chunk, Close, End, Header, Record

RAW = b"id: 1\ndata: caf\xc3\xa9\n\n: ping\n\ndata: last"


def test_telling_one_from_the_other(write: Callable[..., Path], session: list[Record]) -> None:
    assert sniff(write(session).read_bytes()[:200]) == "recording"
    assert sniff(b'{"format": "sse-recording", "version": 9}') == "recording"
    for raw in (
        RAW,
        b"\n",
        b"\xef\xbb\xbfdata: x\n\n",
        b'{"error": "no stream"}',
        b"data: a\0b and so on\n\n",
    ):
        assert sniff(raw) == "event-stream"
    assert sniff(b'data: {"format":"sse-recording","version":1}\n\n') == "event-stream"


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (b"", "is empty"),
        (b"\x1f\x8b\x08\x00rest", "gzip data.*gunzip"),
        (b"\x28\xb5\x2f\xfdrest", "zstd"),
        (b"PK\x03\x04rest", "zip archive"),
        ("data: x\n\n".encode("utf-16"), "UTF-16"),
        ("data: x\n\n".encode("utf-16-le"), "binary"),
        (bytes(100), "binary"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", "binary"),
    ],
)
def test_what_is_neither(first: bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=words):
        sniff(first)
    (tmp_path / "x").write_bytes(first)
    with pytest.raises(RecordingError, match=f"x is .*{words.removeprefix('is ')}"):
        open_any(tmp_path / "x")


def test_records_of_a_stamped_stream() -> None:
    records = list(raw_records([(5, b"data: \xc3"), (9, b"\xa9\n\n")], turn=2, conn=3))
    assert [type(record) for record in records] == [Chunk, Chunk, Close, End]
    assert [(record.t, record.turn, record.conn) for record in records] == [
        (5, 2, 3),
        (9, 2, 3),
        (9, 2, 3),
        (9, 0, 0),
    ]
    assert list(raw_records([])) == [Close(t=0, turn=1, conn=1, reason="eof"), End(t=0, reason="imported")]


def test_a_raw_file_and_a_pipe_give_the_same(tmp_path: Path) -> None:
    path = tmp_path / "x.sse"
    path.write_bytes(RAW * 20_000)
    from_path = open_any(path, tool="t", created="c")
    assert from_path.header == Header(tool="t", created="c", clock="none")
    assert from_path.header.clock == "none"
    for recording in (from_path, from_path, open_any(io.BytesIO(RAW * 20_000))):
        pairs = list(recording.with_offsets())
        chunks = [record for _, record in pairs if isinstance(record, Chunk)]
        assert len(chunks) > 1
        assert b"".join(record.data for record in chunks) == RAW * 20_000
        assert all(record.t == 0 for record in chunks)
        assert [offset for offset, record in pairs if isinstance(record, Chunk)][1] == chunks[0].size
        assert isinstance(pairs[-2][1], Close)


def test_a_recording_through_a_pipe(write: Callable[..., Path], session: list[Record]) -> None:
    data = write(session).read_bytes()
    recording = open_any(io.BytesIO(data))
    assert list(recording) == session
    offsets = [offset for offset, _ in read_recording(io.BytesIO(data)).with_offsets()]
    assert [offset for offset, _ in open_any(io.BytesIO(data)).with_offsets()] == offsets
    assert list(open_any(write(session, "b"))) == session


def test_a_pipe_is_read_as_it_comes() -> None:
    """The first record is there before the pipe ends."""
    out, into = os.pipe()
    with os.fdopen(out, "rb") as source, os.fdopen(into, "wb", buffering=0) as sink:
        sink.write(b"data: one\n\n")
        records = iter(open_any(source))
        first = next(records)
        assert isinstance(first, Chunk)
        assert first.data == b"data: one\n\n"
        timer = threading.Timer(0, sink.close)
        timer.start()
        assert [type(record) for record in records] == [Close, End]
        timer.join()


@pytest.mark.parametrize("raw", [True, False])
def test_a_named_pipe_is_read_once(
    tmp_path: Path, write: Callable[..., Path], session: list[Record], raw: bool
) -> None:
    """As a shell gives it for `open <(curl ...)`."""
    data = RAW * 1000 if raw else write(session).read_bytes()
    for read in (open_any,) if raw else (open_any, read_recording):
        pipe = tmp_path / f"pipe-{read.__name__}"
        os.mkfifo(pipe)
        sender = threading.Thread(target=pipe.write_bytes, args=[data])
        sender.start()
        records = list(read(pipe))
        sender.join()
        if raw:
            assert b"".join(record.data for record in records if isinstance(record, Chunk)) == data
        else:
            assert records == session


def test_an_imported_stream_can_be_recorded(tmp_path: Path) -> None:
    with Writer(tmp_path / "a", Header(clock="none"), Redactor()) as writer:
        writer.write_many(raw_records(untimed([RAW])))
    recording = read_recording(tmp_path / "a")
    assert isinstance(recording.header, Header)
    assert recording.header.clock == "none"
    assert next(iter(recording)) == Chunk(t=0, turn=1, conn=1, text=RAW.decode())

from __future__ import annotations

import os
import random
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from sse_tui.errors import RecordingError
from sse_tui.recording import BodyIndex, BodyReader, read_recording
from sse_tui.recording.index import WINDOW
from sse_tui.recording.records import Chunk, Note, Record, chunk

SEED = 20261130


def mixed(count: int) -> list[Record]:
    """Chunks of three connections in turns, sizes 0 to 60 (one of 600 kB), some of them not UTF-8."""
    dice = random.Random(SEED)
    records: list[Record] = []
    for t in range(count):
        size = 600_000 if t == count // 2 else dice.randrange(60)
        alphabet = b"abc\n\xc3" if t % 3 == 0 else b'data: \n"'
        records.append(chunk(t, bytes(dice.choices(alphabet, k=size)), turn=1, conn=dice.randint(1, 3)))
        if t % 10 == 0:
            records.append(Note(t=t, text="between"))
    return records


def add_all(index: BodyIndex, pairs: Iterable[tuple[int, Record]]) -> None:
    for offset, record in pairs:
        if isinstance(record, Chunk):
            index.add(offset, record)


@pytest.mark.parametrize("cache_bytes", [0, 100, 8 << 20])
def test_slices_are_those_of_the_whole_body(write: Callable[..., Path], cache_bytes: int) -> None:
    records = mixed(800)
    path = write(records)
    index = BodyIndex()
    add_all(index, read_recording(path).with_offsets())
    bodies = dict.fromkeys((1, 2, 3), b"")
    chunks = [record for record in records if isinstance(record, Chunk)]
    owner: dict[int, list[int]] = {conn: [] for conn in bodies}
    for number, record in enumerate(chunks):
        bodies[record.conn] += record.data
        owner[record.conn] += [number] * record.size
    assert len(index) == len(chunks)
    assert [index.t_of(number) for number in range(len(index))] == [record.t for record in chunks]
    dice = random.Random(SEED)
    with BodyReader(path, index, cache_bytes=cache_bytes) as reader:
        for conn, body in bodies.items():
            assert index.size(conn) == len(body)
            for _ in range(150):
                start = dice.randrange(len(body) + 5)
                end = start + dice.choice([0, 1, 30, 3000])
                assert reader.body(conn, start, end) == body[start:end]
                found = index.chunk_at(conn, start)
                assert found == (owner[conn][start] if start < len(body) else None)
                if found is not None:
                    ((number, first),) = index.span(conn, start, start + 1)
                    assert number == found
                    assert body[first : first + chunks[found].size] == reader.chunk(found)
            assert reader.body(conn, 0, len(body)) == body
            assert reader.body(conn, -5, 3) == body[:3]
            assert index.chunk_at(conn, -1) is None
        assert reader.body(9, 0, 9) == b""
        assert index.chunk_at(9, 0) is None
        assert index.size(9) == 0
    reader.close()


def test_going_backwards_reads_the_file_in_windows(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    records: list[Record] = [chunk(t, b"data: %d\n\n" % t, turn=1, conn=1) for t in range(20_000)]
    path = write(records)
    index = BodyIndex()
    add_all(index, read_recording(path).with_offsets())
    calls: list[int] = []
    real = os.pread

    def counted(fd: int, size: int, at: int) -> bytes:
        calls.append(at)
        return real(fd, size, at)

    monkeypatch.setattr(os, "pread", counted)
    with BodyReader(path, index, cache_bytes=0) as reader:
        for number in reversed(range(len(index))):
            assert reader.chunk(number) == b"data: %d\n\n" % number
    assert len(calls) <= path.stat().st_size // (WINDOW // 2) + 2


def test_chunks_are_numbered_over_all_connections() -> None:
    index = BodyIndex()
    assert index.add(10, chunk(0, b"a", turn=1, conn=1)) == 0
    assert index.add(20, chunk(0, b"b", turn=1, conn=2)) == 1
    assert index.span(2, 0, 1) == [(1, 0)]
    assert index.file_offset_of(1) == 20


def test_it_reads_a_file_that_grows(tmp_path: Path, write: Callable[..., Path]) -> None:
    records = mixed(60)
    path = write(records)
    data = path.read_bytes()
    pairs = list(read_recording(path).with_offsets())
    half = pairs[len(pairs) // 2][0]
    path.write_bytes(data[:half])
    index = BodyIndex()
    with BodyReader(path, index) as reader:
        add_all(index, (pair for pair in pairs if pair[0] < half))
        before = reader.body(1, 0, index.size(1))
        path.write_bytes(data)
        add_all(index, (pair for pair in pairs if pair[0] >= half))
        whole = b"".join(record.data for _, record in pairs if isinstance(record, Chunk) and record.conn == 1)
        assert reader.body(1, 0, index.size(1)) == whole
        assert whole.startswith(before)
        assert len(whole) > len(before)


def test_a_million_chunks_take_under_8_mb() -> None:
    index = BodyIndex()
    record = chunk(2**40, b"data: x\n\n", turn=1, conn=1)
    tracemalloc.start()
    try:
        for number in range(1_000_000):
            index.add(number * 100 + 2**33, record)
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used < 8_000_000
    assert index.chunk_at(1, 9 * 777_777) == 777_777


def test_any_record_can_be_read_again(write: Callable[..., Path], session: list[Record]) -> None:
    path = write(session)
    with BodyReader(path, BodyIndex()) as reader:
        for offset, record in reversed(list(read_recording(path).with_offsets())):
            assert reader.record(offset) == record
        with pytest.raises(RecordingError, match="was changed at byte 3 "):
            reader.record(3)


def test_decoded_chunks_are_kept_up_to_a_limit(write: Callable[..., Path]) -> None:
    size = 500_000
    records: list[Record] = [chunk(t, b"%x" % (t % 16) * size, turn=1, conn=1) for t in range(40)]
    path = write(records)
    index = BodyIndex()
    add_all(index, read_recording(path).with_offsets())
    del records
    with BodyReader(path, index, cache_bytes=4 * size) as reader:
        tracemalloc.start()
        try:
            for number in range(len(index)):
                assert len(reader.chunk(number)) == size
            kept, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert kept < 6 * size


def test_a_file_changed_under_it(write: Callable[..., Path], session: list[Record]) -> None:
    path = write(session)
    index = BodyIndex()
    add_all(index, read_recording(path).with_offsets())
    for other in (b"", b"x" * 5000, b'{"t":1,"k":"note","text":""}\n' * 99):
        path.write_bytes(other)
        with BodyReader(path, index) as reader, pytest.raises(RecordingError, match="was changed at byte"):
            reader.body(1, 0, 20)
    path.unlink()
    with pytest.raises(RecordingError, match="No such file"):
        BodyReader(path, index)

"""Rows of a stream that came under a content coding: their bytes, times and gaps are those of the decoded body."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from sse_tui.errors import RecordingError
from sse_tui.eventstream import Event
from sse_tui.recording import Redactor, Writer
from sse_tui.recording.records import Close, Header, Request, Response, chunk
from sse_tui.session.live import Live
from sse_tui.session.spec import SessionSpec
from sse_tui.wirelog import plain_bodies
from sse_tui.wirelog.rows import Row

EVENTS = [b'data: {"n": %d, "pad": "%s"}\n\n' % (n, b"x" * (n % 90)) for n in range(200)]


def recorded(path: Path, coding: str) -> Path:
    """A recording of the events, a read each 10 ms, every event flushed by the compressor."""
    wbits = {"gzip": 31, "deflate": 15, "identity": 0}[coding]
    packer = zlib.compressobj(wbits=wbits) if wbits else None
    with Writer(path, Header(clock="read"), Redactor()) as writer:
        writer.write(Request(t=0, turn=1, conn=1, method="GET", url="http://h/s", headers=[]))
        writer.write(
            Response(
                t=1, turn=1, conn=1, status=200, http_version="HTTP/1.1",
                headers=[("content-type", "text/event-stream"), ("content-encoding", coding)],
            )
        )  # fmt: skip
        for number, event in enumerate(EVENTS, 1):
            data = event if packer is None else packer.compress(event) + packer.flush(zlib.Z_SYNC_FLUSH)
            # The first byte of a read may decode to nothing at all.
            for part in (data[:1], data[1:]):
                writer.write(chunk(number * 10_000_000, part, turn=1, conn=1))
        writer.write(Close(t=3_000_000_000, turn=1, conn=1, reason="eof", detail=""))
    return path


async def rows_of(path: Path) -> list[Row]:
    live = Live(SessionSpec(mode="open", path=path))
    await live.start()
    try:
        live.poll(60)
        assert live.reader is not None
        return [live.rows.row(index, live.reader) for index in range(len(live.rows))]
    finally:
        await live.close()


@pytest.mark.parametrize("coding", ["gzip", "deflate", "identity"])
@pytest.mark.parametrize("in_memory", [64, 10**6])
async def test_a_row_reads_back_its_own_bytes(
    tmp_path: Path, coding: str, in_memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_bodies, "IN_MEMORY", in_memory)
    rows = [row for row in await rows_of(recorded(tmp_path / "r.sse.jsonl", coding)) if row.number]
    assert [row.raw for row in rows] == EVENTS
    assert [row.t_ns for row in rows] == [n * 10_000_000 for n in range(1, len(EVENTS) + 1)]
    assert {row.gap_ms for row in rows[1:]} == {10.0}
    assert all(isinstance(row.item, Event) and row.item.data.startswith('{"n": ') for row in rows)


def test_where_there_is_no_room_it_is_said() -> None:
    plain = plain_bodies.PlainBodies()
    plain._full = True
    assert plain.add(chunk(0, b"coded", turn=1, conn=1), b"data: x\n\n") == 9
    with pytest.raises(RecordingError, match="too full"):
        plain.body(1, 0, 9)

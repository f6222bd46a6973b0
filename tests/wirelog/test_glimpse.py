"""The end of a large recording is what it is when all of it was read."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from sse_tui.eventstream import encode
from sse_tui.recording.record_lines import encode_line
from sse_tui.recording.records import Close, End, Header, Record, Request, Response, chunk
from sse_tui.session.live import Live
from sse_tui.session.spec import SessionSpec
from sse_tui.wirelog import glimpse as module
from sse_tui.wirelog.glimpse import glimpse
from sse_tui.wirelog.rows import Row

AT: dict[str, Any] = {"turn": 1, "conn": 1}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGE", 20_000)
    monkeypatch.setattr(module, "TAIL", 4_000)


def saved(path: Path, records: Iterable[Record]) -> Path:
    path.write_bytes(b"".join(map(encode_line, [Header(clock="kernel"), *records])))
    return path


def stream(count: int, size: int = 0, *, coded: bool = False, end: bytes = b"\n\n") -> list[Record]:
    """Events of two lines; a read each, or in reads of `size` bytes."""
    blocks = [b"event: e%d%sdata: %d%s" % (n % 3, end[: len(end) // 2], n, end) for n in range(count)]
    body = b"".join(blocks)
    reads = [body[at : at + size] for at in range(0, len(body), size)] if size else blocks
    if coded:
        reads = [gzip.compress(body)] * 10
    headers = [("content-type", "text/event-stream")] + ([("content-encoding", "gzip")] if coded else [])
    return [
        Request(t=1_000, method="GET", url="http://h/", headers=[], **AT),
        Response(t=2_000, status=200, http_version="HTTP/1.1", headers=headers, **AT),
        *(chunk(3_000 + n * 10_000_000, data, **AT) for n, data in enumerate(reads)),
        Close(t=10**12, reason="eof", **AT),
        End(t=10**12, reason="done"),
    ]


async def all_rows(path: Path) -> list[Row]:
    live = Live(SessionSpec(mode="open", path=path))
    await live.start()
    while live.poll() or live.behind:
        pass
    assert live.reader is not None
    rows = [live.rows.row(place, live.reader) for place in range(len(live.rows))]
    await live.close()
    return rows


def said(row: Row) -> tuple[object, ...]:
    item = row.item
    return row.label, row.t_ns, row.raw, getattr(item, "type", None), getattr(item, "data", None), row.record


@pytest.mark.parametrize("size", [0, 7, 50, 1000])
@pytest.mark.parametrize("end", [b"\n\n", b"\r\n\r\n", b"\r\r"])
async def test_it_is_the_end_of_all(tmp_path: Path, size: int, end: bytes) -> None:
    path = saved(tmp_path / "a.sse.jsonl", stream(3_000, size, end=end))
    seen = glimpse(path)
    whole = await all_rows(path)
    assert 4 < len(seen) <= 200
    assert [said(one.row) for one in seen] == [said(row) for row in whole[-len(seen) :]]
    assert {one.t0 for one in seen[:-1]} == {1_000}
    assert {one.row.number for one in seen} == {0}


async def test_a_connection_that_begins_in_the_end_is_read_from_its_beginning(tmp_path: Path) -> None:
    later: list[Record] = [
        Request(t=10**12, method="GET", url="http://h/2", headers=[], turn=2, conn=2),
        Response(t=10**12, status=200, http_version="HTTP/1.1", headers=[], turn=2, conn=2),
        chunk(10**12 + 5, encode(data="x"), turn=2, conn=2),
    ]
    path = saved(tmp_path / "a.sse.jsonl", [*stream(3_000)[:-1], *later])
    seen = glimpse(path)
    assert [one.row.label for one in seen[-3:]] == ["request", "response", "event"]
    assert seen[-1].row.raw == b"data: x\n\n"
    assert seen[-1].t0 == 10**12


def test_there_is_none_of_a_small_file_and_little_of_a_coded_body(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert glimpse(saved(tmp_path / "a.sse.jsonl", stream(5))) == []
    monkeypatch.setattr(module, "LARGE", 1_000)
    seen = glimpse(saved(tmp_path / "b.sse.jsonl", stream(3_000, coded=True)))
    assert [one.row.label for one in seen] == ["close", "end"]


def test_broken_lines_and_a_last_one_under_way(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.sse.jsonl", stream(3_000)[:-2])
    with path.open("ab") as file:
        file.write(
            b"garbage\n"
            + json.dumps({"k": "chunk", "t": 1, "turn": 1, "conn": 1, "text": "data: q\n\n"}).encode()[:-3]
        )
    assert [one.row.label for one in glimpse(path)[-2:]] == ["event", "event"]

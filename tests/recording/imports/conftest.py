"""Reading an import as the program does, from a file and from a pipe, and what it holds in short."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from sse_tui.recording import import_pieces, open_any, sniff
from sse_tui.recording.imports.sniffing import SNIFF_BYTES
from sse_tui.recording.records import Chunk, Close, Record, Request, Response

T = TypeVar("T")
MS = 1_000_000


class Opened:
    """The records of an import, by kind."""

    def __init__(self, clock: str, records: list[Record]) -> None:
        self.clock = clock
        self.records = records

    @property
    def body(self) -> bytes:
        return b"".join(record.data for record in self.of(Chunk))

    @property
    def times(self) -> list[float]:
        """Of the chunks, in ms."""
        return [record.t / MS for record in self.of(Chunk)]

    @property
    def requests(self) -> list[tuple[str, str]]:
        return [(record.method, record.url) for record in self.of(Request)]

    @property
    def statuses(self) -> list[int]:
        return [record.status for record in self.of(Response)]

    @property
    def endings(self) -> list[tuple[int, str]]:
        return [(record.conn, record.reason) for record in self.of(Close)]

    def of(self, kind: type[T]) -> list[T]:
        return [record for record in self.records if isinstance(record, kind)]


def pieces_of(data: bytes, size: int) -> Iterator[tuple[int, bytes]]:
    for number, at in enumerate(range(0, len(data), size)):
        yield number, data[at : at + size]


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Opened]:
    """Opens bytes as a file, twice, and as a stream; in small pieces they must give the same bodies."""

    def open_bytes(data: bytes, *, same_in_pieces: bool = True) -> Opened:
        path = tmp_path / "input"
        path.write_bytes(data)
        recording = open_any(path)
        result = Opened(recording.header.clock, list(recording))
        assert list(recording) == result.records
        assert list(open_any(io.BytesIO(data))) == result.records
        if same_in_pieces:
            for size in (1, 7):
                again = import_pieces(sniff(data[:SNIFF_BYTES]), pieces_of(data, size), clock="read")
                other = Opened(again.clock, list(again.records))
                assert other.body == result.body
                assert other.statuses == result.statuses
                assert other.endings == result.endings
                assert other.requests == result.requests
        return result

    return open_bytes

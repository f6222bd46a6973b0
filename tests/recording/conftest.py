"""Records of every kind, by hand and by hypothesis."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sse_tui.recording import Redactor, Writer
from sse_tui.recording.records import (
    Chunk,
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


def one_of_each() -> list[Record]:
    """A short session with every kind of record, bytes that are not UTF-8, and a character cut in two."""
    snow = "snow ☃".encode()
    return [
        Request(
            t=1, turn=1, conn=1, method="POST", url="http://h/v1", headers=[("Accept", "*/*")], body="{}"
        ),
        Request(t=1, turn=1, conn=1, method="POST", url="http://h/", headers=[], body_b64="/w=="),
        Phase(t=2, turn=1, conn=1, name="tcp", dt=1),
        Response(t=3, turn=1, conn=1, status=200, http_version="HTTP/1.1", headers=[("X", "é")]),
        chunk(4, b"data: a\r\n\n", turn=1, conn=1),
        chunk(5, snow[:6], turn=1, conn=1, clock="read"),
        chunk(6, snow[6:] + b"\xff\x00", turn=1, conn=1),
        chunk(6, b"", turn=1, conn=1),
        Fault(t=7, turn=1, conn=1, plan="cut@now", at="byte 7", did="closed the socket"),
        Close(t=8, turn=1, conn=1, reason="fault", detail="cut"),
        Reconnect(t=9, turn=1, delay_ms=12.5, last_event_id="7", policy="last-event-id", attempt=2),
        Note(t=10, text='quotes " and \\ and \u2028 line'),
        End(t=11, reason="done"),
    ]


@pytest.fixture
def session() -> list[Record]:
    return one_of_each()


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes records to a new file, without redaction rules of its own, and gives its path."""

    def _write(records: list[Record], name: str = "a.sse.jsonl") -> Path:
        with Writer(tmp_path / name, Header(created="2026-11-30T12:45:02Z"), Redactor()) as writer:
            writer.write_many(records)
        return tmp_path / name

    return _write


def body_of(records: list[Record]) -> bytes:
    return b"".join(record.data for record in records if isinstance(record, Chunk))

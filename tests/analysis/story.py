"""Records told as a story: each line says what happened when, in milliseconds."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Self

from sse_tui.eventstream import encode
from sse_tui.recording.records import (
    Chunk,
    Close,
    Fault,
    Phase,
    Reconnect,
    Record,
    Request,
    Response,
    chunk,
)

STREAM_HEADERS = [("Content-Type", "text/event-stream; charset=utf-8")]


def ms(value: float) -> int:
    return round(value * 1e6)


class Story:
    """Builds the records of one session; every method appends and gives the story back."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.turn = 0
        self.conn = 0

    def request(
        self, at: float, *, new_turn: bool = True, last_event_id: str = "", dialect: str | None = None
    ) -> Self:
        self.turn += new_turn
        self.conn += 1
        headers = [("Accept", "text/event-stream")]
        if last_event_id:
            headers.append(("Last-Event-ID", last_event_id))
        self.records.append(
            Request(
                t=ms(at),
                turn=self.turn,
                conn=self.conn,
                method="POST",
                url="http://127.0.0.1:9/v1/chat/completions",
                headers=headers,
                body='{"messages":[{"role":"user","content":"Hi"}]}',
                dialect=dialect,
            )
        )
        return self

    def phases(self, at: float) -> Self:
        for name, dt in (("dns", 1), ("tcp", 2), ("sent", 1)):
            at += dt
            self.records.append(Phase(t=ms(at), turn=self.turn, conn=self.conn, name=name, dt=ms(dt)))
        return self

    def response(
        self, at: float, status: int = 200, headers: Iterable[tuple[str, str]] = STREAM_HEADERS
    ) -> Self:
        self.records.append(
            Response(
                t=ms(at),
                turn=self.turn,
                conn=self.conn,
                status=status,
                http_version="HTTP/1.1",
                headers=list(headers),
            )
        )
        return self

    def read(self, at: float, data: bytes, waited: float = 0) -> Self:
        self.records.append(chunk(ms(at), data, turn=self.turn, conn=self.conn, waited=ms(waited)))
        return self

    def fault(self, at: float, plan: str) -> Self:
        self.records.append(
            Fault(
                t=ms(at), turn=self.turn, conn=self.conn, plan=plan, at="event 2", did="closed the connection"
            )
        )
        return self

    def close(self, at: float, reason: str, detail: str = "", code: str = "") -> Self:
        self.records.append(
            Close(t=ms(at), turn=self.turn, conn=self.conn, reason=reason, detail=detail, code=code)
        )
        return self

    def reconnect(self, at: float, last_event_id: str) -> Self:
        self.records.append(
            Reconnect(
                t=ms(at),
                turn=self.turn,
                conn=self.conn,
                delay_ms=200,
                last_event_id=last_event_id,
                policy="last-event-id",
            )
        )
        return self

    @property
    def body(self) -> bytes:
        return b"".join(record.data for record in self.records if isinstance(record, Chunk))


def token(text: str, id: str | None = None) -> bytes:
    payload = {
        "object": "chat.completion.chunk",
        "model": "m",
        "choices": [{"index": 0, "delta": {"content": text}}],
    }
    return encode(data=json.dumps(payload), id=id)


def role(id: str | None = None) -> bytes:
    payload = {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}],
    }
    return encode(data=json.dumps(payload), id=id)


def finish(reason: str = "stop", id: str | None = None) -> bytes:
    payload = {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {}, "finish_reason": reason}],
    }
    return encode(data=json.dumps(payload), id=id)


def usage(output: int, id: str | None = None) -> bytes:
    payload = {
        "object": "chat.completion.chunk",
        "choices": [],
        "usage": {"prompt_tokens": 3, "completion_tokens": output},
    }
    return encode(data=json.dumps(payload), id=id)


def done(id: str | None = None) -> bytes:
    return encode(data="[DONE]", id=id)

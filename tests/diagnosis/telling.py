"""Builders of what a diagnosis reads, and access to what it found."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Self

from sse_tui.analysis.analysis import Analysis
from sse_tui.diagnosis import Finding
from sse_tui.recording.importing import raw_records, untimed
from sse_tui.recording.records import End, Header, Reconnect, Record, Request
from tests.analysis.story import STREAM_HEADERS, Story, ms

GOOD_HEADERS = [*STREAM_HEADERS, ("Cache-Control", "no-cache"), ("X-Accel-Buffering", "no")]


class Wire(Story):
    """A story with every detail of its requests, waits and end."""

    def ask(
        self,
        at: float = 0,
        *,
        again: bool = False,
        method: str = "GET",
        url: str = "http://127.0.0.1:9/events",
        headers: Sequence[tuple[str, str]] = (),
        body: str | None = None,
        dialect: str | None = None,
    ) -> Self:
        self.turn += not again
        self.conn += 1
        self.records.append(
            Request(
                t=ms(at),
                turn=self.turn,
                conn=self.conn,
                method=method,
                url=url,
                headers=[("Accept", "text/event-stream"), *headers],
                body=body,
                dialect=dialect,
            )
        )
        return self

    def good(self, at: float = 1) -> Self:
        """A response with all the headers that a stream should have."""
        return self.answered(GOOD_HEADERS, at)

    def answered(self, headers: Sequence[tuple[str, str]], at: float = 1) -> Self:
        """A response with status 200 and these headers."""
        self.response(at, headers=headers)
        return self

    def waits(self, at: float, delay_ms: float = 1000, last_event_id: str = "") -> Self:
        self.records.append(
            Reconnect(
                t=ms(at),
                turn=self.turn,
                conn=self.conn,
                delay_ms=delay_ms,
                last_event_id=last_event_id,
                policy="last-event-id",
            )
        )
        return self

    def end(self, at: float) -> Self:
        self.records.append(End(t=ms(at), turn=self.turn, reason="done"))
        return self


def read(records: Iterable[Record], *, clock: str = "read", dialect: str | None = None) -> Analysis:
    """Everything is read, and no rule has failed on it."""
    analysis = Analysis(Header(clock=clock) if clock != "none" else Header(clock="none"), dialect=dialect)
    for record in records:
        analysis.feed(record)
    analysis.finish()
    assert analysis.diagnosis.internal_errors == []
    return analysis


def of_bytes(*pieces: bytes, dialect: str | None = None) -> Analysis:
    """A body without times, in these reads."""
    return read(raw_records(untimed(pieces)), clock="none", dialect=dialect)


def findings(source: Analysis | Story | bytes | Sequence[bytes]) -> list[Finding]:
    if isinstance(source, Analysis):
        return source.findings
    if isinstance(source, Story):
        return read(source.records).findings
    return of_bytes(*([source] if isinstance(source, bytes) else source)).findings


def rules(source: Analysis | Story | bytes | Sequence[bytes]) -> set[str]:
    return {finding.rule for finding in findings(source)}


def only(source: Analysis | Story | bytes | Sequence[bytes], rule: str) -> Finding:
    """The first finding of `rule`, which must be there."""
    found = [finding for finding in findings(source) if finding.rule == rule]
    assert found, f"{rule} not among {rules(source)}"
    return found[0]


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    """One chat completion chunk as an event."""
    choice = {"index": 0, "delta": delta if delta is not None else {}, "finish_reason": finish}
    payload = {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice], **more}
    return f"data: {json.dumps(payload, ensure_ascii=False)}\n\n".encode()


def text(content: str) -> bytes:
    return chunk({"content": content})


STOP = chunk({}, "stop")
USAGE = chunk(choices=[], usage={"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5})
DONE = b"data: [DONE]\n\n"
HEALTHY = text("Hel") + text("lo") + STOP + USAGE + DONE

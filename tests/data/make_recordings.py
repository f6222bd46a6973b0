"""Writes the recordings that the tests open, by the real writer, with fixed times: run it after a change of the format.

python tests/data/make_recordings.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sse_tui.eventstream import encode
from sse_tui.recording import Redactor, Writer
from sse_tui.recording.records import (
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

FOLDER = Path(__file__).parent / "recordings"
MS = 1_000_000
URL = "http://127.0.0.1:43117/v1/chat/completions"

FIRST = """When a stream drops, the client waits for the **retry time**, then reconnects with the last id it saw.

## What the server needs

1. an `id:` on every event
2. a short memory of what it sent

```python
def resume(store, last_id):
    for event in store.after(last_id):
        yield event
```

Nothing is lost, and nothing comes twice."""
SECOND = "Because a proxy closes what looks idle: a comment every few seconds keeps the connection open."


class Tape:
    """Collects records at a time that moves on."""

    def __init__(self) -> None:
        self.t = 0
        self.records: list[Record] = []
        self.turn = 0
        self.conn = 0

    def add(self, record: Record) -> None:
        self.records.append(record)

    def wait(self, ms: float) -> None:
        self.t += int(ms * MS)

    def request(self, messages: list[dict[str, str]], last_event_id: str = "") -> None:
        self.conn += 1
        headers = [
            ("accept", "text/event-stream"),
            ("authorization", "[redacted]"),
            ("content-type", "application/json"),
        ]
        if last_event_id:
            headers.append(("last-event-id", last_event_id))
        body = json.dumps({"model": "SmolLM2-135M", "stream": True, "messages": messages})
        at: dict[str, Any] = {"turn": self.turn, "conn": self.conn}
        self.add(
            Request(t=self.t, method="POST", url=URL, headers=headers, body=body, dialect="openai-chat", **at)
        )
        self.wait(0.4)
        self.add(Phase(t=self.t, name="tcp", dt=int(0.4 * MS), **at))
        self.wait(0.1)
        self.add(Phase(t=self.t, name="sent", dt=int(0.1 * MS), **at))
        self.wait(11.9)
        self.add(Phase(t=self.t, name="headers", dt=int(11.9 * MS), **at))
        self.add(
            Response(
                t=self.t, status=200, http_version="HTTP/1.1",
                headers=[("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-store")], **at,
            )
        )  # fmt: skip

    def read(self, data: bytes) -> None:
        if isinstance(self.records[-1], Response):
            self.add(Phase(t=self.t, turn=self.turn, conn=self.conn, name="first_byte", dt=0))
        self.add(chunk(self.t, data, turn=self.turn, conn=self.conn))

    def close(self, reason: str, detail: str = "") -> None:
        self.add(Close(t=self.t, turn=self.turn, conn=self.conn, reason=reason, detail=detail))


def delta(stream: str, number: int, **fields: object) -> bytes:
    choice = {"index": 0, "delta": fields, "finish_reason": None}
    body = {"id": stream, "object": "chat.completion.chunk", "model": "SmolLM2-135M", "choices": [choice]}
    return encode(data=json.dumps(body, separators=(",", ":")), id=f"{stream}-{number}")


def pieces(text: str) -> list[str]:
    words = text.split(" ")
    return [word if n == 0 else " " + word for n, word in enumerate(words)]


def answer(
    tape: Tape, stream: str, text: str, messages: list[dict[str, str]], cut_after: int | None = None
) -> None:
    """One turn: a role, tokens 15 to 35 ms apart, some two to a read, a heartbeat, perhaps a cut, usage and the end."""
    tape.turn += 1
    tape.request(messages)
    tape.wait(200)
    tape.read(b": ping\n" + encode(retry=3000))
    tape.read(delta(stream, 0, role="assistant", content=""))
    tape.wait(47)
    number = 1
    held = b""
    for place, piece in enumerate(pieces(text)):
        held += delta(stream, number, content=piece)
        number += 1
        if place % 7 != 3:
            tape.read(held)
            held = b""
            tape.wait(15 + place * 7 % 20 + (180 if place == 20 else 0))
        if place == 12:
            tape.read(b": ping\n")
            tape.wait(20)
        if place == cut_after:
            tape.add(
                Fault(t=tape.t, turn=tape.turn, conn=tape.conn, plan=f"cut@event={number}", at=f"event {number}",
                      did=f"cut after event {number}")
            )  # fmt: skip
            tape.close("fault", "cut on purpose")
            tape.add(
                Reconnect(t=tape.t, turn=tape.turn, conn=tape.conn, delay_ms=200.0,
                          last_event_id=f"{stream}-{number - 1}", policy="last-event-id")
            )  # fmt: skip
            tape.wait(200)
            tape.request(messages, f"{stream}-{number - 1}")
            tape.wait(8)
    if held:
        tape.read(held)
    stop = {
        "id": stream,
        "model": "SmolLM2-135M",
        "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
    }
    usage = {"id": stream, "model": "SmolLM2-135M", "choices": [],
             "usage": {"prompt_tokens": 31, "completion_tokens": number - 1, "total_tokens": 30 + number}}  # fmt: skip
    tape.read(encode(data=json.dumps(stop), id=f"{stream}-{number}"))
    tape.wait(0.3)
    tape.read(
        encode(data=json.dumps(usage), id=f"{stream}-{number + 1}")
        + encode(data="[DONE]", id=f"{stream}-{number + 2}")
    )
    tape.close("eof")


def resumed() -> Tape:
    """Two turns, the first one cut and resumed without loss."""
    tape = Tape()
    asked = [{"role": "user", "content": "Explain SSE reconnection."}]
    answer(tape, "s1", FIRST, asked, cut_after=26)
    tape.wait(4000)
    tape.add(Note(t=tape.t, text="second question"))
    asked += [
        {"role": "assistant", "content": FIRST},
        {"role": "user", "content": "Why are heartbeats comments?"},
    ]
    answer(tape, "s2", SECOND, asked)
    tape.wait(500)
    tape.add(End(t=tape.t, reason="quit"))
    return tape


def hostile() -> Tape:
    """A truncated stream whose text tries to command the terminal."""
    tape = Tape()
    tape.turn = 1
    tape.request([{"role": "user", "content": "Say \x1b[31mred\x1b[0m."}])
    tape.wait(30)
    for number, text in enumerate(
        ["\x1b]0;owned\x07", "\x1b[2J", "wide 漢字 ", "bidi \u202eabc", " tab\there"], 1
    ):
        tape.read(delta("h1", number, content=text))
        tape.wait(20)
    tape.read(b"data: not json\n\n")
    tape.read(b"nonsense line\n")
    tape.read(b'data: {"unterminated')
    tape.close("incomplete", "the body ended before its last chunk")
    tape.add(End(t=tape.t, reason="quit"))
    return tape


def write(name: str, tape: Tape) -> None:
    path = FOLDER / f"{name}.sse.jsonl"
    path.unlink(missing_ok=True)
    header = Header(
        tool="sse-tui/test", created="2026-11-30T12:00:00Z", clock="kernel", redacted=["authorization"]
    )
    with Writer(path, header, Redactor()) as writer:
        for record in tape.records:
            writer.write(record)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    write("resumed", resumed())
    write("hostile", hostile())

"""Stories of connections that misbehave, in virtual time (milliseconds)."""

from __future__ import annotations

import gzip

from tests.analysis.story import STREAM_HEADERS, Story
from tests.diagnosis.telling import DONE, STOP, USAGE, Wire, chunk, text

ROLE = chunk({"role": "assistant", "content": ""})
ABC = b"id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: c\n\n"


def steady(events: int, gap_ms: float) -> Story:
    """A healthy answer, one token a read."""
    wire = Wire().ask(dialect="openai-chat").good(20)
    at = 100.0
    for _ in range(events):
        wire.read(at, text("a"))
        at += gap_ms
    usage = {"prompt_tokens": 3, "completion_tokens": events}
    return wire.read(at, STOP + chunk(usage=usage) + DONE).close(at + 1, "eof")


def buffered(events: int = 8, reads: int = 6) -> Story:
    """Something on the way collects the events of half a second."""
    wire = Wire().ask(dialect="openai-chat").good(20)
    for n in range(reads):
        wire.read(500.0 * (n + 1), text("a") * events)
    return wire.read(3600, STOP + USAGE + DONE).close(3601, "eof")


def at_the_end(wait_ms: float, events: int) -> Story:
    """A long wait, then everything within a moment, in many reads."""
    wire = Wire().ask(dialect="openai-chat").good(20)
    for n in range(events):
        wire.read(wait_ms + n * 0.5, text("a"))
    return wire.read(wait_ms + events, STOP + USAGE + DONE).close(wait_ms + events + 1, "eof")


def late_token(wait_ms: float) -> Story:
    """The role at once, the first token later."""
    wire = Wire().ask(dialect="openai-chat").good(20).read(30, ROLE).read(30 + wait_ms, text("a"))
    return wire.read(40 + wait_ms, STOP + USAGE + DONE).close(41 + wait_ms, "eof")


def stalled(seconds: int) -> Story:
    """An event, and then nothing but a heartbeat every five seconds."""
    wire = Wire().ask().good(20).read(30, b"data: a\n\n")
    for second in range(5, seconds + 1, 5):
        wire.read(30 + 1000 * second, b": ping\n\n")
    return wire.close(31 + 1000 * seconds, "client")


def cut_at(*ages_ms: float) -> Story:
    """Connection after connection is reset at these ages."""
    wire, at = Wire(), 0.0
    for n, age in enumerate(ages_ms):
        wire.ask(at, again=n > 0).good(at + 10)
        beat = 10_000
        while beat < age:
            wire.read(at + beat, b": hb\n\n")
            beat += 10_000
        wire.close(at + age, "reset").waits(at + age)
        at += age + 1000
    return wire


def resumed(second: bytes, *, last_event_id: str = "3", answered: str | None = None) -> Story:
    """Three events with ids, a cut, and a second connection that asks to go on."""
    wire = Wire().ask().good().read(10, ABC).close(20, "reset").waits(20, last_event_id=last_event_id)
    headers = [("Last-Event-ID", last_event_id)] if last_event_id else []
    wire.ask(1020, again=True, headers=headers).good(1030)
    return wire.read(1040, second).close(1050, "eof")


def asked_twice(method: str, *, with_ids: bool = False, send: str = "") -> Story:
    """The request is sent again after a cut."""
    event = b"id: 1\ndata: a\n\nid: 2\ndata: b\n\n" if with_ids else b"data: a\n\n"
    wire = Wire().ask(method=method).good().read(10, event).close(20, "reset").waits(20)
    headers = [("Last-Event-ID", send)] if send else []
    return wire.ask(1020, again=True, method=method, headers=headers).good(1030).close(1040, "eof")


def refused(status: int, *, retry_after: str = "", delay_ms: float = 200) -> Story:
    """A response that is not a stream, and another attempt after it."""
    headers = [("Retry-After", retry_after)] if retry_after else []
    wire = Wire().ask()
    wire.response(5, status, headers).close(6, "refused")
    return wire.waits(6, delay_ms).ask(300, again=True).good(310).close(320, "eof")


def storm(times: int, gap_ms: float) -> Story:
    """A server that closes at once and is asked again at once."""
    wire = Wire()
    for n in range(times):
        at = n * gap_ms
        wire.ask(at, again=n > 0).good(at + 1).read(at + 2, b"retry: 0\ndata: a\n\n")
        wire.close(at + 3, "eof").waits(at + 3, 0)
    return wire


def polled(line: bytes) -> Story:
    """We close in the middle of an answer and then ask for the server's metrics."""
    wire = Wire().ask(dialect="openai-chat", method="POST").good().read(10, text("a")).close(11, "client")
    wire.ask(5000, url="http://127.0.0.1:9/metrics")
    wire.response(5001, 200, [("Content-Type", "text/event-stream")])
    return wire.read(5002, b"# HELP x\n" + line).close(5003, "eof")


def gzipped(body: bytes) -> Story:
    """A body under gzip that comes in one read."""
    wire = Wire().ask()
    wire.response(10, headers=[*STREAM_HEADERS, ("Content-Encoding", "gzip")])
    return wire.read(20, gzip.compress(body)).close(30, "eof")

"""HTTP/2 servers that break the protocol or break off: frames written by hand over a real TLS connection."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import ssl
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hpack import Encoder

from sse_tui.recording.records import Close
from sse_tui.transport.http.http2_frames import FrameSplitter
from tests.transport.turns import run

EVENT = b"data: a\n\n"
DATA, HEADERS, _, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS, PADDED = 1, 4, 8


def frame(kind: int, flags: int = 0, stream: int = 1, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def head(*extra: tuple[str, str], status: str = "200") -> bytes:
    fields = [(":status", status), ("content-type", "text/event-stream"), *extra]
    return frame(HEADERS, END_HEADERS, payload=Encoder().encode(fields))


def data(body: bytes = EVENT, flags: int = 0, stream: int = 1) -> bytes:
    return frame(DATA, flags, stream, body)


def reset(code: int) -> bytes:
    return frame(RST_STREAM, payload=struct.pack(">I", code))


def goaway(code: int, last_stream: int = 1, debug: bytes = b"") -> bytes:
    return frame(GOAWAY, stream=0, payload=struct.pack(">II", last_stream, code) + debug)


@asynccontextmanager
async def peer(context: ssl.SSLContext, frames: Sequence[bytes], at_once: bool) -> AsyncIterator[str]:
    """The URL of a server that answers with these frames, in one write or in one each, and closes."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            await reader.read(65536)
            writer.write(frame(SETTINGS, stream=0))
            for part in [b"".join(frames)] if at_once else frames:
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0.005)
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as server:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        await asyncio.sleep(0.01)


BROKEN = {
    "a body longer than its Content-Length": (
        [head(("content-length", "11")), data(), data()],
        "error",
        "the body has 18 bytes, but Content-Length announced 11",
    ),
    "a body shorter than its Content-Length": (
        [head(("content-length", "50")), data(), data(b"", END_STREAM)],
        "incomplete",
        "the body has 9 bytes, but Content-Length announced 50",
    ),
    "DATA on stream 0": ([head(), data(), data(stream=0)], "error", "Stream ID must be non-zero"),
    "DATA on a stream that is not there": (
        [head(), data(), data(stream=2)],
        "error",
        "a frame for stream 2, which is not open",
    ),
    "WINDOW_UPDATE of 0 for the stream": (
        [head(), data(), frame(WINDOW_UPDATE, payload=bytes(4))],
        "error",
        "non-compliant data",
    ),
    "WINDOW_UPDATE of 0 for the connection": (
        [head(), data(), frame(WINDOW_UPDATE, stream=0, payload=bytes(4))],
        "error",
        "non-compliant data",
    ),
    "padding longer than its frame": (
        [head(), data(), data(b"\xff" + EVENT, PADDED)],
        "error",
        "invalid padding",
    ),
    "a frame too long": ([head(), data(), data(b":" * 20_000)], "error", "a frame has 20,000 bytes"),
    "HTTP/1.1 in the middle": (
        [head(), data(), b"HTTP/1.1 200 OK\r\n\r\n"],
        "error",
        "a frame has 4,740,180 bytes",
    ),
    "broken header compression": (
        [head(), data(), frame(HEADERS, END_HEADERS | END_STREAM, payload=b"\xff" * 5)],
        "error",
        "Error decoding header block: Unable to decode HPACK integer representation",
    ),
    "SETTINGS on the stream": ([head(), data(), frame(SETTINGS)], "error", "Stream ID must be zero"),
    "a PING of 3 bytes": (
        [head(), data(), frame(PING, stream=0, payload=b"abc")],
        "error",
        "Frame data missing",
    ),
    "a push that nobody allowed": (
        [
            head(),
            data(),
            frame(PUSH_PROMISE, END_HEADERS, payload=b"\0\0\0\2" + Encoder().encode([(":path", "/")])),
        ],
        "error",
        "pushed stream",
    ),
    "CONTINUATION without HEADERS": (
        [head(), data(), frame(CONTINUATION, END_HEADERS)],
        "error",
        "a CONTINUATION frame where none may come",
    ),
    "trailers without an end": (
        [head(), data(), frame(HEADERS, END_HEADERS, payload=Encoder().encode([("x", "1")]))],
        "error",
        "Trailers must have END_STREAM set",
    ),
    "RST_STREAM": ([head(), data(), reset(2)], "reset", "(RST_STREAM, INTERNAL_ERROR: "),
    "RST_STREAM with an unknown code": (
        [head(), data(), reset(99)],
        "reset",
        "(RST_STREAM, unknown error 99)",
    ),
    "GOAWAY": (
        [head(), data(), goaway(11, debug=b"too_many\npings")],
        "reset",
        '(GOAWAY, ENHANCE_YOUR_CALM: the server found our traffic excessive: "too_many pings")',
    ),
    "no end": ([head(), data()], "incomplete", "the connection ended without the end of the stream"),
    "no end after an orderly GOAWAY": (
        [head(), data(), goaway(0)],
        "incomplete",
        "the connection ended after a GOAWAY without the end of the stream",
    ),
}


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_body_ends_the_stream_in_words(
    name: str, at_once: bool, h2_context: ssl.SSLContext
) -> None:
    frames, reason, said = BROKEN[name]
    async with peer(h2_context, frames, at_once) as url:
        ran = await run(url, verify=False, http2=True)
    assert (ran.records[-1].kind, ran.closes) == ("close", [reason])
    close = ran.of(Close)[0]
    assert said in close.detail
    assert "<" not in close.detail  # no repr of an object
    # The frames before the broken one count, even where they came in the same read.
    assert ran.body() == EVENT
    assert ran.driver.error is not None
    assert ran.driver.error.exit_code == 4


@pytest.mark.parametrize("code", range(14))
async def test_every_error_code_has_words(code: int, h2_context: ssl.SSLContext) -> None:
    async with peer(h2_context, [head(), data(), reset(code)], at_once=True) as url:
        ran = await run(url, verify=False, http2=True)
    assert ran.of(Close)[0].detail.startswith("the server reset the stream (RST_STREAM, ")
    assert "unknown" not in ran.of(Close)[0].detail


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("last_stream", [1, 2**31 - 1])
async def test_an_orderly_goaway_lets_the_stream_finish(
    last_stream: int, at_once: bool, h2_context: ssl.SSLContext
) -> None:
    frames = [head(), data(), goaway(0, last_stream), data(), data(flags=END_STREAM)]
    async with peer(h2_context, frames, at_once) as url:
        ran = await run(url, verify=False, http2=True)
    assert ran.body() == EVENT * 3
    assert ran.closes == ["eof"]


@pytest.mark.parametrize(
    "frames",
    [
        [head(), data(flags=END_STREAM), head()],
        [head(), data(flags=END_STREAM), data()],
        [head(), frame(0x77, payload=b"?"), data(flags=END_STREAM)],
        [head(status="103"), head(), data(), frame(HEADERS, 5, payload=Encoder().encode([("x", "1")]))],
    ],
    ids=[
        "HEADERS behind the end",
        "DATA behind the end",
        "a frame of an unknown type",
        "interim and trailers",
    ],
)
async def test_what_does_not_break_a_stream(frames: list[bytes], h2_context: ssl.SSLContext) -> None:
    async with peer(h2_context, frames, at_once=False) as url:
        ran = await run(url, verify=False, http2=True)
    assert (ran.body(), ran.closes) == (EVENT, ["eof"])


@pytest.mark.parametrize(
    ("frames", "said"),
    [
        ([data(stream=0)], "the server broke HTTP/2: "),
        ([reset(7)], "RST_STREAM, REFUSED_STREAM"),
        ([goaway(11, last_stream=0, debug=b"calm")], "GOAWAY, ENHANCE_YOUR_CALM"),
        ([b"HTTP/1.1 400 Bad Request\r\n\r\n"], "a frame has 4,740,180 bytes"),
        ([head(status="abc")], ":status"),
        ([frame(HEADERS, END_HEADERS, payload=b"\xff" * 5)], "HPACK"),
        ([head(("content-length", "x"))], "content-length"),
    ],
)
async def test_broken_before_the_headers(frames: list[bytes], said: str, h2_context: ssl.SSLContext) -> None:
    async with peer(h2_context, frames, at_once=False) as url:
        ran = await run(url, verify=False, http2=True)
    assert ran.driver.error is not None
    assert (ran.driver.error.code, ran.driver.error.exit_code) == ("no-response", 3)
    assert said in ran.driver.error.message
    assert "<" not in ran.driver.error.message


async def test_the_program_exits_with_4_and_closes_the_recording(
    h2_context: ssl.SSLContext, tmp_path: Path
) -> None:
    recording = tmp_path / "r.sse.jsonl"
    async with peer(h2_context, [head(), data(), data(stream=0)], at_once=True) as url:
        command = [sys.executable, "-m", "sse_tui", "tail", "-k", "--http2", url, "--record", str(recording)]
        done = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, text=True, timeout=60, check=False, env=os.environ
        )
    assert done.returncode == 4, done.stderr
    assert done.stdout == "a\n"
    assert "Traceback" not in done.stderr
    kinds = [json.loads(line).get("k") for line in recording.read_text().splitlines()]
    assert kinds[-2:] == ["close", "end"]


def test_frames_are_given_whole_whatever_the_reads() -> None:
    frames = [frame(SETTINGS, stream=0), data(), goaway(0), data(b"x" * 300), goaway(2)]
    whole = b"".join(frames)
    for size in (1, 7, 100, len(whole)):
        splitter, got = FrameSplitter(), []
        for at in range(0, len(whole), size):
            splitter.feed(whole[at : at + size])
            while part := splitter.take():
                got.append(part)
        assert got == [frames[0], frames[1], frames[3], frames[4]]
        assert splitter.retired

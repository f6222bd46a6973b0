"""Whether, when and with which last event ID a broken stream is requested again."""

from __future__ import annotations

import time
import zlib

import pytest

from sse_tui.resume import Policy
from tests.transport.playbook import Asks, Closes, Ends, Fires, Gets, Misses, Waits, conversation
from tests.transport.turns import NEVER, QUICK, Marked, run
from tests.transport.wire import CHUNKED, HOLD, OK, RST, chunked, chunks, response, wire

A, B, C = b"id: 1\ndata: a\n\n", b"id: 2\ndata: b\n\n", b"id: 3\ndata: c\n\n"
DONE = b"data: [DONE]\n\n"

# The last event ID


async def test_a_cut_is_resumed_with_the_last_id() -> None:
    await conversation(
        Asks(),
        chunked(A, B, last=False),
        Gets(A + B),
        Closes("incomplete"),
        Waits("2"),
        Asks("2"),
        chunked(C, DONE),
        Gets(C + DONE),
        Closes("eof"),
        Ends("complete"),
        policy=QUICK,
        dialect=Marked(),
    )


@pytest.mark.parametrize(
    ("first", "id"),
    [
        ("id: é☃\ndata: a\n\n".encode(), "é☃"),  # the bytes of the string
        (A + b"id\ndata: b\n\n", None),  # an empty ID resets it
        (A + b"id: 2\ndata: b\n", "1"),  # an ID in an unfinished block does not count
        (A + b"id: 2\n\n", "2"),  # a block without data commits its ID
        (A + b"data: b\n\n", "1"),  # an event without an ID keeps it
        (b"data: a\n\n", None),
    ],
)
async def test_which_id_is_sent(first: bytes, id: str | None) -> None:
    await conversation(
        Asks(),
        chunked(first, last=False),
        Closes("incomplete"),
        Waits(id or ""),
        Asks(id),
        chunked(b"id: z\ndata: z\n\n", DONE),
        Closes("eof"),
        Ends("complete"),
        policy=Policy("always", base_ms=1, max_attempts=1),
        dialect=Marked(),
    )


async def test_the_id_survives_connections_that_bring_none() -> None:
    await conversation(
        Asks(),
        chunked(A, last=False),
        Closes("incomplete"),
        Waits("1"),
        Asks("1"),
        chunked(b"data: no id\n\n", last=False),
        Closes("incomplete"),
        Waits("1", attempt=2),
        Asks("1"),
        chunked(last=False),
        Closes("incomplete"),
        Waits("1", attempt=3),
        Asks("1"),
        RST,
        Closes("reset"),
        Waits("1", attempt=4),
        Asks("1"),
        chunked(B, DONE),
        Closes("eof"),
        Ends("complete"),
        policy=QUICK,
        dialect=Marked(),
    )


async def test_a_reset_of_a_compressed_body_is_resumed_after_what_the_client_could_read() -> None:
    packer = zlib.compressobj(wbits=31)
    parts = [packer.compress(event) + packer.flush(zlib.Z_SYNC_FLUSH) for event in (A, B, C)]
    got = parts[0] + parts[1]
    ran, _ = await conversation(
        Asks(),
        OK + b"Content-Encoding: gzip\r\n\r\n" + b"".join(parts),
        HOLD,
        Gets(got),
        *_reset(len(got), left=len(parts[2])),
        Waits("2"),
        Asks("2"),
        chunked(C, DONE),
        Gets(C + DONE),
        Closes("eof"),
        Ends("complete"),
        plan=f"reset@bytes={len(got)}",
        policy=QUICK,
        dialect=Marked(),
    )
    assert ran.body(1) == got


# When


async def test_the_servers_retry_is_the_base_of_all_later_waits() -> None:
    ran, _ = await conversation(
        Asks(),
        chunked(b"retry: 1000\n", A, last=False),
        Closes("incomplete"),
        Waits("1", ms=(1000, 1500)),
        Asks("1"),
        chunked(B, last=False),
        Closes("incomplete"),
        Waits("2", ms=(1000, 1500)),
        Asks("2"),
        chunked(b"retry: 50", last=False),  # no line end: not a field yet
        Closes("incomplete"),
        Waits("2", attempt=2, ms=(1000, 2000)),
        Asks("2"),
        chunked(b"retry: 40\n", last=False),  # an unfinished block: acts all the same
        Closes("incomplete"),
        Waits("2", attempt=3, ms=(40, 500)),
        Asks("2"),
        chunked(C, DONE),
        Closes("eof"),
        Ends("complete"),
        policy=QUICK,
        dialect=Marked(),
    )
    assert [round(s * 1000, 3) for s in ran.slept] == [wait.delay_ms for wait in ran.waits]


async def test_waits_are_real() -> None:
    async with wire([chunked(b"retry: 100\n", A, last=False)], [chunked(B)]) as server:
        await run(server.url, policy=QUICK, virtual=False)
        assert 0.1 <= server.seen[1].at - server.seen[0].at < 0.6


@pytest.mark.parametrize("status", ["429 Slow Down", "503 Busy", "502 Bad Gateway"])
async def test_retry_after_is_honoured(status: str) -> None:
    await conversation(
        Asks(),
        chunked(A, last=False),
        Closes("incomplete"),
        Waits("1"),
        Asks("1"),
        response(status, Retry_After="7"),
        Closes("refused"),
        Waits("1", attempt=2, ms=(7000, 7000)),
        Asks("1"),
        chunked(B, DONE),
        Closes("eof"),
        Ends("complete"),
        policy=Policy(base_ms=1, max_attempts=2),
        dialect=Marked(),
    )


async def test_a_first_answer_of_503_stops() -> None:
    await conversation(
        Asks(),
        response("503 Busy"),
        Closes("refused"),
        Ends("refused", "http-503"),
        policy=QUICK,
    )


async def test_a_first_answer_of_503_with_a_time_is_waited_for() -> None:
    await conversation(
        Asks(),
        response("503 Busy", Retry_After="1"),
        Closes("refused"),
        Waits("", ms=(1000, 1500)),
        Asks(),
        chunked(A, DONE),
        Gets(A + DONE),
        Closes("eof"),
        Ends("complete"),
        policy=Policy(max_attempts=1),
        dialect=Marked(),
    )


async def test_attempts_are_limited() -> None:
    await conversation(
        Asks(),
        chunked(A, last=False),
        Closes("incomplete"),
        Waits("1", attempt=1),
        Asks("1"),
        RST,
        Closes("reset"),
        Waits("1", attempt=2),
        Asks("1"),
        RST,
        Closes("reset"),
        Waits("1", attempt=3),
        Asks("1"),
        RST,
        Closes("reset"),
        Ends("truncated", "resume-failed", why="no progress in 3 attempts"),
        policy=Policy(base_ms=1, max_attempts=3),
    )


async def test_a_server_that_is_gone_ends_the_turn() -> None:
    await conversation(
        Asks(),
        chunked(A, last=False),
        Closes("incomplete"),
        Waits("1"),
        Misses("1"),
        Closes("error", "connection refused"),
        Waits("1", attempt=2),
        Misses("1"),
        Closes("error", "connection refused"),
        Ends("truncated", "resume-failed", says="connection refused"),
        policy=Policy(base_ms=1, max_attempts=2),
    )


# Whether


async def test_204_after_a_reconnect_is_the_end() -> None:
    await conversation(
        Asks(),
        chunked(A),
        Closes("eof"),
        Waits("1"),
        Asks("1"),
        response("204 No Content"),
        Closes("refused"),
        Ends("ended", why="204"),
        policy=QUICK,
    )


@pytest.mark.parametrize("status", ["404 Not Found", "409 Conflict"])
async def test_a_resume_that_is_refused_is_a_broken_stream(status: str) -> None:
    await conversation(
        Asks(),
        chunked(A, last=False),
        Closes("incomplete"),
        Waits("1"),
        Asks("1"),
        response(status),
        Closes("refused"),
        Ends("truncated", "resume-failed", says=status),
        policy=QUICK,
    )


async def test_a_post_without_an_id_is_never_sent_twice() -> None:
    await conversation(
        Asks(method="POST", body=b"{}"),
        chunked(b"data: a\n\n", last=False),
        Closes("incomplete"),
        Ends("truncated", "truncated-stream", why="nothing to resume from"),
        method="POST",
        body=b"{}",
        policy=QUICK,
    )


async def test_a_post_after_its_end_marker_is_never_sent_twice() -> None:
    await conversation(
        Asks(method="POST", body=b"{}"),
        chunked(A, DONE),
        Closes("eof"),
        Ends("complete"),
        method="POST",
        body=b"{}",
        policy=QUICK,
        dialect=Marked(),
    )


async def test_a_stream_that_is_whole_without_a_marker_is_not_requested_again() -> None:
    await conversation(
        Asks(),
        chunked(A, b"data: FINISH\n\n"),
        Closes("eof"),
        Ends("complete"),
        policy=QUICK,
        dialect=Marked(),
    )


async def test_an_error_in_the_stream_ends_it() -> None:
    await conversation(
        Asks(),
        chunked(A, b"data: ERROR\n\n", last=False),
        Closes("incomplete"),
        Ends("error", "in-band-error", says="try later"),
        policy=QUICK,
        dialect=Marked(),
    )


async def test_an_orderly_end_without_a_server_to_reconnect_to() -> None:
    await conversation(
        Asks(),
        chunked(A, B),
        Closes("eof"),
        Waits("2"),
        Misses("2"),
        Closes("error"),
        Ends("failed", "reconnect-failed", says="ended normally after 2 events"),
        policy=Policy("always", base_ms=1, max_attempts=1),
    )


async def test_policy_never_reports_a_truncated_stream() -> None:
    await conversation(
        Asks(),
        chunked(A),
        Closes("eof"),
        Ends("truncated", "truncated-stream", why="the reconnect policy is never"),
        policy=NEVER,
        dialect=Marked(),
    )


# The end of a stream


async def test_after_the_end_marker_an_open_connection_is_closed_soon() -> None:
    began = time.monotonic()
    _, server = await conversation(
        Asks(),
        CHUNKED,
        chunks(A, DONE),
        HOLD,
        Closes("client", "the stream had ended"),
        Ends("complete"),
        dialect=Marked(),
        stop_at_end=True,
    )
    assert 0.09 < time.monotonic() - began < 1
    assert server.seen[0].ended == "fin"


async def test_an_event_too_large_is_an_error() -> None:
    await conversation(
        Asks(),
        CHUNKED,
        chunks(A, b"data: " + b"x" * 5000),
        HOLD,
        Closes("error", "has grown to"),
        Ends("truncated", "event-too-large"),
        max_event_bytes=1000,
        policy=QUICK,
    )


def _reset(at: int, left: int) -> tuple[Fires, Closes]:
    did = f"reset the connection after body byte {at}; discarded {left} bytes already received"
    return Fires(f"reset@bytes={at}", f"byte {at}, event 2", did), Closes("fault", did)

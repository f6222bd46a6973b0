"""AWS event stream frames: decoded whatever the reads, damage named and passed over."""

from __future__ import annotations

import itertools
import json
import struct
import uuid
import zlib
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest

from sse_tui.bodies.aws_frames import AwsFrames, FrameError, frame_of, is_prelude
from sse_tui.eventstream import Event, EventTooLarge, Ignored, Item, Tail
from tests.bodies.frames import CONVERSE, delta, exception, failure, frame, header, raw_header

PUBLISHED = bytes.fromhex(
    "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e"
    "7b27666f6f273a27626172277d8d9c08b1"
)
"""The frame with one header and a payload that decoders of this format are commonly tested with."""
NAMES = (
    "messageStart",
    "contentBlockDelta",
    "contentBlockDelta",
    "contentBlockStop",
    "messageStop",
    "metadata",
)


def read(pieces: Iterable[bytes], limit: int = 1 << 20) -> list[Item]:
    reader = AwsFrames(limit)
    items = [item for piece in pieces for item in reader.feed(piece)]
    return items + reader.close()


def test_a_frame_that_others_made() -> None:
    made = frame(b"{'foo':'bar'}", {"content-type": "application/json"})
    assert made == PUBLISHED
    assert frame_of(PUBLISHED) == ({"content-type": "application/json"}, b"{'foo':'bar'}")


def test_headers_of_all_types() -> None:
    when = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    ident = uuid.UUID("12345678-1234-5678-1234-567812345678")
    given = (
        header("yes", True)
        + header("no", False)
        + raw_header("byte", b"\x02\xff")
        + raw_header("short", b"\x03" + struct.pack(">h", -300))
        + raw_header("int", b"\x04" + struct.pack(">i", 70_000))
        + header("long", -(2**40))
        + header("bytes", b"\0\xff")
        + header("text", "é")
        + header("when", when)
        + header("id", ident)
    )
    assert frame_of(frame(b"", given)).headers == {
        "yes": True,
        "no": False,
        "byte": -1,
        "short": -300,
        "int": 70_000,
        "long": -(2**40),
        "bytes": b"\0\xff",
        "text": "é",
        "when": int(when.timestamp() * 1000),
        "id": str(ident),
    }


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        (b"\x05ab", "beyond the end"),
        (b"\x01a", "beyond the end"),
        (raw_header("a", b"\x0a"), "unknown type 10"),
        (raw_header("a", b"\x07\x00\x09abc"), "beyond the end"),
        (raw_header("a", b"\x05abc"), "beyond the end"),
        (raw_header("a", b"\x09abc"), "beyond the end"),
    ],
)
def test_broken_headers(headers: bytes, why: str) -> None:
    with pytest.raises(FrameError, match=why):
        frame_of(frame(b"{}", headers))
    (bad, good) = read([frame(b"{}", headers) + delta("a")])
    assert isinstance(bad, Ignored)
    assert why in bad.line
    assert isinstance(good, Event)


def test_the_events_of_an_answer_have_their_places() -> None:
    items = read([CONVERSE])
    assert [item.type for item in items if isinstance(item, Event)] == list(NAMES)
    assert items[0].start == 0
    assert items[-1].end == len(CONVERSE)
    assert all(before.end == after.start for before, after in itertools.pairwise(items))
    assert isinstance(items[1], Event)
    assert json.loads(items[1].data)["delta"] == {"text": "Hel"}


BODIES = {
    "an answer": CONVERSE,
    "a cut frame": CONVERSE[:-3],
    "a cut prelude": CONVERSE + b"\0\0\0",
    "an exception": delta("a") + exception("throttlingException", "slow down"),
    "a wrong checksum": delta("a") + delta("b")[:-1] + b"\0" + delta("c"),
    "a wrong prelude": delta("a") + b"\0\0\1\0\0\0\0\1abcd" + b"junk\0\0" + delta("c"),
    "nothing but junk": delta("a") + bytes(100),
}


@pytest.mark.parametrize("name", BODIES)
def test_the_reads_do_not_matter(name: str) -> None:
    body = BODIES[name]
    whole = read([body])
    assert whole
    for at in range(len(body) + 1):
        assert read([body[:at], body[at:]]) == whole, at
    assert read(body[at : at + 1] for at in range(len(body))) == whole


def test_damage_is_named_and_passed_over() -> None:
    first, bad, last = read([BODIES["a wrong checksum"]])
    assert isinstance(bad, Ignored)
    assert "its checksum is 0x" in bad.line
    assert (bad.start, bad.end) == (first.end, last.start)

    _, bad, last = read([BODIES["a wrong prelude"]])
    assert isinstance(bad, Ignored)
    assert "the checksum of its lengths" in bad.line
    assert isinstance(last, Event)

    _, bad = read([BODIES["nothing but junk"]])
    assert isinstance(bad, Ignored)
    assert (bad.end - bad.start, "its length is given as 0 bytes" in bad.line) == (100, True)


def test_impossible_lengths_are_no_reason_to_wait() -> None:
    for total, headers, why in (
        (2**31, 0, "2,147,483,648 bytes"),
        (20, 9, "its headers are given as 9 bytes"),
    ):
        prelude = struct.pack(">II", total, headers)
        prelude += struct.pack(">I", zlib.crc32(prelude))
        assert not is_prelude(prelude)
        bad, good = read([prelude + b"abcdefgh" + delta("a")])
        assert isinstance(bad, Ignored)
        assert why in bad.line
        assert isinstance(good, Event)


def test_a_cut_frame_is_a_tail() -> None:
    items = read([BODIES["a cut frame"]])
    size = len(CONVERSE) - items[-2].end
    assert items[-1] == Tail(
        f"a frame of {size} bytes, of which {size - 3} bytes came", items[-2].end, len(CONVERSE) - 3
    )


def test_errors_and_payloads_that_are_no_text() -> None:
    (event,) = read([exception("modelStreamErrorException", "x", originalStatusCode=424)])
    assert isinstance(event, Event)
    assert event.type == "modelStreamErrorException"
    assert json.loads(event.data) == {"message": "x", "originalStatusCode": 424}
    (event,) = read([failure("InternalFailure", "boom")])
    assert isinstance(event, Event)
    assert (event.type, json.loads(event.data)) == ("error", {"code": "InternalFailure", "message": "boom"})
    (event,) = read([frame(b"\xff\x00", {":event-type": "AudioEvent"})])
    assert isinstance(event, Event)
    assert (event.type, event.data) == ("AudioEvent", "/wA=")
    (event,) = read([frame(b"")])
    assert isinstance(event, Event)
    assert (event.type, event.data) == ("message", "")


def test_the_limit() -> None:
    big = delta("x" * 500)
    with pytest.raises(EventTooLarge) as raised:
        read([delta("a") + big], limit=300)
    assert (raised.value.start, len(raised.value.items)) == (len(delta("a")), 1)
    junk = b"\0" * 5_000
    assert len(read([delta("a"), *[junk] * 4], limit=3_000)) >= 3  # of junk no more is held than of a frame

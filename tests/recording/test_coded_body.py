"""A key under a content coding is masked, and nothing else of the body changes."""

from __future__ import annotations

import itertools
import random
import zlib

import pytest

from sse_tui.recording import Redactor
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.records import Chunk, Close, Request, Response, chunk

KEY = "sk-proj-0123456789abcdef"
LINES = [f"data: line {number} of the answer\n\n".encode() for number in range(40)]
WORDS = {"gzip": 31, "x-gzip": 31, "deflate": 15, "raw deflate": -15}


def coded(coding: str, *parts: bytes) -> list[bytes]:
    """Each part as a read, flushed as a server flushes it."""
    encoder = zlib.compressobj(6, zlib.DEFLATED, WORDS[coding])
    out = [encoder.compress(part) + encoder.flush(zlib.Z_SYNC_FLUSH) for part in parts]
    return [*out, encoder.flush()]


def recorded(coding: str, reads: list[bytes], redactor: Redactor | None = None) -> list[bytes]:
    redactor = redactor or Redactor()
    redactor.record(Request(t=0, turn=1, conn=1, method="GET", url="http://h/", headers=[("x-api-key", KEY)]))
    headers = [("Content-Encoding", coding.removeprefix("raw "))]
    redactor.record(Response(t=0, turn=1, conn=1, status=200, http_version="HTTP/1.1", headers=headers))
    out = []
    for at, read in enumerate(reads):
        record = redactor.record(chunk(at, read, turn=1, conn=1))
        assert isinstance(record, Chunk)
        out.append(record.data)
    redactor.record(Close(t=9, turn=1, conn=1, reason="eof"))
    return out


def decoded(coding: str, reads: list[bytes]) -> tuple[list[bytes], ContentDecoder]:
    decoder = ContentDecoder([("content-encoding", coding.removeprefix("raw "))])
    return [decoder.decode(read) for read in reads], decoder


@pytest.mark.parametrize("coding", WORDS)
def test_an_echo_is_masked_and_every_read_decodes_to_as_much(coding: str) -> None:
    body = [*LINES, f"data: bad key {KEY[:7]}".encode(), f"{KEY[7:]} and {KEY}\n\n".encode(), *LINES]
    reads = coded(coding, *body)
    parts, decoder = decoded(coding, recorded(coding, reads))
    plain = b"".join(parts)
    assert [len(part) for part in parts] == [len(part) for part in decoded(coding, reads)[0]]
    assert plain == b"".join(body).replace(KEY.encode(), b"*" * len(KEY))
    assert decoder.damage is None
    assert not decoder.unfinished


def test_reads_cut_anywhere() -> None:
    whole = b"".join(coded("gzip", *LINES, KEY.encode(), *LINES))
    dice = random.Random(4)
    for _ in range(30):
        edges = sorted({0, len(whole), *dice.choices(range(len(whole)), k=12)})
        reads = [whole[start:end] for start, end in itertools.pairwise(edges)]
        parts, decoder = decoded("gzip", recorded("gzip", reads))
        assert [len(part) for part in parts] == [len(part) for part in decoded("gzip", reads)[0]]
        assert KEY.encode() not in b"".join(parts)
        assert not decoder.unfinished


def test_members_and_what_follows_them() -> None:
    reads = [*coded("gzip", b"one "), *coded("gzip", KEY.encode()), KEY.encode()]
    out = recorded("gzip", reads)
    parts, decoder = decoded("gzip", out)
    assert b"".join(parts) == b"one " + b"*" * len(KEY)
    assert (decoder.damage, decoder.unfinished) == (None, False)
    assert KEY.encode() not in b"".join(out)


def test_a_body_that_breaks_off_does_so_again() -> None:
    parts, decoder = decoded("gzip", recorded("gzip", coded("gzip", *LINES)[:-3]))
    assert decoder.unfinished
    assert b"".join(parts) == b"".join(LINES[:-2])


def test_a_damaged_body_is_damaged_at_the_same_read() -> None:
    reads = [*coded("gzip", *LINES)[:5], b"\xff" * 40 + KEY.encode(), b"more"]
    out = recorded("gzip", reads)
    assert [len(read) for read in out[5:]] == [len(read) for read in reads[5:]]
    parts, decoder = decoded("gzip", out)
    assert decoder.damage is not None
    assert parts == decoded("gzip", reads)[0]
    assert KEY.encode() not in b"".join(out)


def test_several_codings() -> None:
    inner = coded("gzip", *LINES, KEY.encode())
    reads = coded("deflate", *inner)
    parts, decoder = decoded("gzip, deflate", recorded("gzip, deflate", reads))
    assert b"".join(parts) == b"".join(LINES) + b"*" * len(KEY)
    assert not decoder.unfinished


def test_without_a_secret_the_bytes_are_the_server_s() -> None:
    redactor = Redactor()
    headers = [("Content-Encoding", "gzip")]
    redactor.record(Response(t=0, turn=1, conn=1, status=200, http_version="HTTP/1.1", headers=headers))
    for read in coded("gzip", *LINES):
        record = chunk(1, read, turn=1, conn=1)
        assert redactor.record(record) is record


def test_a_read_that_expands_a_thousandfold_is_masked_in_slices() -> None:
    body = b":" * (3 << 20) + KEY.encode() + b"\n"
    parts, _ = decoded("gzip", recorded("gzip", coded("gzip", body)))
    assert b"".join(parts) == body.replace(KEY.encode(), b"*" * len(KEY))

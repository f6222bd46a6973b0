"""Content codings: decoded read by read, damage reported, nothing held back."""

from __future__ import annotations

import gzip
import zlib

import pytest

from sse_tui.limits import EXPANSION_BYTES, EXPANSION_LINES
from sse_tui.recording.content import SLICE, ContentDecoder

BODY = b"".join(b"data: %d\n\n" % n for n in range(50))


def flushed(wbits: int) -> list[bytes]:
    """The body compressed with a flush after every event, as a server that streams does."""
    packer = zlib.compressobj(wbits=wbits)
    events = BODY.split(b"\n\n")[:-1]
    parts = [packer.compress(event + b"\n\n") + packer.flush(zlib.Z_SYNC_FLUSH) for event in events]
    return [*parts, packer.flush()]


@pytest.mark.parametrize(
    ("coding", "wbits"),
    [("gzip", 31), ("x-gzip", 31), ("deflate", 15), ("deflate", -15), ("GZIP", 31)],
)
def test_every_flush_gives_its_event_at_once(coding: str, wbits: int) -> None:
    decoder = ContentDecoder([("Content-Encoding", coding)])
    out = [decoder.decode(part) for part in flushed(wbits)]
    assert out[7] == b"data: 7\n\n"
    assert b"".join(out) == BODY
    assert decoder.damage is None
    assert not decoder.identity


def test_any_split_of_the_coded_bytes_decodes_to_the_same_body() -> None:
    coded = gzip.compress(BODY) + gzip.compress(BODY)
    for size in (1, 2, 7, len(coded)):
        decoder = ContentDecoder([("content-encoding", "gzip")])
        assert b"".join(decoder.decode(coded[i : i + size]) for i in range(0, len(coded), size)) == BODY * 2


def test_two_codings_are_undone_in_reverse() -> None:
    coded = gzip.compress(zlib.compress(BODY))
    assert ContentDecoder([("content-encoding", "deflate, gzip")]).decode(coded) == BODY


def test_a_transfer_coding_is_undone_first() -> None:
    coded = gzip.compress(zlib.compress(BODY))
    decoder = ContentDecoder([("transfer-encoding", "gzip, chunked"), ("content-encoding", "deflate")])
    assert decoder.decode(coded) == BODY
    assert ContentDecoder([("transfer-encoding", "chunked")]).identity


def test_no_coding_is_the_identity() -> None:
    decoder = ContentDecoder([("content-type", "text/event-stream"), ("content-encoding", "identity")])
    assert decoder.identity
    assert decoder.decode(b"data: x\n\n") == b"data: x\n\n"


def test_an_unknown_coding_is_named_and_passed_through() -> None:
    decoder = ContentDecoder([("content-encoding", "br")])
    assert decoder.damage == "cannot decode the coding br"
    assert decoder.decode(b"\x0b\x02") == b"\x0b\x02"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "gzip, deflate", "deflate, gzip"])
@pytest.mark.parametrize(
    "body", [b"data: a\n\n", b": hi\n\n", b'{"a": 1}', b'[{"a":1}]', b"<html>", b"id: 1\ndata: a\n\n"]
)
def test_plain_text_under_a_coding_is_passed_through(coding: str, body: bytes) -> None:
    decoder = ContentDecoder([("content-encoding", coding)])
    assert decoder.decode(body) + decoder.decode(b"data: b\n\n") == body + b"data: b\n\n"
    assert (decoder.stale, decoder.damage, decoder.unfinished) == (True, None, False)


@pytest.mark.parametrize("level", range(10))
def test_what_is_coded_is_not_taken_for_text(level: int) -> None:
    for text in (b"data: a\n\n", b'{"a": 1}\n' * 50, b"id: 1\ndata: " + b"word " * 200):
        for coding, bits in (("gzip", 31), ("deflate", 15), ("deflate", -15)):
            encoder = zlib.compressobj(level, zlib.DEFLATED, bits)
            coded = encoder.compress(text) + encoder.flush()
            decoder = ContentDecoder([("content-encoding", coding)])
            assert (decoder.decode(coded), decoder.stale) == (text, False)


def test_damaged_bytes_are_reported_once_and_end_the_decoding() -> None:
    decoder = ContentDecoder([("content-encoding", "gzip")])
    assert decoder.decode(b"\x00data: plain\n\n") == b""
    assert decoder.damage is not None
    assert "not valid gzip" in decoder.damage
    assert decoder.decode(b"more") == b""


def test_what_follows_gzip_and_is_none_is_let_go() -> None:
    coded = gzip.compress(BODY) + b"\0" * 16
    for size in (1, 7, len(coded)):
        decoder = ContentDecoder([("content-encoding", "gzip")])
        assert b"".join(decoder.decode(coded[i : i + size]) for i in range(0, len(coded), size)) == BODY
        assert decoder.damage is None


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_an_end_within_the_coded_data_shows(coding: str) -> None:
    coded = gzip.compress(BODY) if coding == "gzip" else zlib.compress(BODY)
    decoder = ContentDecoder([("content-encoding", coding)])
    assert not decoder.unfinished
    decoder.decode(coded[:-1])
    assert decoder.unfinished
    decoder.decode(coded[-1:])
    assert not decoder.unfinished


@pytest.mark.parametrize("coding", ["gzip", "gzip, gzip", "deflate, gzip"])
@pytest.mark.parametrize("unit", [b"\0", b":\n", b"\r\n"])
def test_a_bomb_is_decoded_up_to_a_bound_in_slices(coding: str, unit: bytes) -> None:
    plain = unit * (5 * EXPANSION_BYTES // 4 // len(unit))
    coded = gzip.compress(plain) if coding == "gzip" else gzip.compress(gzip.compress(plain))
    if coding.startswith("deflate"):
        coded = gzip.compress(zlib.compress(plain))
    decoder, size = ContentDecoder([("content-encoding", coding)]), 0
    for piece in decoder.slices(coded):
        assert len(piece) <= SLICE
        size += len(piece)
    assert size <= EXPANSION_BYTES + 100 * len(coded)
    assert decoder.runaway
    assert not decoder.unfinished
    assert decoder.damage is not None
    assert "expand to more than" in decoder.damage
    if unit == b":\n":
        assert size <= 2 * (EXPANSION_LINES + 4 * len(coded))
    assert decoder.decode(coded) == b""


def test_a_repetition_loop_is_no_bomb() -> None:
    """32,000 tokens of one word, compressed as a whole: 7 MB, 200 times its size."""
    line = b'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m",'
    body = (line + b'"choices":[{"index":0,"delta":{"content":" the"},"finish_reason":null}]}\n\n') * 32_000
    decoder = ContentDecoder([("content-encoding", "gzip")])
    assert decoder.decode(gzip.compress(body)) == body
    assert decoder.damage is None


@pytest.mark.parametrize("wbits", [15, -15])
def test_both_forms_of_deflate_are_told_apart_whatever_the_reads(wbits: int) -> None:
    packer = zlib.compressobj(wbits=wbits)
    coded = packer.compress(BODY) + packer.flush()
    decoder = ContentDecoder([("content-encoding", "deflate")])
    assert b"".join(decoder.decode(coded[at : at + 1]) for at in range(len(coded))) == BODY
    assert not decoder.unfinished


def test_what_comes_before_damage_is_decoded() -> None:
    plain = b"".join(b"data: %d\n\n" % n for n in range(20_000))
    coded = gzip.compress(plain)
    decoder = ContentDecoder([("content-encoding", "gzip")])
    out = decoder.decode(coded[:-8] + bytes(8))  # a wrong checksum
    assert len(out) >= SLICE
    assert plain.startswith(out)
    assert decoder.damage is not None
    assert not decoder.runaway

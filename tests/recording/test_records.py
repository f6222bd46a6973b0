from __future__ import annotations

import base64
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.recording import Redactor, Writer, read_recording
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

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
head = {
    "t": st.integers(0, 2**63 - 1),
    "turn": st.integers(0, 2**32 - 1),
    "conn": st.integers(0, 2**32 - 1),
}
# Names and values without what the redactor acts on; redaction has its own tests.
headers = st.lists(st.tuples(st.sampled_from(["Accept", "X-A", "id"]), text), max_size=3)
bodies = st.one_of(
    st.just({}),
    st.builds(lambda body: {"body": body}, text),
    st.binary(min_size=1, max_size=9).map(lambda data: {"body_b64": base64.b64encode(data).decode()}),
)
chunks = st.builds(
    lambda t, data, turn, conn, clock: chunk(t, data, turn=turn, conn=conn, clock=clock),
    data=st.binary(max_size=40) | text.map(str.encode),
    clock=st.none() | st.just("read"),
    **head,
)
records: st.SearchStrategy[Record] = st.one_of(
    chunks,
    st.builds(
        lambda body, **fields: Request(method="GET", url="http://h/p?a=1", **body, **fields),
        body=bodies,
        headers=headers,
        dialect=st.none() | text,
        **head,
    ),
    st.builds(Phase, name=text, dt=st.integers(0, 2**62), **head),
    st.builds(Response, status=st.integers(100, 599), http_version=text, headers=headers, **head),
    st.builds(Fault, plan=text, at=text, did=text, **head),
    st.builds(Close, reason=text, detail=text, **head),
    st.builds(
        Reconnect,
        delay_ms=st.floats(0, 1e9),
        last_event_id=text,
        policy=text,
        attempt=st.integers(1, 99),
        **head,
    ),
    st.builds(Note, text=text, **head),
    st.builds(End, reason=text, **head),
)


@settings(deadline=None)
@given(st.lists(records, max_size=12), st.booleans())
def test_every_record_comes_back_as_it_was_written(written: list[Record], batch: bool) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.sse.jsonl"
        with Writer(path, Header(tool="t", created="c"), Redactor()) as writer:
            if batch:
                writer.write_many(written)
            else:
                for record in written:
                    writer.write(record)
        recording = read_recording(path)
        # `text` is None or "" for an empty body, which is the same bytes.
        assert list(recording) == written
        assert recording.skipped.damage == []
        lines = path.read_bytes().split(b"\n")
        assert lines.pop() == b""
        plain = [json.loads(line.decode("utf-8")) for line in lines]
    assert plain[0]["format"] == "sse-recording"
    assert plain[0]["version"] == 1
    for line, record in zip(plain[1:], written, strict=True):
        assert line["k"] == type(record).__name__.lower()
        assert line["t"] == record.t
        assert (line.get("turn", 0), line.get("conn", 0)) == (record.turn, record.conn)


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_a_chunk_keeps_its_bytes_and_counts_them(data: bytes) -> None:
    record = chunk(0, data, turn=1, conn=1)
    assert record.data == data
    assert record.size == len(data)
    assert (record.b64 is None) == (data.decode("utf-8", "ignore").encode() == data)


def test_a_character_cut_by_a_read_is_kept_byte_for_byte() -> None:
    whole = "☃".encode()
    pieces = [chunk(0, whole[:1], turn=1, conn=1), chunk(0, whole[1:], turn=1, conn=1)]
    assert [piece.text for piece in pieces] == [None, None]
    assert b"".join(piece.data for piece in pieces) == whole


def test_a_chunk_without_text_is_empty() -> None:
    assert Chunk(t=0).data == b""
    assert Chunk(t=0).size == 0

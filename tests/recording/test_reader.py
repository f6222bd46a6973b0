from __future__ import annotations

import io
import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sse_tui.errors import RecordingError
from sse_tui.recording import open_any, read_recording
from sse_tui.recording.record_lines import DAMAGE_KEPT, split_lines
from sse_tui.recording.records import Chunk, Note, Record

HEADER = b'{"format":"sse-recording","version":1}\n'


def test_a_cut_at_any_byte_leaves_the_records_before_it(
    write: Callable[..., Path], session: list[Record]
) -> None:
    data = write(session).read_bytes()
    header_end = data.index(b"\n")
    # A record is there as soon as its last byte is; its line end adds nothing.
    ends = [place for place, byte in enumerate(data) if byte == 10][1:]
    for cut in range(len(data) + 1):
        if cut < header_end:
            with pytest.raises(RecordingError):
                read_recording(io.BytesIO(data[:cut]))
            continue
        recording = read_recording(io.BytesIO(data[:cut]))
        whole = sum(end <= cut for end in ends)
        assert list(recording) == session[:whole]
        starts = [header_end + 1, *(end + 1 for end in ends)]
        in_a_line = cut > starts[whole] if whole < len(session) else False
        assert [damage.offset for damage in recording.skipped.damage] == (
            [starts[whole]] if in_a_line else []
        )
        if in_a_line:
            assert recording.skipped.damage[0].line == whole + 2
            assert "incomplete" in str(recording.skipped.damage[0])


def test_a_broken_line_costs_that_line_alone(write: Callable[..., Path], session: list[Record]) -> None:
    path = write(session)
    lines = path.read_bytes().splitlines(keepends=True)
    offset = sum(map(len, lines[:3]))
    lines[3] = b'{"t":1,"k":"phase","name":"tcp","dt":"soon"}\n'
    lines[5] = b"\xff\xfe garbage\n"
    path.write_bytes(b"".join(lines))
    recording = read_recording(path)
    assert list(recording) == [*session[:2], session[3], *session[5:]]
    assert [(damage.line, damage.offset) for damage in recording.skipped.damage] == [
        (4, offset),
        (6, offset + len(lines[3]) + len(lines[4])),
    ]
    assert "dt" in recording.skipped.damage[0].reason


def test_what_a_newer_minor_version_adds_is_passed_over() -> None:
    data = HEADER + (
        b'{"t":1,"k":"trailer","headers":[]}\n\n{"t":2,"k":"note","text":"a","colour":"red"}\n'
        b'{"t":3,"k":"trailer"}\r\n'
    )
    recording = read_recording(io.BytesIO(data))
    assert list(recording) == [Note(t=2, text="a")]
    assert recording.skipped.unknown == {"trailer": 2}
    assert recording.skipped.damage == []
    assert recording.notes == [
        "2 records of unknown kind left out ('trailer'): a newer sse-tui may know more"
    ]


def test_kinds_without_end_take_no_memory() -> None:
    lines = b"".join(b'{"t":1,"k":"kind-%d"}\n' % n for n in range(1000))
    recording = read_recording(io.BytesIO(HEADER + lines))
    assert list(recording) == []
    assert len(recording.skipped.unknown) == 65
    assert recording.notes[0].startswith(
        "1,000 records of unknown kind left out ('kind-0', 'kind-1', 'kind-2', ...)"
    )


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"", "recording-empty", "is empty"),
        (b"\n", "recording-header", "not a header"),
        (b"data: x\n\n", "recording-header", "not a header"),
        (b'{"log":{}}\n', "recording-header", "not a header"),
        (b'{"format":"other","version":1}\n', "recording-format", "'other'"),
        (b'{"format":"sse-recording","version":2}\n', "recording-version", "Update sse-tui"),
        (b'{"format":"sse-recording","version":0}\n', "recording-version", "version 0"),
        (b'{"format":"sse-recording","version":1,"tool":7}\n', "recording-header", "tool"),
        (b'{"format":"sse-rec', "recording-header", "not a header"),
        (b"x" * 3_000_000, "recording-header", "not a header"),
    ],
)
def test_what_is_no_recording(data: bytes, code: str, words: str) -> None:
    with pytest.raises(RecordingError, match=words) as caught:
        read_recording(io.BytesIO(data))
    assert caught.value.code == code
    assert "the input" in caught.value.message


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="No such file"):
        read_recording(tmp_path / "none")
    with pytest.raises(RecordingError, match="not a directory"):
        read_recording(tmp_path)
    with pytest.raises(RecordingError, match="not a directory"):
        open_any(tmp_path)


def test_a_path_can_be_read_again_and_gives_offsets(
    write: Callable[..., Path], session: list[Record]
) -> None:
    path = write(session)
    data = path.read_bytes()
    recording = read_recording(str(path))
    assert list(recording) == list(recording) == session
    for offset, record in recording.with_offsets():
        line = json.loads(data[offset : data.index(b"\n", offset)])
        assert line["k"] == type(record).__name__.lower()


@pytest.mark.parametrize("b64", ["?", "abc", "ab==\n", "é", "YR=="])
def test_base64_that_is_none_is_damage(b64: str) -> None:
    asked = {"t": 1, "k": "request", "method": "GET", "url": "", "headers": [], "body_b64": b64}
    for fields in ({"t": 1, "k": "chunk", "b64": b64}, asked):
        recording = read_recording(io.BytesIO(HEADER + json.dumps(fields).encode() + b"\n"))
        assert list(recording) == []
        assert len(recording.skipped.damage) == 1


@pytest.mark.parametrize("t", [2**63, -(2**63) - 1, 1e30, "1", None])
def test_a_time_outside_64_bits_is_damage(t: object) -> None:
    line = json.dumps({"t": t, "k": "chunk", "text": ""}).encode()
    recording = read_recording(io.BytesIO(HEADER + line + b"\n"))
    assert list(recording) == []
    assert len(recording.skipped.damage) == 1


fields = st.dictionaries(
    st.sampled_from(["t", "k", "conn", "turn", "text", "b64", "headers", "body_b64", "url", "method"]),
    st.one_of(
        st.sampled_from(["chunk", "request", "note", "end", "x"]),
        st.integers(),
        st.floats(),
        st.text(max_size=5),
        st.none(),
        st.lists(st.lists(st.text(max_size=3), max_size=3), max_size=2),
    ),
)


@settings(deadline=None)
@given(st.booleans(), st.lists(st.binary(max_size=60) | fields.map(lambda line: json.dumps(line).encode())))
@example(True, [b"[" * 100_000])
@example(True, [b'{"k":"note","t":1,"x":' + b"[" * 100_000])
@example(False, [b'{"format":"sse-recording","version":1,"x":' + b"[" * 100_000])
@example(True, [b'{"t":1,"k":"note","text":"\\ud800"}', b'{"t":1e400,"k":"note"}', b"\xef\xbb\xbf{}"])
def test_no_bytes_raise_anything_but_a_recording_error(with_header: bool, lines: list[bytes]) -> None:
    data = (HEADER if with_header else b"") + b"\n".join(lines)
    for read in (read_recording, open_any):
        try:
            for record in read(io.BytesIO(data)):
                if isinstance(record, Chunk):
                    assert record.size == len(record.data)
        except RecordingError:
            assert not (with_header and read is read_recording)


def test_a_first_line_without_end_is_not_read_to_its_end() -> None:
    lines = split_lines(itertools.repeat(b"x" * 1000), first_limit=5000)
    assert [(line.size, line.ended) for line in lines] == [(6000, False)]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=9) | st.sampled_from([b"\n", b"a\nb", b"\n\n"])))
def test_lines_do_not_depend_on_how_the_file_was_read(blocks: list[bytes]) -> None:
    whole = b"".join(blocks)
    lines = list(split_lines(blocks))
    assert b"".join((line.data or b"") + (b"\n" if line.ended else b"") for line in lines) == whole
    assert lines == list(split_lines([whole]))
    assert all(b"\n" not in (line.data or b"") and line.size == len(line.data or b"") for line in lines)


@pytest.mark.parametrize("size", [1, 7, 100])
def test_a_line_longer_than_any_record_is_passed_over_without_being_held(size: int) -> None:
    data = b"ab\n" + b"x" * 50 + b"\ncd\n" + b"y" * 30
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    assert list(split_lines(blocks, limit=20)) == [
        (b"ab", 2, True),
        (None, 50, True),
        (b"cd", 2, True),
        (None, 30, False),
    ]


def test_damaged_lines_without_end_take_no_memory() -> None:
    recording = read_recording(
        io.BytesIO(HEADER + b"{broken\n" * 20_000 + b'{"t":2,"k":"note","text":"a"}\n')
    )
    assert list(recording) == [Note(t=2, text="a")]
    assert len(recording.skipped.damage) == DAMAGE_KEPT
    assert recording.notes[-1] == "and 19,900 more damaged lines"


def test_blank_lines_without_end_are_nothing() -> None:
    recording = read_recording(io.BytesIO(HEADER + b"\n" * 100_000 + b'{"t":2,"k":"note","text":"a"}\n'))
    assert list(recording) == [Note(t=2, text="a")]
    assert recording.notes == []

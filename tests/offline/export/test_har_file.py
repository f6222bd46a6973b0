"""Archives: what browsers need is there, and our own reader gets everything back."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.jsonform import entry_json
from sse_tui.offline.export import read_tape
from sse_tui.offline.export.har_file import har
from sse_tui.recording import open_any
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
from tests.samples import stream_files

RECORDINGS = Path(__file__).parents[2] / "data/recordings"
STREAMS = Path(__file__).parents[2] / "data/streams"
STREAM = [("content-type", "text/event-stream")]


def archive(header: Header, records: Sequence[Record]) -> bytes:
    return json.dumps(har(read_tape(header, records))).encode()


def entries(header: Header, records: Sequence[Record]) -> list[dict[str, Any]]:
    analysis = Analysis(header)
    return [entry_json(entry) for entry in chain.from_iterable(map(analysis.feed, records))]


def back(header: Header, records: Sequence[Record]) -> tuple[Header, list[Record]]:
    opened = open_any(io.BytesIO(archive(header, records)))
    return opened.header, list(opened)


@pytest.mark.parametrize("path", sorted(RECORDINGS.glob("*.jsonl")), ids=lambda path: path.name)
def test_a_recording_comes_back_with_its_events_and_times(path: Path) -> None:
    recording = open_any(path)
    records = list(recording)
    header, again = back(recording.header, records)
    assert header.clock == recording.header.clock
    assert entries(header, again) == entries(recording.header, records)


@pytest.mark.parametrize("path", sorted(STREAMS.glob("*.sse")), ids=lambda path: path.name)
def test_a_raw_stream_comes_back_too(path: Path) -> None:
    recording = open_any(path)
    header, again = back(recording.header, list(recording))
    assert header.clock == "none"
    assert again == list(recording)


def test_every_recorded_provider() -> None:
    for path in stream_files():
        recording = open_any(path)
        header, again = back(recording.header, list(recording))
        assert (header.clock, again) == ("none", list(recording)), path


def test_a_content_coding_is_taken_off_and_every_read_keeps_its_time() -> None:
    packer = __import__("zlib").compressobj(wbits=31)
    reads = [
        packer.compress(b"data: one\n\n") + packer.flush(2),
        packer.compress(b"data: two\n\n") + packer.flush(),
    ]
    at: dict[str, Any] = {"turn": 1, "conn": 1}
    records: list[Record] = [
        Request(t=0, method="GET", url="http://h/", headers=[], **at),
        Response(
            t=5, status=200, http_version="HTTP/1.1", headers=[*STREAM, ("content-encoding", "gzip")], **at
        ),
        *(chunk(10 + number, data, **at) for number, data in enumerate(reads)),
        Close(t=20, reason="eof", **at),
        End(t=20, reason="done"),
    ]
    assert gzip.decompress(b"".join(reads)) == b"data: one\n\ndata: two\n\n"
    content = har(read_tape(Header(clock="read"), records))["log"]["entries"][0]["response"]["content"]
    assert content["text"] == "data: one\n\ndata: two\n\n"
    _, again = back(Header(clock="read"), records)
    assert [(one.t, one.data) for one in again if isinstance(one, Chunk)] == [
        (10, b"data: one\n\n"),
        (11, b"data: two\n\n"),
    ]
    response = next(one for one in again if isinstance(one, Response))
    assert "content-encoding" not in dict(response.headers)


def test_what_browsers_ask_for_is_there() -> None:
    recording = open_any(RECORDINGS / "resumed.sse.jsonl")
    log = har(read_tape(recording.header, recording))["log"]
    assert log["version"] == "1.2"
    assert {"name", "version"} <= set(log["creator"])
    for entry in log["entries"]:
        assert {"startedDateTime", "time", "request", "response", "cache", "timings"} <= set(entry)
        assert {
            "method",
            "url",
            "httpVersion",
            "cookies",
            "headers",
            "queryString",
            "headersSize",
            "bodySize",
        } <= set(entry["request"])
        assert {"status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL"} <= set(
            entry["response"]
        )
        assert {"size", "mimeType", "text"} <= set(entry["response"]["content"])
        timings = entry["timings"]
        assert timings["send"] >= 0
        assert timings["wait"] >= 0
        assert timings["receive"] >= 0
        parts = sum(ms for name, ms in timings.items() if ms > 0 and name != "ssl")
        assert entry["time"] == pytest.approx(parts)


def test_an_edited_archive_is_read_as_it_is_now() -> None:
    """Nothing is kept twice, so a body that someone cleaned is clean for us too."""
    recording = open_any(RECORDINGS / "resumed.sse.jsonl")
    data = archive(recording.header, list(recording))
    assert data.count(b"lossless") == 0
    log = json.loads(data)
    for entry in log["log"]["entries"]:
        entry["response"]["content"]["text"] = "data: cleaned\n\n"
        entry["request"]["postData"]["text"] = "{}"
    opened = open_any(io.BytesIO(json.dumps(log).encode()))
    assert {one.data for one in opened if isinstance(one, Chunk)} == {b"data: cleaned\n\n"}
    assert opened.header.clock == "none"


NS = st.integers(0, 10**6)
TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
HEADERS = st.lists(st.tuples(st.sampled_from(["x-a", "X-B", "server"]), TEXT), max_size=2)


@st.composite
def sessions(draw: st.DrawFn) -> list[Record]:
    records: list[Record] = []
    t = 0
    for conn in range(1, draw(st.integers(1, 3)) + 1):
        at: dict[str, Any] = {"turn": draw(st.integers(1, 2)) if conn > 1 else 1, "conn": conn}
        body = draw(st.none() | TEXT.filter(bool))
        records.append(
            Request(t=t, method="POST", url="http://h/" + draw(TEXT), headers=draw(HEADERS), body=body, **at)
        )
        t += draw(NS)
        records.append(Phase(t=t, name="tcp", dt=1, **at))
        if draw(st.booleans()):
            records.append(
                Response(t=t, status=200, http_version="HTTP/1.1", headers=[*STREAM, *draw(HEADERS)], **at)
            )
            for data in draw(st.lists(st.binary(min_size=1, max_size=12), max_size=4)):
                t += draw(NS)
                records.append(chunk(t, data, **at))
                if draw(st.booleans()):
                    records.append(Note(t=t, text=draw(TEXT)))
            if draw(st.booleans()):
                records.append(Fault(t=t, plan="cut@now", at="now", did="cut", **at))
        t += draw(NS)
        reason = draw(st.sampled_from(["eof", "incomplete", "reset", "fault", "error"]))
        records.append(Close(t=t, reason=reason, detail=draw(TEXT), **at))
        records.append(
            Reconnect(t=t, turn=at["turn"], delay_ms=1.5, last_event_id=draw(TEXT), policy="last-event-id")
        )
    return [*records, End(t=t, reason="done")]


@settings(max_examples=200, deadline=None)
@given(sessions())
def test_any_session_comes_back_record_for_record(records: list[Record]) -> None:
    assert back(Header(clock="kernel"), records)[1] == records

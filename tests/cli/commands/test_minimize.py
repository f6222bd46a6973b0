"""``sse-tui minimize``, as it is run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sse_tui.recording import read_recording
from sse_tui.recording.record_lines import encode_line
from sse_tui.recording.records import Header
from tests.analysis.story import Story, role, token

BODY = b"id: 1\n" + token("hello") * 5 + b": ping\n\n" + token("world")


def test_a_raw_stream_gives_its_bytes(cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.sse").write_bytes(BODY)
    done = cli("minimize", "a.sse", "--rule", "phantom-event-risk")
    assert done.code == 0
    assert 0 < len(done.raw) < 40  # a chunk, for which it is a warning, and the comment
    assert done.raw.endswith(b"\n\n")
    assert f"of {len(BODY):,} bytes" in done.err
    again = cli("minimize", "-", "--rule", "phantom-event-risk", input=done.raw)
    assert again.code == 0
    assert 0 < len(again.raw) <= len(done.raw)


def test_a_recording_gives_a_recording(cli: Callable[..., Any], tmp_path: Path) -> None:
    story = Story().request(0, dialect="openai-chat").response(100)
    story.read(110, role()).read(203, token("Hel")).close(300, "eof")
    path = tmp_path / "in.sse.jsonl"
    path.write_bytes(b"".join(encode_line(item) for item in (Header(), *story.records)))
    done = cli("minimize", str(path), "--rule", "truncated-stream", "-o", "out.sse.jsonl")
    assert (done.code, done.out) == (0, "")
    left = list(read_recording(tmp_path / "out.sse.jsonl"))
    assert 0 < len(left) < len(story.records)


def test_what_cannot_be_done(cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.sse").write_bytes(BODY)
    unknown = cli("minimize", "a.sse", "--rule", "truncated")
    assert unknown.code == 2
    assert "truncated-stream" in unknown.err
    nothing = cli("minimize", "a.sse", "--rule", "bom")
    assert (nothing.code, nothing.out) == (1, "")
    assert "phantom-event-risk" in nothing.err

"""A large recording shows its end while it is still being read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from sse_tui.recording.record_lines import encode_line
from sse_tui.recording.records import Close, End, Header, Record, chunk
from sse_tui.tui.wire.end_of_file import EndOfFile
from sse_tui.wirelog import glimpse as module
from tests.tui.conftest import Opened, Until


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording that takes about a second to read, and counts as large."""
    monkeypatch.setattr(module, "LARGE", 100_000)
    at: dict[str, Any] = {"turn": 1, "conn": 1}
    records: list[Record | Header] = [Header()]
    records += [chunk(n, b'data: {"n": %d, "x": "\x1b[31m"}\n\n' % n, **at) for n in range(30_000)]
    records += [Close(t=40_000, reason="eof", **at), End(t=40_000, reason="done")]
    path = tmp_path / "large.sse.jsonl"
    path.write_bytes(b"".join(map(encode_line, records)))
    return path


def text_of(widget: EndOfFile) -> str:
    rendered = widget.render()
    assert isinstance(rendered, Text)
    return rendered.plain


async def test_the_end_is_there_before_the_rest(opened: Opened, until: Until, large: Path) -> None:
    app = opened(large)
    async with app.run_test(size=(120, 36)) as pilot:
        end = app.query_one(EndOfFile)
        await until(lambda: end.display and end.size.height)
        assert app.session.behind
        lines = text_of(end).splitlines()
        assert len(lines) == end.size.height
        assert "done" in lines[-1]
        assert "eof" in lines[-2]
        assert '"n": 29999' in lines[-3] or '"n":29999' in lines[-3]
        assert "\x1b" not in text_of(end)
        await until(lambda: not app.session.behind)
        await until(lambda: not end.display)
        assert len(app.session.rows) == 30_002
        await pilot.pause()


async def test_a_small_one_needs_none(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=(120, 36)):
        await until(lambda: len(app.session.rows) and not app.session.behind)
        assert not app.query_one(EndOfFile).display

"""Reports of small recordings, and of one that means harm."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sse_tui.eventstream import encode
from sse_tui.offline.report import Report
from sse_tui.recording.records import Close, Fault, Note, Record, Request, chunk
from tests.offline.report.stories import EVIL, MS, delta, report_of, story


@pytest.fixture
def healthy() -> Report:
    return report_of(story("Hel", "lo", " there"), "ttft<500ms, complete, text~lo")


@pytest.fixture
def broken() -> Report:
    return report_of(story("par", "tial", end=b"data: {", close="incomplete"), "complete, ttft<1ms")


@pytest.fixture
def hostile() -> Report:
    """Whatever a server controls means harm: texts, types, ids, model, headers, URL, faults and notes."""
    records = story(EVIL, EVIL)
    at: dict[str, Any] = {"turn": 1, "conn": 1}
    bad = EVIL.replace("\x00", "")
    call = {"index": 0, "id": EVIL, "function": {"name": EVIL, "arguments": EVIL}}
    more: list[Record] = [
        chunk(200 * MS, b"event: " + bad.encode() + b"\ndata: " + bad.encode() + b"\n\n" + bad.encode() + b"\n", **at),
        chunk(201 * MS, encode(data=json.dumps({"error": {"message": EVIL, "type": EVIL, "code": EVIL}})), **at),
        chunk(202 * MS, delta(tool_calls=[call]), **at),
        Fault(t=203 * MS, plan=EVIL, at=EVIL, did=EVIL, **at),
        Note(t=204 * MS, text=EVIL),
    ]  # fmt: skip
    request = Request(t=0, method="POST", url=f"http://h/{EVIL}", headers=[(EVIL, EVIL)], body=EVIL, **at)
    close = Close(t=205 * MS, reason="incomplete", detail=EVIL, **at)
    return report_of([request, *records[1:-1], *more, close], name=EVIL)


@pytest.fixture
def made() -> Callable[..., Report]:
    return report_of

"""An error that a stream reports is the same error live and reopened, whatever its form and however the body ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from sse_tui.analysis.outcome import Outcome
from sse_tui.dialects.base import StreamFault
from tests.session.test_outcome import DONE, STOP, WORD, reopened, run
from tests.transport.wire import CHUNKED, RST, Sleep, Step, chunked, chunks

BOOM = StreamFault(None, None, "boom")
FORMS: dict[str, tuple[list[Step], StreamFault]] = {
    "event": (
        [chunked(WORD, b'event: exception\ndata: {"code": 503, "msg": "boom"}\n\n')],
        StreamFault(None, 503, "boom"),
    ),
    "event without data": ([chunked(WORD, b"event: error\n\n", DONE)], StreamFault(None, None, None)),
    "payload": ([chunked(WORD, b'data: {"detail": "boom"}\n\n', DONE)], BOOM),
    "text as data": (
        [chunked(WORD, b"data: Rate limit exceeded\n\n", DONE)],
        StreamFault(None, None, "Rate limit exceeded"),
    ),
    "field": (
        [chunked(WORD, b'error: {"type": "t", "message": "boom"}\n\n', STOP, DONE)],
        StreamFault("t", None, "boom"),
    ),
    "bare line": (
        [chunked(WORD, b"upstream error: boom\n")],
        StreamFault(None, None, "upstream error: boom"),
    ),
    "JSON over lines and reads": (
        [
            CHUNKED,
            chunks(WORD + b'{\n "error": {\n'),
            Sleep(0.05),
            chunks(b'  "message": "boom"\n }\n}\n') + b"0\r\n\r\n",
        ],
        BOOM,
    ),
    "rest of the body": ([chunked(WORD, b'data: {"error": {"message": "boom"}}\n')], BOOM),
    "rest before a reset": (
        [CHUNKED, chunks(WORD, b'event: error\ndata: {"message": "boom"}'), Sleep(0.05), RST],
        BOOM,
    ),
    "twice": (
        [chunked(WORD, b'data: {"error": {"message": "boom"}}\n\n', b'data: {"error": "again"}\n\n')],
        BOOM,
    ),
}


@pytest.mark.parametrize("name", FORMS)
async def test_the_error_is_the_same_live_and_reopened(name: str, tmp_path: Path) -> None:
    script, fault = FORMS[name]
    path = tmp_path / "a.sse.jsonl"
    live = await run(script, path)
    assert live.problem is not None
    assert live.problem.code == "in-band-error"
    for turn in (live.analysis.turn, reopened(path, {}).turn):
        assert turn is not None
        assert (turn.outcome, turn.error) == (Outcome.ERROR, fault)
        told = [finding for finding in turn.findings if finding.rule == "in-band-error"]
        assert len(told) == 1


async def test_an_error_behind_the_end_marker_does_not_fail_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "a.sse.jsonl"
    live = await run([chunked(WORD, STOP, DONE, b'data: {"error": {"message": "boom"}}\n\n')], path)
    assert live.problem is None
    for turn in (live.analysis.turn, reopened(path, {}).turn):
        assert turn is not None
        assert (turn.outcome, turn.error) == (Outcome.COMPLETE, None)
        assert [f.severity for f in turn.findings if f.rule == "in-band-error"] == ["warning"]

"""Every form of a report takes linear time for what a server repeats without end."""

from __future__ import annotations

import json
import time
from typing import get_args

import pytest

from sse_tui.offline.report.builder import report_of
from sse_tui.offline.report.forms import Format, render
from sse_tui.recording.records import Header, chunk

SIZES = (20_000, 200_000)
MOST_GROWTH = 25
NOISE_S = 0.01


def stream(text: str, *, error: bool) -> bytes:
    """An answer of this text, or an error with this message."""
    choices = [{"index": 0, "delta": {"content": "" if error else text}}]
    payload: dict[str, object] = {"object": "chat.completion.chunk", "choices": choices}
    if error:
        payload["error"] = {"message": text, "code": text}
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


def seconds(text: str, *, error: bool) -> float:
    report = report_of(Header(), [chunk(0, stream(text, error=error), turn=1, conn=1)], "stream")
    start = time.thread_time()
    for form in get_args(Format):
        assert render(report, form)
    return time.thread_time() - start


@pytest.mark.parametrize("error", [False, True], ids=["answer", "error"])
@pytest.mark.parametrize(
    "piece", ["a", " word", "-", "a://", "a=", "a.", "<", "\\", '"', "\n", " ", "`", "0", "\u202e"]
)
def test_a_report_of_a_repetition_takes_linear_time(piece: str, error: bool) -> None:
    few, many = (seconds(piece * (size // len(piece)), error=error) for size in SIZES)
    assert many < MOST_GROWTH * max(few, NOISE_S)

"""Input without end or measure ends in a report, in bounded memory. At full size: `tests.benchmarks.bad_input`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.benchmarks.bad_input import INPUTS, MB, Ended, report

SCALE = {"data-lines": 0.06, "tiny-events": 0.006, "comments": 0.02, "one-line": 0.4, "one-name": 0.4}
# What the program takes for itself, what an event may hold (16 MiB) in a few forms, and what does not grow.
MEMORY_MB = 150


@pytest.fixture(autouse=True)
def _nothing_of_the_users(env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)


def run(name: str) -> Ended:
    size, make = INPUTS[name]
    return report(make(int(size * SCALE.get(name, 0.2))))


@pytest.mark.parametrize("name", INPUTS)
def test_it_is_reported_in_bounded_memory(name: str) -> None:
    ended = run(name)
    assert ended.code in (0, 1, 2), ended.out[-2000:]
    assert "Traceback" not in ended.out
    assert "a bug in sse-tui" not in ended.out
    assert ended.memory_mb < MEMORY_MB
    assert len(ended.out) < MB


@pytest.mark.parametrize("name", ["data-lines", "one-line"])
def test_an_event_without_end_is_named(name: str) -> None:
    ended = run(name)
    assert "oversized-event" in ended.out
    assert "the limit is 16777216" in ended.out


@pytest.mark.parametrize(
    "payload",
    [
        "NaN",
        '{"choices":[{"index":NaN,"delta":{"content":"a"}}],"usage":{"prompt_tokens":1e999}}',
        '{"choices":[{"index":%s,"delta":{"content":"a"}}]}' % ("9" * 400),
        '{"usage":{"prompt_tokens":-1e308,"completion_tokens":123456789012345678901234567890}}',
        '{"choices":[{"index":0,"delta":{"content":"\\ud800 \\udfff\\ud83d\\ude00"}}],"model":"\\udc00"}',
        '{"error":{"message":"\\ud800","code":1e999}}',
        '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1e9,"id":"\\ud800","function":{"arguments":"\\ud8"}}]}}]}',
        "[" * 50_000 + "]" * 50_000,
    ],
)
@pytest.mark.parametrize("form", ["json", "text", "html"])
def test_json_that_is_out_of_measure(cli: Callable[..., Any], payload: str, form: str) -> None:
    done = cli("report", "-", "--format", form, input=f"data: {payload}\n\n".encode())
    assert done.code in (0, 1), done.err
    assert done.out
    if form == "json":
        json.loads(done.raw.decode("utf-8"))

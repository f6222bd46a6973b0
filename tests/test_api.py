"""The public interface does what its documentation says, and importing the package costs nothing."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import sse_tui
from sse_tui import api

RECORDING = Path(__file__).parent / "data" / "recordings" / "resumed.sse.jsonl"


def test_the_examples_of_the_documentation() -> None:
    failed, tried = doctest.testmod(sse_tui)
    assert failed == 0
    assert tried >= 10


def test_every_public_name_is_there() -> None:
    assert sorted([*api.__all__, "__version__"]) == sse_tui.__all__
    for name in api.__all__:
        assert getattr(sse_tui, name) is getattr(api, name)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = sse_tui.no_such_name  # type: ignore[attr-defined]


def test_importing_the_package_imports_nothing_but_its_version() -> None:
    code = "import sys; before = set(sys.modules); import sse_tui; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['sse_tui', 'sse_tui.version']"


def test_a_recording_by_path_and_by_bytes() -> None:
    by_path, by_bytes = sse_tui.analyse(RECORDING), sse_tui.analyse(RECORDING.read_bytes())
    assert by_path.turns[0].answer.text == by_bytes.turns[0].answer.text != ""
    assert len(by_path.turns[0].connections) == 2
    recording = sse_tui.read_recording(str(RECORDING))
    assert recording.header.clock == "kernel"
    assert [record.kind for record in recording] == [record.kind for record in recording] != []


def test_expectations_and_formats() -> None:
    report = sse_tui.report(RECORDING, expect="complete, ttft<0.001ms")
    assert [judgement.passed for judgement in report.judgements] == [True, False] * 2
    assert report.failed("never")
    assert sse_tui.render(report, "json").startswith("{")
    assert "<html" in sse_tui.render(report, "html")
    assert sse_tui.render(report, "md") != sse_tui.render(report)
    with pytest.raises(sse_tui.SseTuiError):
        sse_tui.report(RECORDING, expect="klingon>3")
    with pytest.raises(sse_tui.SseTuiError) as caught:
        sse_tui.analyse(b"\x1f\x8b not a stream")
    assert caught.value.code

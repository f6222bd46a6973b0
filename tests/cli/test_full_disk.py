"""A disk that is full, and a recording that has reached its limit: said clearly, and the answer is still printed."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from sse_tui.recording import read_recording
from sse_tui.recording.records import End

PROGRAM = [sys.executable, "-m", "sse_tui"]
ASK = ["ask", "--engine", "scripted", "--seed", "7", "--max-tokens", "60", "Hello"]


def run(*args: str, env: dict[str, str], file_size: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run the program; `file_size` is how long any file may get, which fails as a full disk does."""

    def limit() -> None:
        if file_size is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

    return subprocess.run(
        [*PROGRAM, *args], env=env, capture_output=True, text=True, timeout=60, preexec_fn=limit, check=False
    )


@pytest.mark.parametrize("file_size", [10, 3_000], ids=["before the header", "in the middle"])
def test_the_answer_is_printed_although_it_cannot_be_recorded(
    env: dict[str, str], tmp_path: Path, file_size: int
) -> None:
    whole = run(*ASK, "--no-record", env=env)
    assert whole.returncode == 0, whole.stderr
    done = run(*ASK, "--record", str(tmp_path / "a.sse.jsonl"), env=env, file_size=file_size)
    assert done.stdout == whole.stdout
    assert "File too large" in done.stderr
    assert "--no-record" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 2


def test_a_recording_ends_at_its_limit_and_the_answer_does_not(env: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "a.sse.jsonl"
    env = {**env, "SSE_TUI_RECORDING__MAX_BYTES": "4000"}
    whole = run(*ASK, "--no-record", env=env)
    done = run(*ASK, "--record", str(path), env=env)
    assert done.stdout == whole.stdout
    assert "has reached its limit of 4,000 bytes" in done.stderr
    assert "max_bytes" in done.stderr
    assert done.returncode == 2
    assert path.stat().st_size < 4_200
    *_, last = read_recording(path)
    assert isinstance(last, End)
    assert last.reason == "recording-full"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "args", [["--help"], ["--version"], ["ask", "--help"], ["config", "show"], ["completion", "bash"], ASK]
)
def test_a_stdout_that_cannot_be_written_is_said(env: dict[str, str], args: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*PROGRAM, *args],
            env=env,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.stderr == "sse-tui: error: stdout cannot be written: No space left on device.\n"
    assert done.returncode == 1

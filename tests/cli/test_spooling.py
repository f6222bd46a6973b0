"""The process that turns a pipe into a recording: it begins, fails by name, and never outlives its parent."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sse_tui.cli.spooling import spooled
from sse_tui.errors import RecordingError
from sse_tui.recording import read_recording
from sse_tui.recording.records import Chunk
from tests.children import alive, child_running, children, wait_until_gone

SPOOLING = "sse_tui.cli.spooling"


@pytest.fixture(name="stdin")
def _stdin() -> Iterator[int]:
    """The end of a pipe that is written to; its other end is standard input."""
    kept = os.dup(0)
    read, write = os.pipe()
    os.dup2(read, 0)
    os.close(read)
    yield write
    os.dup2(kept, 0)
    os.close(kept)


def chunks(path: Path) -> int:
    return sum(isinstance(record, Chunk) for record in read_recording(path))


def test_it_grows_while_the_pipe_is_open_and_ends_with_the_body(stdin: int, tmp_path: Path) -> None:
    path = tmp_path / "stdin.sse.jsonl"
    os.write(stdin, b"data: 1\n\n")
    with spooled(path):
        pid = child_running(SPOOLING)
        assert path.exists()
        os.write(stdin, b"data: 2\n\n")
        while chunks(path) < 2:
            assert alive(pid)
    assert not alive(pid)
    os.close(stdin)


def test_what_is_not_a_stream_is_an_error_of_ours(stdin: int, tmp_path: Path) -> None:
    os.write(stdin, b"\x89PNG\r\n\x1a\n" + bytes(5000))
    os.close(stdin)
    path = tmp_path / "stdin.sse.jsonl"
    with pytest.raises(RecordingError) as caught, spooled(path):
        raise AssertionError("it began")
    assert caught.value.code
    assert not path.exists()
    assert not children()


def test_a_process_that_dies_before_it_began_is_an_error(stdin: int, tmp_path: Path) -> None:
    pids: list[int] = []

    def kill() -> None:
        while not pids:
            pids.extend(children())
        os.kill(pids[0], 9)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(RecordingError, match="ended by SIGKILL"), spooled(tmp_path / "stdin.sse.jsonl"):
        raise AssertionError("it began")
    killer.join()
    os.close(stdin)


PARENT = """
import sys, time
from pathlib import Path
from sse_tui.cli.spooling import spooled
from tests.children import child_running

with spooled(Path(sys.argv[1])):
    print(child_running("sse_tui.cli.spooling"), flush=True)
    time.sleep(60)
"""


def test_it_does_not_outlive_a_killed_parent_though_the_pipe_is_still_open(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path / "r.sse.jsonl")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdin.write(b"data: 1\n\n")
        parent.stdin.flush()
        pid = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        assert wait_until_gone(pid)

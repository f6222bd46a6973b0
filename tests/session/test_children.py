"""Child processes: started whatever state their log is in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sse_tui.session import children

SAYS = ["-c", "import sys; print('said', file=sys.stderr); sys.stdin.read()"]


async def test_errors_go_to_the_log(tmp_path: Path) -> None:
    log = tmp_path / "child.log"
    assert await children.end(await children.start(SAYS, log=log)) == 0
    assert log.read_text() == "said\n"


@pytest.mark.parametrize("log", [Path("/dev/null/child.log"), Path("/")])
async def test_a_log_that_cannot_be_written_keeps_no_child_from_starting(log: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0
    assert await children.end(await children.start(SAYS, log=log)) == 0
    if before:
        assert len(os.listdir("/proc/self/fd")) <= before

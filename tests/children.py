"""What tests need to know of processes, from the kernel's own account of them (Linux: /proc)."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie that nobody has waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_until_gone(pid: int, limit_s: float = 10.0) -> bool:
    """Wait for the end of a process; False when it still runs after `limit_s`."""
    end = time.monotonic() + limit_s
    while alive(pid):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def children(parent: int | None = None) -> set[int]:
    """The processes that `parent`, by default this one, has started and that still run."""
    found: set[int] = set()
    for task in Path(f"/proc/{parent or os.getpid()}/task").iterdir():
        # A thread may end while they are listed; its children pass to another one.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found.update(int(pid) for pid in (task / "children").read_text().split())
    return {pid for pid in found if alive(pid)}


def child_running(argument: str, parent: int | None = None) -> int:
    """The one child of `parent` that has `argument` on its command line: the module that it runs, say."""
    pids = [
        pid
        for pid in children(parent)
        if argument in Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    ]
    (pid,) = pids
    return pid

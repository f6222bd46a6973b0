"""How many threads to decode with on this machine."""

from __future__ import annotations

import os
from pathlib import Path


def decode_threads() -> int:
    """The physical cores that this process may use, less one, at least 1.

    llama.cpp's threads wait for each other by spinning: with a thread on every core, one other busy process cuts
    the speed of decoding to less than a third. Two threads on one physical core gain nothing.
    """
    return max(1, _physical_cores(_usable()) - 1)


def _usable() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        usable: set[int] = os.sched_getaffinity(0)
    else:
        usable = set(range(os.cpu_count() or 1))
    limit = _quota(Path("/sys/fs/cgroup/cpu.max"))
    return usable if limit is None else set(sorted(usable)[:limit])


def _quota(path: Path) -> int | None:
    """The number of whole cores that a container's CPU limit allows, None without a limit."""
    try:
        quota, period = path.read_text().split()
        return max(1, int(quota) // int(period))
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _physical_cores(cpus: set[int]) -> int:
    cores = set()
    for cpu in cpus:
        path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        try:
            cores.add(path.read_text().strip())
        except OSError:
            cores.add(str(cpu))
    return len(cores)

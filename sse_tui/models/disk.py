"""Writing large files: free disk space, one writer at a time, and checksums."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from sse_tui.errors import ModelError
from sse_tui.models.progress import ProgressReporter

BLOCK = 2**20
# Disk space to leave free.
_RESERVE = 16 * 2**20
_POLL_S = 0.1


def require_space(folder: Path, size: int) -> None:
    """Raise `ModelError` "disk-full" if `size` more bytes do not fit."""
    free = shutil.disk_usage(folder).free
    if size + _RESERVE > free:
        raise _full(folder, f"{size / 1e6:,.0f} MB are needed and {free / 1e6:,.0f} MB are free")


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn errors while writing to `path` into `ModelError`."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _full(path.parent, "it ran out of space while writing") from error
        raise ModelError("model-write", f"Cannot write {path}: {error.strerror or error}.") from error


@contextlib.contextmanager
def only_one(path: Path, report: ProgressReporter) -> Iterator[None]:
    """Hold the lock file `path`, waiting while another process holds it. A lock ends with its process."""
    with disk_errors(path):
        file = path.open("a")
    with file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                report("wait")
                time.sleep(_POLL_S)
        yield


def sha256_of(path: Path, report: ProgressReporter, stage: str = "check") -> str:
    """The SHA-256 of a file, in hex."""
    digest = hashlib.sha256()
    total, done = path.stat().st_size, 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
            done += len(block)
            report(stage, done, total)
    return digest.hexdigest()


def _full(folder: Path, why: str) -> ModelError:
    return ModelError(
        "disk-full",
        f"Not enough disk space in {folder}: {why}.",
        "Free some space, or set SSE_TUI_MODEL_DIR to a directory on another disk.",
    )

"""The folder where live sessions are recorded: names, which are still running, which are kept, which are deleted.

A recording that the user wants to keep is marked in its name (`*.kept.sse.jsonl`), so that the mark is visible and
survives a copy. A recording that is still being written is locked by its writer; the system releases the lock when
the writer dies, whatever the cause. The hashes of its secrets (`secret_hashes`) are renamed and deleted with it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
from datetime import UTC, datetime
from pathlib import Path

from sse_tui.errors import RecordingError
from sse_tui.recording.secret_hashes import beside

SUFFIX = ".sse.jsonl"
KEPT_SUFFIX = ".kept.sse.jsonl"
LONGEST_NAME = 40

# Only names made by `new_path` are ever deleted: the folder may contain the user's own files.
_OURS = re.compile(r"(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)-.+\.sse\.jsonl")


def new_path(directory: str | Path, created: str, name: str) -> Path:
    """An unused path in `directory`, such as `2026-11-30T12-45-02Z-chat.sse.jsonl`.

    `created` is in RFC 3339 format (ValueError if not); the name has it in UTC, so that names sort by age.
    """
    moment = datetime.fromisoformat(created)
    moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    words = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:LONGEST_NAME].strip("-") or "session"
    stem = f"{moment:%Y-%m-%dT%H-%M-%SZ}-{words}"
    directory = Path(directory)
    candidate, number = stem, 1
    while any(os.path.lexists(directory / f"{candidate}{suffix}") for suffix in (SUFFIX, KEPT_SUFFIX)):
        number += 1
        candidate = f"{stem}-{number}"
    return directory / f"{candidate}{SUFFIX}"


def is_kept(path: str | Path) -> bool:
    """Whether the recording at `path` is marked as kept."""
    return Path(path).name.endswith(KEPT_SUFFIX)


def mark_kept(path: str | Path) -> Path:
    """Mark a recording, running or not, as kept. Returns its new path. Raises RecordingError."""
    path = Path(path)
    if is_kept(path):
        return path
    kept = path.with_name(path.name.removesuffix(SUFFIX) + KEPT_SUFFIX)
    try:
        if os.path.lexists(kept):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        path.rename(kept)
        if (hashes := beside(path)).exists():
            hashes.rename(beside(kept))
    except OSError as error:
        message = f"Cannot rename {path} to {kept.name}: {error.strerror}."
        raise RecordingError("recording-rename", message) from error
    return kept


def is_running(path: str | Path) -> bool:
    """Whether a writer still has the recording open; True also if that cannot be determined."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(fd)


def recordings(directory: str | Path) -> list[Path]:
    """The recordings of live sessions in a folder, kept ones included, oldest first."""
    try:
        with os.scandir(directory) as entries:
            found = [
                (match[1], entry.stat(follow_symlinks=False).st_mtime_ns, entry.path)
                for entry in entries
                if (match := _OURS.fullmatch(entry.name)) and entry.is_file(follow_symlinks=False)
            ]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RecordingError(
            "recording-folder",
            f"The folder of recordings {directory} cannot be read: {error.strerror}.",
            "Record elsewhere with --record FILE or dir in the [recording] table, or not at all with --no-record.",
        ) from error
    return [Path(path) for _, _, path in sorted(found)]


def prune(directory: str | Path, keep: int = 50) -> list[Path]:
    """Delete the oldest recordings until at most `keep` are left, not counting kept ones. Returns those deleted.

    A recording that is still being written is never deleted; one that cannot be deleted is skipped silently.
    """
    unmarked = [path for path in recordings(directory) if not is_kept(path)]
    deleted: list[Path] = []
    for path in unmarked[: max(len(unmarked) - max(keep, 0), 0)]:
        if is_running(path):
            continue
        try:
            path.unlink()
            beside(path).unlink(missing_ok=True)
        except OSError:
            continue
        deleted.append(path)
    return deleted

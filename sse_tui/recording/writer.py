"""Writes a recording: append-only, one system call per record, readable even if killed at any moment."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from sse_tui.errors import RecordingError
from sse_tui.recording.open_file import OpenFile
from sse_tui.recording.record_lines import encode_line
from sse_tui.recording.records import End, Header, Note, Record
from sse_tui.recording.redact import Redactor

_HINTS = {
    errno.ENOSPC: "Free some disk space. What has been recorded so far is readable.",
    errno.EDQUOT: "The disk quota is used up. What has been recorded so far is readable.",
    errno.EFBIG: "The file has reached the maximum size allowed here.",
    errno.EACCES: "Choose a directory that you can write to.",
    errno.EPERM: "Choose a directory that you can write to.",
    errno.EROFS: "The file system is read-only: choose another directory.",
    errno.EISDIR: "Give a file, not a directory.",
    errno.EEXIST: "A recording is never overwritten: choose another name.",
    errno.ENOTDIR: "A part of the path is a file.",
}


_BLOCK = 1 << 16


class Writer(OpenFile):
    """A new recording at `path`, with `header` as its first line; every record passes through `redactor`.

    The file is created readable only by its owner, and never overwritten. With `append` an existing file is continued
    after its last complete line, and `header` is not written. Each `write` is one unbuffered write to a file opened
    for appending: if the process is killed, the last line is complete or cut off, and nothing else is affected.
    While the writer is open it holds an advisory lock (flock), which tells `session_folder.prune` that the session is
    still running. A record that would make the file longer than `limit` bytes is an error, except the end record. Data
    is synced to disk at bookmarks, at the end of the session and on `close`. Not thread-safe.
    """

    def __init__(
        self,
        path: str | Path,
        header: Header,
        redactor: Redactor,
        *,
        append: bool = False,
        limit: int | None = None,
    ) -> None:
        super().__init__(path)
        self._redactor = redactor
        self._limit = limit
        self._size = 0
        try:
            try:
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            except FileExistsError:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None
            if self.path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            flags = os.O_RDWR if append else os.O_WRONLY | os.O_CREAT | os.O_EXCL
            self._fd = os.open(self.path, flags | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise self._failure("create", error) from error
        try:
            # May wait microseconds for `session_folder.is_running`, which takes the same lock to look at a new file.
            fcntl.flock(self._fd, fcntl.LOCK_EX)
        except OSError:
            pass  # no locks on this file system: recording matters more
        if append:
            self._size = _whole_lines(self._fd)
            self._cut_back()
            return
        names = [name for name in redactor.names if name not in header.redacted]
        try:
            self._append(encode_line(msgspec.structs.replace(header, redacted=[*header.redacted, *names])))
        except RecordingError:
            super().close()
            self.path.unlink(missing_ok=True)
            raise

    @property
    def size(self) -> int:
        """The file's size in bytes."""
        return self._size

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._fd < 0

    def write(self, record: Record) -> Record:
        """Append one record. Returns it as it was written, with secrets redacted.

        Raises RecordingError if that fails; the file is then unchanged.
        """
        return self.write_many([record])[0]

    def write_many(self, records: Iterable[Record]) -> list[Record]:
        """Append several records with one write; if that fails, none. Otherwise as `write`."""
        redacted = [self._redactor.record(record) for record in records]
        if redacted:
            data = b"".join(map(encode_line, redacted))
            if (
                self._limit is not None
                and self._size + len(data) > self._limit
                and not isinstance(redacted[-1], End)
            ):
                raise RecordingError(
                    "recording-full",
                    f"The recording {self.path} has reached its limit of {self._limit:,} bytes.",
                    "Raise max_bytes in the [recording] table. What has been recorded so far is readable.",
                )
            self._append(data)
            if any(isinstance(record, Note | End) for record in redacted):
                self._sync()
        return redacted

    def close(self) -> None:
        """Sync the file to disk and close it. Idempotent."""
        try:
            if self._fd >= 0:
                self._sync()
        finally:
            super().close()

    def _append(self, data: bytes) -> None:
        if self._fd < 0:
            raise RecordingError("recording-closed", f"The recording {self.path} is closed.")
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except OSError as error:
            self._cut_back()
            raise self._failure("write to", error) from error
        self._size += len(data)

    def _cut_back(self) -> None:
        """Remove an incomplete line: whatever was written after it, once there is space, would be lost with it."""
        try:
            os.ftruncate(self._fd, self._size)
        except OSError:
            pass  # readers can handle a damaged line

    def _sync(self) -> None:
        try:
            os.fsync(self._fd)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EROFS, errno.ENOTSUP):
                raise self._failure("save", error) from error

    def _failure(self, verb: str, error: OSError) -> RecordingError:
        return RecordingError(
            "recording-exists" if error.errno == errno.EEXIST else "recording-write",
            f"Cannot {verb} the recording {self.path}: {error.strerror}.",
            _HINTS.get(error.errno or 0, ""),
        )


def _whole_lines(fd: int) -> int:
    """Where the last complete line of a file ends."""
    end = os.fstat(fd).st_size
    while end:
        start = max(0, end - _BLOCK)
        found = os.pread(fd, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0

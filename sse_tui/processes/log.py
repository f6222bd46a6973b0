"""What a child process wrote to standard error: its last lines in memory, more of it in a file."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import BinaryIO

# In bytes. One process writes at most this much to the file, and replaces a file that has grown to it.
FILE_LIMIT = 2**20
_KEPT_LINES = 40
_LINE_BYTES = 4096
_LAST_LINES = 3


class Log:
    """The log of one child. `path` None keeps no file, nor does a path that cannot be written."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._room = FILE_LIMIT
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._rest = b""

    def write(self, data: bytes) -> None:
        """Add what the child wrote."""
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[-_LINE_BYTES:]
        self._lines.extend(text for one in lines if (text := _text(one)))
        self._write_file(data)

    def close(self) -> None:
        """The child is gone: an unfinished line is its last one."""
        if text := _text(self._rest):
            self._lines.append(text)
        self._rest = b""
        self._stop_file()

    def last_words(self) -> str:
        """The few lines that show why the process died: the interpreter's note of a crash and the lines before it, but
        not the stack trace after it; without such a note the last lines."""
        lines = list(self._lines)
        for number, one in enumerate(lines):
            if one.startswith("Fatal Python error"):
                return " | ".join(lines[max(0, number - 2) : number + 1])
        return " | ".join(lines[-_LAST_LINES:])

    def _write_file(self, data: bytes) -> None:
        if self._path is None:
            return
        try:
            if self._file is None:
                self._file = self._open(self._path)
            self._file.write(data[: self._room])
            self._file.flush()
        except OSError:
            # The child matters more than its log: the disk may be full, the folder gone.
            self._stop_file()
        self._room -= len(data)
        if self._room <= 0:
            self._stop_file()

    def _stop_file(self) -> None:
        self._path = None
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self, path: Path) -> BinaryIO:
        full = path.exists() and path.stat().st_size >= FILE_LIMIT
        file = path.open("wb" if full else "ab")
        path.chmod(0o600)
        return file


def _text(data: bytes) -> str:
    return data[-_LINE_BYTES:].decode("utf-8", "replace").strip()

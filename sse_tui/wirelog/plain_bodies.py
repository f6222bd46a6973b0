"""Bodies under a content coding, decoded once and kept beside the recording, so that a row's bytes can be read again.

The offsets of items are those of the decoded body, which cannot be found in the coded bytes. The decoded bytes go to a
nameless temporary file per connection; small ones stay in memory.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import SpooledTemporaryFile

from sse_tui.errors import RecordingError
from sse_tui.recording import BodyIndex, BodyReader
from sse_tui.recording.records import Chunk

IN_MEMORY = 4 * 2**20


class PlainBodies:
    """Takes chunks in order; nothing is kept of connections without a coding."""

    def __init__(self) -> None:
        self._files: dict[int, SpooledTemporaryFile[bytes]] = {}
        self._full = False

    def add(self, record: Chunk, decoded: bytes | None) -> int | None:
        """Keep what a chunk decodes to, None for no coding; gives its size, None where the chunk's own counts."""
        file = self._files.get(record.conn)
        if decoded is None:
            if file is None:
                return None
            decoded = record.data
        if file is None:
            # Closed with the bodies: it lives as long as the session.
            file = self._files[record.conn] = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
        if not self._full:
            try:
                file.write(decoded)
            except OSError:
                self._full = True
        return len(decoded)

    def __contains__(self, conn: int) -> bool:
        return conn in self._files

    def body(self, conn: int, start: int, end: int) -> bytes:
        """Bytes of a decoded body. Raises `RecordingError` when the disk was too full to keep them."""
        file = self._files[conn]
        try:
            file.seek(start)
            data = file.read(end - start)
            file.seek(0, 2)
        except OSError:
            data = b""
        if len(data) < end - start:
            raise RecordingError(
                "decoded-gone",
                "The disk was too full to keep the decoded body.",
                "Free some space and open the recording again.",
            )
        return data

    def close(self) -> None:
        """Delete the temporary files."""
        for file in self._files.values():
            file.close()


class PlainReader(BodyReader):
    """A `BodyReader` that gives decoded bytes where the connection's body was coded."""

    def __init__(self, path: str | Path, index: BodyIndex, plain: PlainBodies) -> None:
        super().__init__(path, index)
        self._plain = plain

    def body(self, conn: int, start: int, end: int) -> bytes:
        """The bytes from `start` to `end`, content coding removed. Raises `RecordingError`."""
        return self._plain.body(conn, start, end) if conn in self._plain else super().body(conn, start, end)

    def close(self) -> None:
        """Close the file and drop what was decoded."""
        super().close()
        self._plain.close()

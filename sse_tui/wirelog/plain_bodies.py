"""Bodies under a content coding, decoded once and kept beside the recording, so that a row's bytes can be read again.

The offsets of items are those of the decoded body, and a place in it cannot be found in the coded bytes. What is
decoded goes to a nameless temporary file per connection; small ones stay in memory.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import SpooledTemporaryFile

from sse_tui.errors import RecordingError
from sse_tui.recording import BodyIndex, BodyReader
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.records import Chunk, Response

IN_MEMORY = 4 * 2**20


class PlainBodies:
    """Takes responses and chunks in order; connections without a coding cost nothing here."""

    def __init__(self) -> None:
        self._decoders: dict[int, ContentDecoder] = {}
        self._files: dict[int, SpooledTemporaryFile[bytes]] = {}
        self._full = False

    def respond(self, record: Response) -> None:
        """A response: its headers tell the coding."""
        decoder = ContentDecoder(record.headers)
        if not decoder.identity:
            self._decoders[record.conn] = decoder
            # Closed with the bodies: it lives as long as the session.
            self._files[record.conn] = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115

    def add(self, record: Chunk) -> int | None:
        """A chunk: the decoded bytes that it completes, counted; None where no coding is to be taken off."""
        decoder = self._decoders.get(record.conn)
        if decoder is None:
            return None
        data = decoder.decode(record.data)
        if not self._full:
            try:
                self._files[record.conn].write(data)
            except OSError:
                self._full = True
        return len(data)

    def __contains__(self, conn: int) -> bool:
        return conn in self._decoders

    def body(self, conn: int, start: int, end: int) -> bytes:
        """Bytes of a decoded body. Raises `RecordingError` when there was no room to keep it."""
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
                "There was no room on the disk to keep the decoded body.",
                "Free some, and open it again.",
            )
        return data

    def close(self) -> None:
        """The temporary files go."""
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

"""The frames of an HTTP/2 connection, given to httpcore one at a time (RFC 9113, section 4.1).

h2 drops everything else that the same read brought when a frame is broken, and httpcore ends a stream at any GOAWAY,
although one without an error lets the running streams finish (section 6.8).
"""

from __future__ import annotations

import httpcore

_HEAD = 9
_MOST = 2**14  # what a frame may have, since httpcore never allows more (SETTINGS_MAX_FRAME_SIZE)
_GOAWAY = 7
_NO_ERROR = 0
_STREAM_ID = 0x7FFFFFFF  # the highest bit is reserved


class FrameSplitter:
    """Feed it what was read and take frame after frame. `retired`: a GOAWAY without an error was left out."""

    def __init__(self) -> None:
        self._data = bytearray()
        self.retired = False

    def feed(self, data: bytes) -> None:
        """The next bytes of the connection."""
        self._data += data

    def take(self) -> bytes:
        """The next whole frame; b"" until there is one. Raises RemoteProtocolError for one that is too long."""
        data = self._data
        while len(data) >= _HEAD:
            size = int.from_bytes(data[:3], "big")
            if size > _MOST:  # h2 would wait for all of it
                raise httpcore.RemoteProtocolError(
                    f"the server broke HTTP/2: a frame has {size:,} bytes, and {_MOST:,} are allowed"
                )
            end = _HEAD + size
            if end > len(data):
                break
            frame = bytes(data[:end])
            del data[:end]
            if not self._is_graceful_goaway(frame):
                return frame
            self.retired = True
        return b""

    def _is_graceful_goaway(self, frame: bytes) -> bool:
        last_stream = int.from_bytes(frame[9:13], "big") & _STREAM_ID
        return (
            frame[3] == _GOAWAY
            and len(frame) >= _HEAD + 8
            and not any(frame[5:9])
            and last_stream > 0  # it covers our stream, the connection's only one
            and int.from_bytes(frame[13:17], "big") == _NO_ERROR
        )

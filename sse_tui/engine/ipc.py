"""Messages between the engine and its worker process: length-prefixed msgpack over two pipes.

A frame is four bytes of length, big-endian, and that many bytes of msgpack. The worker sends one `Steps`
message a decode step, with what every running generation gained in it; so the cost of a step does not grow
with the number of generations. A generation is named on the wire by a small number, its `key`.
"""

from __future__ import annotations

import msgspec

from sse_tui.engine.interface import EngineInfo, Final, GenRequest

# No frame comes near it; more means that the two sides have lost each other.
FRAME_LIMIT = 64 * 2**20


class Load(msgspec.Struct, tag="load", kw_only=True, frozen=True):
    """The first message to a worker: what to load and how. `n_ctx` is per sequence, 0 = what it was trained
    with; `n_batch` and `prefill_chunk` in tokens, 0 = the worker's choice; `check_memory`: refuse what the
    main memory cannot hold."""

    model_path: str
    name: str
    n_gpu_layers: int
    n_ctx: int
    n_seq: int
    n_threads: int
    n_batch: int
    prefill_chunk: int
    check_memory: bool


class Submit(msgspec.Struct, tag="submit", frozen=True):
    """Queue a generation."""

    key: int
    request: GenRequest


class Cancel(msgspec.Struct, tag="cancel", frozen=True):
    """End a generation; a key that is no longer known is ignored."""

    key: int


class Ready(msgspec.Struct, tag="ready", frozen=True):
    """The model is loaded and warm."""

    info: EngineInfo


class Failed(msgspec.Struct, tag="failed", frozen=True):
    """The model could not be loaded; the worker ends after it. `kind`: "model" or "engine"."""

    kind: str
    code: str
    message: str
    hint: str = ""


class Steps(msgspec.Struct, tag="steps", array_like=True):
    """What one step gave: pieces (key, index, token, text), progress (key, done, total), finals (key,
    final)."""

    pieces: list[tuple[int, int, int, str]] = []
    progress: list[tuple[int, int, int]] = []
    finals: list[tuple[int, Final]] = []

    def __bool__(self) -> bool:
        return bool(self.pieces or self.progress or self.finals)


Command = Load | Submit | Cancel
# `Steps` is an array and the others are maps; a union of the two kinds of tagged struct is allowed only one
# each way.
Report = Ready | Failed

_encoder = msgspec.msgpack.Encoder()
_commands: msgspec.msgpack.Decoder[Command] = msgspec.msgpack.Decoder(Command)
_reports: msgspec.msgpack.Decoder[Report] = msgspec.msgpack.Decoder(Report)
_steps: msgspec.msgpack.Decoder[Steps] = msgspec.msgpack.Decoder(Steps)


def frame(message: Command | Report | Steps) -> bytes:
    """The bytes of one message, length first."""
    body = _encoder.encode(message)
    return len(body).to_bytes(4, "big") + body


def command(body: bytes) -> Command:
    """A message to the worker."""
    return _commands.decode(body)


def report(body: bytes) -> Report | Steps:
    """A message from the worker. The first byte of msgpack tells an array (a step) from a map."""
    if body[0] & 0xF0 == 0x90:
        return _steps.decode(body)
    return _reports.decode(body)


class Frames:
    """Cuts a byte stream into frame bodies. Feed it what was read; take the bodies that are whole."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        buffer = self._buffer
        buffer += data
        bodies = []
        start = 0
        while len(buffer) - start >= 4:
            length = int.from_bytes(buffer[start : start + 4], "big")
            if length > FRAME_LIMIT:
                raise ValueError(f"frame of {length} bytes")
            end = start + 4 + length
            if len(buffer) < end:
                break
            bodies.append(bytes(buffer[start + 4 : end]))
            start = end
        if start:
            del buffer[:start]
        return bodies

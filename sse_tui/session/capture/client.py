"""The TUI's end of the capture process: start it, command it, hear how far its file has grown."""

from __future__ import annotations

import asyncio
import time
from asyncio.subprocess import Process
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sse_tui.config import Config, state_dir
from sse_tui.errors import RecordingError, SseTuiError, StreamError
from sse_tui.recording import new_path, prune
from sse_tui.session import children
from sse_tui.session.capture import protocol
from sse_tui.session.requests import TurnSpec
from sse_tui.session.spec import SessionSpec

START_S = 20.0


def recordings_dir(config: Config) -> Path:
    """Where live sessions are recorded."""
    return Path(config.recording.dir).expanduser() if config.recording.dir else state_dir() / "recordings"


def recording_path(spec: SessionSpec) -> Path:
    """A new file for the session; older unkept recordings beyond the configured number are removed.

    Raises `RecordingError` where the folder of recordings cannot be made.
    """
    if spec.record_to is not None:
        return spec.record_to
    folder = recordings_dir(spec.config)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise RecordingError(
            "cannot-create",
            f"The folder of recordings {folder} cannot be made: {error.strerror}.",
            "Record elsewhere with --record FILE or dir in the [recording] table, or do without: --no-record.",
        ) from error
    prune(folder, keep=spec.config.recording.keep - 1)
    return new_path(folder, datetime.now(UTC).isoformat(), spec.mode)


class CaptureClient:
    """One capture process. `changed` is called in the loop on every report; `error` is the last turn's."""

    def __init__(self, spec: SessionSpec, changed: Callable[[], None]) -> None:
        self._spec = spec
        self._changed = changed
        self._process: Process | None = None
        self._listener: asyncio.Task[None] | None = None
        self._opened: asyncio.Future[protocol.Opened] | None = None
        self._closing = False
        self.path: Path | None = None
        self.size = 0
        self.busy = False
        self.outcome = ""
        self.error: SseTuiError | None = None

    async def start(self) -> Path:
        """Start the process and its recording; gives the file's path."""
        return await self._launch(recording_path(self._spec))

    async def restart(self, conns: int, broken: tuple[int, int] | None) -> Path:
        """Start another process for the recording after the first one died.

        `conns` counts the connections so far, `broken` is the turn and number of the one that was open.
        """
        await self.close()
        self._closing, self.error = False, None
        if self.path is None:
            return await self.start()
        return await self._launch(self.path, self._origin_ns, conns, broken)

    async def _launch(
        self, path: Path, origin_ns: int | None = None, conns: int = 0, broken: tuple[int, int] | None = None
    ) -> Path:
        self._opened = asyncio.get_running_loop().create_future()
        self._process = await children.start(
            ["-m", "sse_tui.session.capture.process"], log=state_dir() / "capture.log"
        )
        self._listener = asyncio.ensure_future(self._listen(self._process))
        redaction = self._spec.config.recording
        await self._send(
            protocol.Open(
                str(path),
                redaction.redact_headers,
                redaction.redact_patterns,
                list(self._spec.secrets),
                origin_ns,
                conns,
                broken,
            )
        )
        opened = await asyncio.wait_for(asyncio.shield(self._opened), START_S)
        self._origin_ns = opened.origin_ns
        self.path = path
        return path

    @property
    def gone(self) -> bool:
        """True when the process ended and nobody had asked it to."""
        return self._process is not None and self._process.returncode is not None and not self._closing

    def now(self) -> int:
        """The session clock, ns: the children of one machine share its monotonic clock."""
        return time.monotonic_ns() - self._origin_ns

    async def turn(self, number: int, turn: TurnSpec, *, plan: str = "") -> None:
        """Run a turn, `plan` armed from its start."""
        self.error, self.outcome = None, ""
        await self._send(protocol.Run(number, replace(turn, plan=plan or turn.plan)))
        self.busy = True
        self._changed()

    async def stop(self) -> None:
        """Stop the running turn."""
        await self._send(protocol.Stop())

    async def arm(self, plan: str) -> None:
        """Hand a fault plan to the running turn."""
        await self._send(protocol.Arm(plan))

    async def note(self, text: str) -> None:
        """Write a bookmark."""
        await self._send(protocol.Bookmark(text))

    async def close(self) -> None:
        """End the recording and the process. Idempotent."""
        self._closing = True
        if self._process is not None:
            await children.end(self._process)
        if self._listener is not None:
            await self._listener

    async def _send(self, command: protocol.Command) -> None:
        if self._process is None or self._process.stdin is None or self._process.returncode is not None:
            raise self._gone()
        self._process.stdin.write(protocol.encode(command) + b"\n")
        try:
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise self._gone() from None

    def _gone(self) -> SseTuiError:
        return StreamError(
            "capture-gone",
            "The capture process is not running any more; what it recorded is whole.",
            "F8 starts it again, and the recording goes on.",
        )

    async def _listen(self, process: Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            self._hear(protocol.decode_report(line))
            self._changed()
        await process.wait()
        if not self._closing:
            self.busy, self.error = False, self._gone()
            if self._opened is not None and not self._opened.done():
                self._opened.set_exception(self.error)
            self._changed()

    def _hear(self, report: protocol.Report) -> None:
        if isinstance(report, protocol.Grown):
            self.size = report.size
        elif isinstance(report, protocol.Opened):
            assert self._opened is not None
            self._opened.set_result(report)
        elif isinstance(report, protocol.Done):
            self.busy, self.outcome = False, report.outcome
            self.error = protocol.unpack_error(report.error) if report.error is not None else None
        elif isinstance(report, protocol.Failed):
            self.error = protocol.unpack_error(report.error)
            if self._opened is not None and not self._opened.done():
                self._opened.set_exception(self.error)

"""From a turn to its records: driver, redaction, recording file.

The capture process and the headless commands both record with this. Masking belongs to what is written: what comes out
is what the server sent, byte for byte, whatever of it the file has as asterisks. The rest is as it was written: the
requests, which hold the user's keys, and the words for people, which may quote them.
"""

from __future__ import annotations

import errno
import itertools
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from pathlib import Path

from sse_tui import dialects
from sse_tui.config import hash_key
from sse_tui.errors import RecordingError, SseTuiError
from sse_tui.faults import Plan, parse_plan
from sse_tui.recording import Redactor, Writer
from sse_tui.recording.records import Chunk, Close, CloseReason, End, Header, Note, Record, Request, Response
from sse_tui.recording.secret_hashes import HashWriter
from sse_tui.session.requests import TurnSpec
from sse_tui.transport import Driver, SessionClock
from sse_tui.version import __version__

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Recorder:
    """Runs turns and records them. `path` None records nowhere. Not reentrant: one turn at a time.

    The file does not grow beyond `max_bytes`. Where the recording is `optional`, a full disk or that limit ends only
    the recording, `failure` says so, and the turn goes on.

    With `append` the recording at `path`, which has `conns` connections so far, is continued.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        redactor: Redactor,
        secrets: Sequence[str] = (),
        clock: SessionClock | None = None,
        append: bool = False,
        conns: int = 0,
        max_bytes: int | None = None,
        optional: bool = False,
    ):
        self.clock = clock or SessionClock()
        self.redactor = redactor
        redactor.learn_named(secrets)
        self.header = Header(
            tool=f"sse-tui/{__version__} python/{sys.version.split()[0]} {sys.platform}",
            created=datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
            clock=self.clock.source,
            redacted=list(self.redactor.names),
        )
        self._hashes: HashWriter | None = None
        self._driver: Driver | None = None
        self._conns = itertools.count(conns + 1)
        self._turn = 0
        self.failure: RecordingError | None = None
        self._optional = optional
        self._writer: Writer | None = None
        if path is not None:
            try:
                self._writer = Writer(
                    path, self.header, redactor=self.redactor, append=append, limit=max_bytes
                )
            except RecordingError as error:
                self._go_on_without(error)
        self.error: SseTuiError | None = None
        self.stop_reason = ""

    async def run(self, number: int, turn: TurnSpec) -> AsyncGenerator[Record, None]:
        """Run one turn; gives every record after it was written, what the server sent unmasked.

        Afterwards `error` says what went wrong, `stop_reason` why there was no further attempt.
        """
        plan = parse_plan(turn.plan) if turn.plan else None
        self._turn, self.error = number, None
        driver = Driver(
            turn.request,
            dialect=dialects.create(turn.dialect),
            policy=turn.policy,
            timeouts=turn.timeouts,
            clock=self.clock,
            turn=number,
            next_conn=self._conns.__next__,
            plan=plan,
            verify=turn.verify,
            http2=turn.http2,
            max_event_bytes=turn.max_event_bytes,
            stop_at_end=turn.stop_at_end,
        )
        self._driver = driver
        try:
            async with aclosing(driver.records()) as records:
                async for record in records:
                    written = self._write(record)
                    yield record if isinstance(record, Response | Chunk) else written
        finally:
            self._driver = None
            self.error, self.stop_reason = driver.error, driver.stop_reason
            if self.error is not None:
                self.error.hint = turn.hints.get(self.error.code, self.error.hint)

    def stop(self) -> None:
        """Stop the running turn; a no-op when none runs."""
        if self._driver is not None:
            self._driver.stop()

    def arm(self, plan: Plan) -> bool:
        """Hand a fault plan to the running turn; False when none runs."""
        if self._driver is None:
            return False
        self._driver.arm(plan)
        return True

    def broken_off(self, turn: int, conn: int) -> Record:
        """Write the close of a connection whose process died."""
        return self._write(
            Close(
                t=self.clock.now(),
                turn=turn,
                conn=conn,
                reason=CloseReason.ERROR,
                detail="the capture process ended",
                code="capture-gone",
            )
        )

    def note(self, text: str) -> Record:
        """Write a bookmark."""
        return self._write(Note(t=self.clock.now(), turn=self._turn, text=text))

    def close(self, reason: str) -> None:
        """Write the end record and close the file. Idempotent."""
        if self._writer is not None:
            self._write(End(t=self.clock.now(), turn=self._turn, reason=reason))
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        if self._hashes is not None:
            self._hashes.close()
            self._hashes = None

    def _write(self, record: Record) -> Record:
        if self._writer is not None:
            try:
                written = self._writer.write(record)
                if isinstance(record, Request):
                    self._remember_secrets(self._writer.path)
                return written
            except RecordingError as error:
                self._go_on_without(error)
        # What the server sent is not masked where nothing is written.
        return record if isinstance(record, Chunk) else self.redactor.record(record)

    def _go_on_without(self, error: RecordingError) -> None:
        """Give up the recording and keep the turn; raises `error` where the turn is nothing without it."""
        cause = error.__cause__
        full = error.code == "recording-full" or (isinstance(cause, OSError) and cause.errno in _FULL)
        if not (self._optional and full):
            raise error
        hint = f"{error.hint} The stream itself went on. With --no-record nothing is recorded.".lstrip()
        self.failure = RecordingError(error.code, error.message, hint)
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(RecordingError):
                writer.write(End(t=self.clock.now(), turn=self._turn, reason=error.code))
            with suppress(RecordingError):
                writer.close()

    def _remember_secrets(self, path: Path) -> None:
        """Hash what this session uses as secrets, so that `bundle` can search for them later."""
        if self._hashes is None and self.redactor.secrets and (key := hash_key()) is not None:
            self._hashes = HashWriter(path, key)
        if self._hashes is not None:
            self._hashes.add(self.redactor.secrets)

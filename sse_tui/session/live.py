"""The session behind the TUI, without a screen: what it shows, and what its keys do.

It begins in one of three ways: `chat` with a profile, `inspect` any URL, `open` a file. All of them lead to a recording
on disk, which is followed, record by record, into one `Analysis` and one `RowTable`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.entry import Entry
from sse_tui.analysis.outcome import Outcome
from sse_tui.dialects.base import Message
from sse_tui.errors import RecordingError, SseTuiError, UsageError
from sse_tui.recording import BodyIndex, Follower, is_running, mark_kept
from sse_tui.recording.records import Chunk, Record
from sse_tui.server.status import EndpointStatus
from sse_tui.session.capture import protocol
from sse_tui.session.capture.client import CaptureClient
from sse_tui.session.endpoint import LocalEndpoint
from sse_tui.session.requests import TurnSpec, chat_turn, inspect_turn
from sse_tui.session.spec import SessionSpec
from sse_tui.wirelog.finding_rows import FindingRows
from sse_tui.wirelog.glimpse import GlimpsedRow, glimpse
from sse_tui.wirelog.plain_bodies import PlainBodies, PlainReader
from sse_tui.wirelog.rows import RowTable

SLICE_S = 0.012
_UNANSWERED = (Outcome.REFUSED, Outcome.FAILED, Outcome.EMPTY, Outcome.STOPPED_BY_PROVIDER)
READ_BYTES = 32 * 1024
WRITER_S = 1.0


@dataclass(frozen=True, slots=True)
class SessionStatus:
    """What the header shows beside the analysis: the state of the helper processes."""

    endpoint: EndpointStatus | None
    recording: Path | None
    busy: bool
    error: SseTuiError | None
    capture_gone: bool = False


class Live:
    """One session. Create, `await start()`, then `poll()` for entries; every method is called from one event loop.

    `wake` is called from the loop whenever there may be something new to poll or a status changed.
    """

    def __init__(self, spec: SessionSpec, wake: Callable[[], None] = lambda: None) -> None:
        self.spec = spec
        self.analysis = Analysis(
            dialect=spec.dialect,
            max_event_bytes=spec.max_event_bytes,
            rules=spec.config.rules,
            ignored=spec.config.ignored_content,
        )
        self.index = BodyIndex()
        self.rows = RowTable(self.index)
        self.found = FindingRows(self.analysis.findings, self.rows)
        self.reader: PlainReader | None = None
        self._plain = PlainBodies()
        self.unreadable = False
        self._written = (0.0, False)
        self.messages: dict[int, Message] = {}
        self.armed = spec.plan
        self._wake = wake
        self._follower: Follower | None = None
        self._reading: Iterator[list[Entry]] | None = None  # of a batch that was begun
        self._capture: CaptureClient | None = None
        self._endpoint: LocalEndpoint | None = None
        self._turn = 0
        self._glimpse: list[GlimpsedRow] = []
        self._removed: SseTuiError | None = None

    async def start(self) -> None:
        """Begin: open the file, or start the capture process and, for a local chat, the endpoint's.

        The endpoint loads its model in the background: the first paint does not wait for it.
        """
        if self.spec.path is not None:
            self._follow(self.spec.path)
            self._glimpse = glimpse(self.spec.path, dialect=self.spec.dialect)
            return
        self._capture = CaptureClient(self.spec, self._wake)
        path = await self._capture.start()
        self._follow(path)
        await self._begin_session()

    async def _begin_session(self) -> None:
        if self.spec.mode == "chat" and self.spec.profile.base_url is None:
            await self._start_endpoint()
        elif self.spec.mode == "inspect":
            self._begin(inspect_turn(self.spec))

    async def close(self) -> None:
        """End the session: the recording gets its end record, the processes are gone when this returns."""
        for part in (self._capture, self._endpoint):
            if part is not None:
                await part.close()
        if self.reader is not None:
            self.reader.close()

    def _follow(self, path: Path) -> None:
        self._follower = Follower(path)
        self.reader = PlainReader(path, self.index, self._plain)

    @property
    def status(self) -> SessionStatus:
        """The state of the processes around the session."""
        endpoint = self._endpoint.status if self._endpoint is not None else None
        gone = self._capture is not None and self._capture.gone
        return SessionStatus(endpoint, self.path, self.busy, self.error, gone)

    @property
    def path(self) -> Path | None:
        """The recording's file."""
        return self._capture.path if self._capture is not None else self.spec.path

    @property
    def error(self) -> SseTuiError | None:
        """What went wrong with the last turn or command, None when nothing did."""
        error = self._capture.error if self._capture is not None else None
        if error is None and self.path is not None and self._follower is not None and self._follower.removed:
            # Always the same one, as long as it holds: it is shown once.
            self._removed = self._removed or _removed(self.path)
            return self._removed
        return error

    @property
    def busy(self) -> bool:
        """True while a turn is running."""
        return self._capture is not None and self._capture.busy

    def now(self) -> int | None:
        """The session clock, ns; None for a session that is not running (an opened file)."""
        if self._capture is None or self._capture.path is None or self._capture.gone:
            return None
        return self._capture.now()

    def poll(self, budget_s: float = SLICE_S) -> list[Entry]:
        """New entries, for at most about `budget_s` seconds of work; call again when `behind` is true."""
        entries: list[Entry] = []
        if self._follower is None:
            return entries
        deadline = time.perf_counter() + budget_s
        placed = len(self.found)
        while True:
            if self._reading is None:
                batch = self._next_batch(self._follower)
                if not batch:
                    self._conclude()
                    break
                self._reading = self._read(batch)
            for made in self._reading:
                entries += made
                if len(self.found) != placed:
                    self.found.sync()
                    placed = len(self.found)
                if time.perf_counter() >= deadline:
                    break
            else:
                self._reading = None
            if time.perf_counter() >= deadline:
                break
        self.found.sync()
        return entries

    def _next_batch(self, follower: Follower) -> list[tuple[int, Record]]:
        try:
            batch = follower.poll(READ_BYTES)
        except SseTuiError:
            self.unreadable = True
            raise
        if follower.header is not None:
            self.analysis.adopt(follower.header)
            self.rows.timed = follower.header.clock != "none"
        return batch

    def _read(self, batch: list[tuple[int, Record]]) -> Iterator[list[Entry]]:
        """The entries of the records, and what is kept of them: one slice at a time, for a read may hold millions."""
        for offset, record in batch:
            for number, made in enumerate(self.analysis.slices(record)):
                if isinstance(record, Chunk):
                    self._place(offset, record, more=number > 0)
                self.rows.extend(made, offset, self.analysis.turn)
                yield made

    def _place(self, offset: int, record: Chunk, *, more: bool) -> None:
        """Make the bytes of a read, or of `more` of it, readable again."""
        decoded = self.analysis.decoded
        if not more:
            self.index.add(offset, record, size=self._plain.add(record, decoded))
        elif decoded is not None:
            self.index.grow(record.conn, self._plain.add(record, decoded) or 0)

    def _conclude(self) -> None:
        """Let the rules judge what only the end of a turn shows, once nothing more of it can follow."""
        turn = self.analysis.turn
        if self._capture is not None and turn is not None and turn.over and not self._capture.busy:
            self.analysis.finish()

    @property
    def behind(self) -> bool:
        """True while the file holds more than was polled."""
        return self._follower is not None and (self._reading is not None or not self._follower.caught_up)

    @property
    def end_rows(self) -> list[GlimpsedRow]:
        """The last rows of a large file, while it is being read from its beginning; else none."""
        if self._glimpse and not self.behind and self.rows:
            self._glimpse = []
        return self._glimpse

    @property
    def broken_off(self) -> bool:
        """True when the records of a live turn stop before its end, because the disk is full for example."""
        turn = self.analysis.turn
        stopped = self._capture is not None and not self.busy and self.error is not None
        return stopped and turn is not None and not turn.over

    @property
    def damaged(self) -> int:
        """The number of lines of the file that were skipped because they are damaged."""
        return len(self._follower.damage) + self._follower.damage.others if self._follower is not None else 0

    @property
    def unknown(self) -> int:
        """How many records of the file were left out because this version does not know their kind."""
        return sum(self._follower.unknown.values()) if self._follower is not None else 0

    @property
    def written(self) -> bool:
        """Whether the recording still has a writer; looked up at most once in `WRITER_S`."""
        path, now = self.path, time.monotonic()
        if path is not None and now >= self._written[0]:
            self._written = (now + WRITER_S, is_running(path))
        return self._written[1]

    @property
    def progress(self) -> float:
        """The share of the file that was read, 0 to 1: below 1 while a large one is being opened."""
        if self._follower is None or not self._follower.size:
            return 1.0
        return min(1.0, self._follower.offset / self._follower.size)

    async def send(self, prompt: str) -> None:
        """Send a prompt as the next turn of the conversation. Raises `UsageError` while a turn is running."""
        if self.busy:
            raise UsageError(
                "turn-running", "An answer is still streaming.", "Press escape to stop it first."
            )
        if self._capture is None:
            raise UsageError("not-live", "This is a recording: there is no model to send a prompt to.")
        address = await self._endpoint.ready() if self._endpoint is not None else None
        self._begin(chat_turn(self.spec, self._conversation(prompt), address))
        # Only now: a prompt that could not be sent is not part of the conversation.
        self.messages[self._turn] = Message("user", prompt)

    def _conversation(self, prompt: str) -> list[Message]:
        messages = [Message("system", self.spec.profile.system)] if self.spec.profile.system else []
        for turn in self.analysis.turns:
            asked = self.messages.get(turn.number)
            if asked is None:
                continue
            # A prompt that was refused, for its length say, must not spoil every turn after it; nor an empty answer,
            # which many servers do not take back.
            if turn.answer.text or turn.outcome not in _UNANSWERED:
                messages += [asked, Message("assistant", turn.answer.text)]
        return [*messages, Message("user", prompt)]

    def _begin(self, turn: TurnSpec) -> None:
        assert self._capture is not None
        self._turn += 1
        self._capture.turn(self._turn, turn, plan=self.armed)
        self.armed = ""

    async def stop(self) -> None:
        """Stop the running turn; a no-op when none runs."""
        if self._capture is not None:
            self._capture.send(protocol.Stop())

    async def fault(self, plan: str) -> None:
        """Fire a fault now or arm one (``cut@now``, ``cut@event=41``): in the running turn, else for the next."""
        if self._capture is None:
            raise UsageError("not-live", "Faults need a live connection; this is a recording.")
        if self.busy:
            self._capture.send(protocol.Arm(plan))
        else:
            self.armed = plan

    async def note(self, text: str) -> None:
        """Write a bookmark into the recording."""
        if self._capture is not None:
            self._capture.send(protocol.Bookmark(text))

    def keep(self) -> Path | None:
        """Keep the running recording from ever being pruned; its new path, None for a file that was opened."""
        if self._capture is None or self._capture.path is None:
            return None
        if self._removed is not None:
            raise self._removed
        self._capture.path = mark_kept(self._capture.path)
        return self._capture.path

    async def again(self) -> None:
        """Send an inspected request once more, as another turn. Raises `UsageError` while one runs."""
        if self.busy:
            raise UsageError("turn-running", "The stream is still running.", "Press escape to stop it first.")
        self._begin(inspect_turn(self.spec))

    async def restart_capture(self) -> None:
        """Restart the capture process after it died; the recording continues, as if its connection had failed."""
        if self._capture is None:
            return
        conns = [conn for turn in self.analysis.turns for conn in turn.connections]
        turn = self.analysis.turn
        open_conn = (
            (turn.number, conns[-1].number) if turn is not None and conns and not conns[-1].close else None
        )
        path = await self._capture.restart(max((conn.number for conn in conns), default=0), open_conn)
        if self._follower is None:
            self._follow(path)
            await self._begin_session()

    async def restart_endpoint(self) -> None:
        """Restart the local endpoint after it failed; a no-op without one."""
        if self._endpoint is None:
            return
        await self._endpoint.close()
        await self._start_endpoint()

    async def _start_endpoint(self) -> None:
        self._endpoint = LocalEndpoint(self.spec, lambda _status: self._wake())
        await self._endpoint.start()


def _removed(path: Path) -> RecordingError:
    return RecordingError(
        "recording-removed",
        f"The recording {path} was removed.",
        "What is on screen can be read until this session ends: copy what you need.",
    )

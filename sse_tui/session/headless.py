"""Turns without a screen: captured in this process, since no rendering disturbs the clock."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from pathlib import Path

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.entry import Entry
from sse_tui.dialects.base import Message
from sse_tui.errors import SseTuiError
from sse_tui.recording import Redactor
from sse_tui.recording.records import Record, Request
from sse_tui.server.status import StatusWatcher
from sse_tui.session.endpoint import LocalEndpoint
from sse_tui.session.recorder import Recorder
from sse_tui.session.requests import TurnSpec, chat_turn, inspect_turn
from sse_tui.session.spec import SessionSpec


class Headless:
    """One headless session: at most one turn after another, recorded to `path` when given.

    Use as an async context manager; leaving it writes the end record and ends the local endpoint if one was started.
    After `ask` or `inspect` was iterated to its end, `problem` says what went wrong, if anything did.
    """

    def __init__(self, spec: SessionSpec, path: Path | None = None) -> None:
        redaction = spec.config.recording
        asked: list[tuple[str, Iterable[tuple[str, str]]]] = [
            (spec.profile.base_url or "", spec.profile.headers.items())
        ]
        if spec.request is not None:
            asked.append((spec.request.url, spec.request.headers))
        redactor = Redactor(redaction.redact_headers, redaction.redact_patterns)
        self.spec = spec
        self.recorder = Recorder(
            path, redactor=redactor, secrets=spec.secrets, max_bytes=redaction.max_bytes, optional=True
        )
        # Already now: a request that cannot be sent may be quoted as well.
        for url, headers in asked:
            redactor.request(Request(t=0, method="GET", url=url, headers=list(headers)))
        self.analysis = Analysis(
            self.recorder.header,
            dialect=spec.dialect,
            max_event_bytes=spec.max_event_bytes,
            rules=spec.config.rules,
            ignored=spec.config.ignored_content,
        )
        self._endpoint: LocalEndpoint | None = None
        self._turns = 0

    async def __aenter__(self) -> Headless:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        self.recorder.close("done" if kind is None else "interrupted")
        if self._endpoint is not None:
            await self._endpoint.close()

    async def ask(
        self,
        messages: Sequence[Message],
        on_status: StatusWatcher = lambda _status: None,
    ) -> AsyncIterator[Entry]:
        """Send a conversation to the spec's profile; gives entries as they are read.

        A profile without a base URL means our own endpoint: it is started first, and `on_status` is called with its
        progress.
        """
        if self.spec.profile.base_url is None and self._endpoint is None:
            self._endpoint = LocalEndpoint(self.spec, on_status)
            await self._endpoint.start()
        address = await self._endpoint.ready() if self._endpoint is not None else None
        async for entry in self._run(chat_turn(self.spec, messages, address)):
            yield entry

    async def inspect(self) -> AsyncIterator[Entry]:
        """Send the spec's request; gives entries as they are read."""
        async for entry in self._run(inspect_turn(self.spec)):
            yield entry

    async def _run(self, turn: TurnSpec) -> AsyncIterator[Entry]:
        async with contextlib.aclosing(self._read(turn)) as reads:
            async for _, entries in reads:
                for entry in entries:
                    yield entry

    async def records(self) -> AsyncIterator[Record]:
        """Send the spec's request; gives its records as they come, which hold the bytes that entries do not."""
        last = None
        async with contextlib.aclosing(self._read(inspect_turn(self.spec))) as reads:
            async for record, _ in reads:
                if record is not last:
                    yield record
                last = record

    async def _read(self, turn: TurnSpec) -> AsyncGenerator[tuple[Record, list[Entry]], None]:
        """Each record with its entries, once for each slice of what it expands to."""
        self._turns += 1
        async with contextlib.aclosing(self.recorder.run(self._turns, turn)) as records:
            async for record in records:
                for number, entries in enumerate(self.analysis.slices(record)):
                    if number:  # a signal is obeyed between the slices of what a read expands to
                        await asyncio.sleep(0)
                    yield record, entries

    def without_secrets(self, text: str) -> str:
        """A text for people with the session's secrets masked: an error may quote a server that repeats a key."""
        return self.recorder.redactor.text(text)

    def stop(self) -> None:
        """Stop the running turn."""
        self.recorder.stop()

    @property
    def problem(self) -> SseTuiError | None:
        """What went wrong with the last turn; None when nothing did."""
        turn = self.analysis.turn
        stream = self.recorder.error or (turn.conclusion.problem() if turn is not None else None)
        return stream or self.recorder.failure

"""Turns without a screen: captured in this process, because there is no rendering to disturb the clock."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from pathlib import Path

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.entry import Entry
from sse_tui.analysis.turn import Turn
from sse_tui.dialects.base import Message
from sse_tui.errors import HttpError, SseTuiError, StreamError
from sse_tui.recording import Redactor
from sse_tui.recording.records import Record
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
        redactor = Redactor(redaction.redact_headers, redaction.redact_patterns)
        for secret in spec.secrets:
            redactor.learn(secret)
        self.spec = spec
        self.recorder = Recorder(path, redactor=redactor)
        self.analysis = Analysis(
            self.recorder.header, dialect=spec.dialect, max_event_bytes=spec.max_event_bytes
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

        A profile without a base URL is our own endpoint: it is started first, and `on_status` told of its progress.
        """
        base_url, token, model = self.spec.profile.base_url, None, None
        if base_url is None:
            if self._endpoint is None:
                self._endpoint = LocalEndpoint(self.spec, on_status)
                await self._endpoint.start()
            ready = await self._endpoint.ready()
            base_url, token, model = ready.base_url, ready.token, ready.model
        turn = chat_turn(self.spec, messages, base_url=base_url, token=token, model=model)
        async for entry in self._run(turn):
            yield entry

    async def inspect(self) -> AsyncIterator[Entry]:
        """Send the spec's request; gives entries as they are read."""
        async for entry in self._run(inspect_turn(self.spec)):
            yield entry

    async def _run(self, turn: TurnSpec) -> AsyncIterator[Entry]:
        self._turns += 1
        async with contextlib.aclosing(self.recorder.run(self._turns, turn)) as records:
            async for record in records:
                for entry in self.analysis.feed(record):
                    yield entry

    def stop(self) -> None:
        """Stop the running turn."""
        self.recorder.stop()

    @property
    def problem(self) -> SseTuiError | None:
        """What went wrong with the last turn; None when nothing did."""
        turn = self.analysis.turn
        return self.recorder.error or (problem_of(turn) if turn is not None else None)


def read_through(records: Iterable[Record], analysis: Analysis) -> Iterator[Entry]:
    """Feed records to an analysis; gives the entries as they are read."""
    for record in records:
        yield from analysis.feed(record)


def problem_of(turn: Turn) -> SseTuiError | None:
    """What the records alone say went wrong with a turn; None when it is whole, or still running."""
    if turn.outcome == "error" and turn.error is not None:
        error = turn.error
        named = " ".join(str(part) for part in (error.type, error.code) if part is not None)
        return StreamError(
            "in-band-error",
            f"The stream reported an error after {_events(turn)}: {named or 'error'}: {error.message}",
            "The status was already 200, so only the stream says so; what came before it was kept.",
        )
    if turn.outcome == "truncated":
        close = turn.connections[-1].close
        detail = close.detail.rstrip(".") if close is not None else ""
        how = f"{close.reason}: {detail}" if close is not None and detail else "the body just ended"
        marked = turn.dialect.complete is False
        return StreamError(
            "truncated-stream",
            f"The stream was cut after {_events(turn)}, {turn.bytes} bytes: {how}.",
            "Its terminal marker never came, so the answer is not whole." if marked else "",
        )
    return _no_stream(turn)


def _no_stream(turn: Turn) -> HttpError | None:
    """The error of a body that is no event stream, and of which nothing could be read."""
    if not turn.over or turn.events or turn.answer.text_length:
        return None
    for finding in turn.findings:
        if finding.rule == "wrong-content-type" and finding.severity == "error":
            return HttpError("not-an-event-stream", finding.message, finding.advice)
    return None


def _events(turn: Turn) -> str:
    return f"{turn.events} event{'' if turn.events == 1 else 's'}"

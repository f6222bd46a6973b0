"""One stream, one verdict: live, reopened, in every form of the report, in the findings and on screen."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.outcome import Ending, Outcome
from sse_tui.errors import ConnectError, HttpError, SseTuiError, StreamError
from sse_tui.offline.opening import open_path
from sse_tui.offline.report import html as html_form
from sse_tui.offline.report import junit, markdown, plain, report_json, report_of
from sse_tui.resume import Policy
from sse_tui.session.headless import Headless
from sse_tui.session.spec import SessionSpec
from sse_tui.transport import StreamRequest, Timeouts
from sse_tui.tui.answer.conversation import ending
from sse_tui.tui.bars.header import STATES
from tests.transport.wire import CHUNKED, HOLD, OK, RST, Sleep, Step, chunked, chunks, response, wire


def _chunk(**choice: object) -> bytes:
    payload = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, **choice}]}
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


WORD = _chunk(delta={"content": "Hel"})
STOP = _chunk(finish_reason="stop")
FILTERED = _chunk(finish_reason="content_filter")
DONE = b"data: [DONE]\n\n"
ERROR = b'data: {"error": {"type": "server_error", "message": "out of memory"}}\n\n'
NEVER = Policy(kind="never")

CUTS: dict[str, tuple[list[Step], dict[str, Any], Ending, str, str]] = {
    "FIN": ([chunked(WORD)], {}, Ending.NO_MARKER, "truncated-stream", "without a finish reason and [DONE]"),
    "RST": ([CHUNKED, chunks(WORD), Sleep(0.05), RST], {}, Ending.RESET, "truncated-stream", "reset"),
    "no last chunk": ([chunked(WORD, last=False)], {}, Ending.INCOMPLETE, "truncated-stream", "last chunk"),
    "first byte": (
        [CHUNKED, HOLD],
        {"timeouts": Timeouts(first_byte=0.1)},
        Ending.FIRST_BYTE_TIMEOUT,
        "first-byte-timeout",
        "0.1 s",
    ),
    "idle": (
        [CHUNKED + chunks(WORD), HOLD],
        {"timeouts": Timeouts(idle=0.1)},
        Ending.IDLE_TIMEOUT,
        "idle-timeout",
        "0.1 s",
    ),
    "total": (
        [CHUNKED + chunks(WORD), HOLD],
        {"timeouts": Timeouts(total=0.2)},
        Ending.TOTAL_TIMEOUT,
        "total-timeout",
        "0.2 s",
    ),
    "fault": (
        [chunked(WORD, STOP, DONE)],
        {"plan": "cut@event=1"},
        Ending.FAULT,
        "truncated-stream",
        "fault",
    ),
    "coding": (
        [OK + b"Content-Encoding: gzip\r\n\r\n" + b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"],
        {},
        Ending.CODING_CUT,
        "truncated-stream",
        "compressed data",
    ),
    "too large": (
        [CHUNKED + chunks(WORD, b"data: " + b"x" * 5000), HOLD],
        {"max_event_bytes": 1000},
        Ending.TOO_LARGE,
        "event-too-large",
        "limit",
    ),
}
OTHERS: dict[str, tuple[list[Step], dict[str, Any], Ending, type[SseTuiError] | None, str]] = {
    "complete": ([chunked(WORD, STOP, DONE)], {}, Ending.MARKED, None, ""),
    "no marker needed": ([chunked(WORD, STOP)], {}, Ending.FINISHED, None, ""),
    "cut after the end": ([chunked(WORD, STOP, last=False)], {}, Ending.CUT_AFTER, None, ""),
    "no finish reason": ([chunked(WORD, DONE)], {}, Ending.UNREASONED, None, ""),
    "filtered": (
        [chunked(WORD, FILTERED, DONE)],
        {},
        Ending.PROVIDER_STOP,
        StreamError,
        "stopped-by-provider",
    ),
    "filtered, then cut": (
        [chunked(WORD, FILTERED, last=False)],
        {},
        Ending.PROVIDER_STOP,
        StreamError,
        "stopped-by-provider",
    ),
    "empty": ([chunked(STOP, DONE)], {}, Ending.EMPTY, StreamError, "empty-answer"),
    "[DONE] alone": ([chunked(DONE)], {"dialect": "openai-chat"}, Ending.EMPTY, StreamError, "empty-answer"),
    "empty body": ([chunked()], {}, Ending.EMPTY_BODY, StreamError, "empty-answer"),
    "another dialect": (
        [chunked(b'data: {"x": 1}\n\n')],
        {"dialect": "anthropic-messages"},
        Ending.NOT_UNDERSTOOD,
        StreamError,
        "empty-answer",
    ),
    "[DONE] in an unknown dialect": ([chunked(b"data: x\n\n", DONE)], {}, Ending.SENTINEL, None, ""),
    "cannot tell": ([chunked(b"data: x\n\n")], {}, Ending.ENDED, None, ""),
    "reported": ([chunked(WORD, ERROR)], {}, Ending.REPORTED, StreamError, "in-band-error"),
    "status": ([response("404 Not Found")], {}, Ending.REFUSED_STATUS, HttpError, "http-404"),
    "no content": ([response("204 No Content")], {}, Ending.REFUSED_STATUS, HttpError, "http-204"),
    "type": (
        [response("200 OK", b"<p>", Content_Type="text/html")],
        {},
        Ending.REFUSED_TYPE,
        HttpError,
        "not-an-event-stream",
    ),
    "silent server": (
        [HOLD],
        {"timeouts": Timeouts(first_byte=0.1)},
        Ending.NO_RESPONSE,
        ConnectError,
        "first-byte-timeout",
    ),
}


async def run(script: Sequence[Step], path: Path, *more: Sequence[Step], **options: Any) -> Headless:
    """One inspection of a server that does `script`, and `more` on later connections, recorded to `path`."""
    async with wire(list(script), *map(list, more)) as server:
        options.setdefault("policy", NEVER)
        request = StreamRequest(method="GET", url=server.url)
        session = Headless(SessionSpec(mode="inspect", request=request, **options), path)
        async with session:
            async for _ in session.inspect():
                pass
    return session


def reopened(path: Path, options: dict[str, Any]) -> Analysis:
    recording = open_path(path)
    analysis = Analysis(recording.header, **limits(options))
    for record in recording:
        analysis.feed(record)
    return analysis


def limits(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name in ("max_event_bytes", "dialect")}


@pytest.mark.parametrize("name", CUTS)
async def test_a_truncated_stream_is_called_the_same_everywhere(name: str, tmp_path: Path) -> None:
    script, options, kind, code, words = CUTS[name]
    path = tmp_path / "a.sse.jsonl"
    session = await run(script, path, **options)

    live, seen = session.analysis.turn, session.recorder.error
    assert live is not None
    assert live.conclusion.ending is kind
    how = live.conclusion.how
    assert words in how
    assert live.outcome is Outcome.TRUNCATED
    # What `tail` and `ask` raise, and what the capture process tells the TUI.
    assert isinstance(seen, StreamError)
    assert session.problem is seen
    assert (seen.code, seen.message) == (code, live.conclusion.sentence)

    turn = reopened(path, options).turns[0]
    assert turn.conclusion == live.conclusion
    problem = turn.conclusion.problem()
    assert problem is not None
    assert (type(problem), problem.code, problem.message) == (StreamError, code, seen.message)
    assert ending(turn).startswith(f"truncated: {how}")
    assert STATES[turn.outcome].word == "TRUNCATED"

    # That an event is too large says of itself why nothing more was read.
    rule = "oversized-event" if kind is Ending.TOO_LARGE else "truncated-stream"
    finding = next(finding for finding in turn.findings if finding.rule == rule)
    assert finding.message.startswith(seen.message) or kind is Ending.TOO_LARGE

    recording = open_path(path)
    report = report_of(recording.header, recording, "a", **limits(options))
    statement = turn.conclusion.statement
    assert statement == f"truncated: {how}"
    for text in (plain.render(report), markdown.render(report), html.unescape(html_form.render(report))):
        assert statement in text
    assert how in html.unescape(junit.render(report)) or kind is Ending.TOO_LARGE
    result = report_json.render(report)
    assert result["outcome"] == "truncated"
    assert finding.message in [found["message"] for found in result["findings"]]


@pytest.mark.parametrize("name", OTHERS)
async def test_other_endings_agree_too(name: str, tmp_path: Path) -> None:
    script, options, kind, error, code = OTHERS[name]
    path = tmp_path / "a.sse.jsonl"
    session = await run(script, path, **options)
    live = session.analysis.turn
    turn = reopened(path, options).turns[0]
    assert live is not None
    assert live.conclusion == turn.conclusion
    assert turn.conclusion.ending is kind
    problem, again = session.problem, turn.conclusion.problem()
    if error is None:
        assert (problem, again) == (None, None)
    else:
        assert problem is not None
        assert again is not None
        assert type(problem) is type(again) is error
        assert (problem.code, problem.message) == (again.code, again.message)
        assert problem.code == code


@pytest.mark.parametrize(
    ("first", "then", "kind", "code"),
    [
        (chunked(b"id: 1\ndata: x\n\n"), response("204 No Content"), Ending.NOTHING_LEFT, None),
        (chunked(b"id: 1\n" + WORD), response("204 No Content"), Ending.NOT_CONTINUED, "truncated-stream"),
        (chunked(b"id: 1\n" + WORD, last=False), response("404 Gone"), Ending.NOT_RESUMED, "resume-failed"),
        (chunked(b"id: 1\ndata: x\n\n"), response("404 Gone"), Ending.RECONNECT_FAILED, "reconnect-failed"),
        (chunked(b"id: 1\n" + WORD, last=False), chunked(STOP, DONE), Ending.MARKED, None),
    ],
)
async def test_the_last_attempt_decides(
    first: bytes, then: bytes, kind: Ending, code: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "a.sse.jsonl"
    session = await run([first], path, [then], policy=Policy(base_ms=1, floor_ms=1))
    turn = reopened(path, {}).turns[0]
    assert turn.conclusion.ending is kind
    problem, again = session.problem, turn.conclusion.problem()
    assert (problem.code if problem else None) == (again.code if again else None) == code
    if problem is not None and again is not None:
        assert type(problem) is type(again)
        assert problem.message == again.message
        assert "There was no further attempt" in problem.hint


async def test_a_stopped_stream_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "a.sse.jsonl"
    async with wire([CHUNKED, chunks(WORD), HOLD]) as server:
        spec = SessionSpec(mode="inspect", request=StreamRequest(method="GET", url=server.url), policy=NEVER)
        async with Headless(spec, path) as session:
            async for entry in session.inspect():
                if entry.kind == "event":
                    session.stop()
    turn = reopened(path, {}).turns[0]
    assert turn.conclusion.statement == "stopped by the client"
    assert session.problem is turn.conclusion.problem() is None


@pytest.mark.parametrize("kind", Ending, ids=lambda kind: kind.name)
def test_every_ending_has_words_of_its_own(kind: Ending) -> None:
    assert kind.words.count("{") <= 1
    assert "{detail}" not in kind.bare
    assert (kind.error is not None) == (kind.outcome.complete is False)
    assert kind.outcome.failed <= (kind.error is not None)
    assert [other for other in Ending if other.bare == kind.bare] == [kind]

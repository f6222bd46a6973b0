"""A response that is not an event stream: nothing in its body is an event, however much it looks like one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.jsonform import entry_json
from sse_tui.errors import HttpError
from sse_tui.offline.opening import open_path
from sse_tui.resume import Policy
from sse_tui.session.headless import Headless
from sse_tui.session.spec import SessionSpec
from sse_tui.transport import StreamRequest
from tests.transport.wire import Step, chunked, response, wire

EVENTS = b"id: 7\nretry: 10\ndata: not an event\n\n"
STREAM = "text/event-stream"


async def inspect(*scripts: list[Step], path: Path | None = None, **options: Any) -> tuple[Headless, int]:
    """A session of one inspection under the policy that a GET has, and how many requests it made."""
    async with wire(*scripts) as server:
        spec = SessionSpec(mode="inspect", request=StreamRequest("GET", server.url), **options)
        session = Headless(spec, path)
        async with session:
            async for _ in session.inspect():
                pass
    return session, len(server.seen)


# The statuses and media types of the Web Platform Tests for EventSource, and others that servers send.
@pytest.mark.parametrize(
    "status",
    [
        *("201 Created", "204 No Content", "205 Reset Content", "210 Odd", "299 Odd", "304 Not Modified"),
        *("400 Bad Request", "401 Unauthorized", "404 Not Found", "410 Gone", "500 Broken", "503 Busy"),
    ],
)
async def test_a_status_other_than_200_is_no_stream(status: str, tmp_path: Path) -> None:
    body = b"" if status[:3] in ("204", "304") else EVENTS
    path = tmp_path / "r.sse.jsonl"
    session, asked = await inspect([response(status, body, Content_Type=STREAM)], path=path)
    turn = session.analysis.turns[0]
    assert (turn.events, turn.ids, turn.retries, asked) == (0, False, [], 1)
    assert isinstance(session.problem, HttpError)
    assert session.problem.code == f"http-{status[:3]}"
    assert ("retry: 10 data: not an event" in session.problem.message) == bool(body)

    recording = open_path(path)
    analysis = Analysis(recording.header)
    kinds = [entry_json(entry)["kind"] for record in recording for entry in analysis.feed(record)]
    assert not {"event", "retry", "tail", "ignored"} & set(kinds)
    assert analysis.turns[0].conclusion == turn.conclusion


@pytest.mark.parametrize(
    ("media_type", "opens"),
    [
        ("text/event-stream", True),
        ("text/event-stream;", True),
        ("TEXT/Event-Stream ; charset=windows-1252", True),
        ("text/event-stream;charset=utf-8;x=y", True),
        ("text/event-streamer", False),
        ("text/event", False),
        ("text/plain", False),
        ("application/json", False),
        ("text/html; x=text/event-stream", False),
        ("", False),
        (None, False),
    ],
)
async def test_the_media_type_decides(media_type: str | None, opens: bool, tmp_path: Path) -> None:
    headers = {} if media_type is None else {"Content_Type": media_type}
    path = tmp_path / "r.sse.jsonl"
    session, asked = await inspect(
        [response("200 OK", EVENTS, **headers)], path=path, policy=Policy(kind="never")
    )
    turn = session.analysis.turns[0]
    assert (turn.events, asked) == (opens, 1)
    assert isinstance(session.problem, HttpError) is not opens
    recording = open_path(path)
    analysis = Analysis(recording.header)
    for record in recording:
        analysis.feed(record)
    assert analysis.turns[0].events == opens
    assert analysis.turns[0].conclusion == turn.conclusion
    if not opens:
        assert {finding.rule for finding in turn.findings} <= {"wrong-content-type", "truncated-stream"}


async def test_the_refusal_of_a_resume_adds_no_events() -> None:
    script: list[Step] = [chunked(b"id: 1\ndata: a\n\n", last=False)]
    gone: list[Step] = [response("410 Gone", EVENTS, Content_Type=STREAM)]
    session, asked = await inspect(script, gone, policy=Policy(base_ms=1, floor_ms=1))
    turn = session.analysis.turns[0]
    assert (turn.events, turn.last_event_id, asked) == (1, "1", 2)
    assert session.problem is not None
    assert session.problem.code == "resume-failed"


def test_an_imported_refusal_is_read_like_a_recorded_one(tmp_path: Path) -> None:
    capture = tmp_path / "curl.txt"
    capture.write_bytes(b"HTTP/1.1 404 Not Found\r\nContent-Type: text/event-stream\r\n\r\n" + EVENTS)
    recording = open_path(capture)
    analysis = Analysis(recording.header)
    kinds = [entry.kind for record in recording for entry in analysis.feed(record)]
    assert "event" not in kinds
    problem = analysis.turns[0].conclusion.problem()
    assert isinstance(problem, HttpError)
    assert (problem.code, problem.message) == ("http-404", "The server answered 404.")

"""A recording of a request that failed is reported as failed: an error finding in the words of the live run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from sse_tui.analysis.outcome import Outcome
from sse_tui.offline.opening import open_path
from sse_tui.offline.report import Report, report_of
from sse_tui.resume import Policy
from sse_tui.session.headless import Headless
from sse_tui.session.spec import SessionSpec
from sse_tui.transport import StreamRequest, Timeouts
from tests.session.test_outcome import DONE, NEVER, STOP, WORD, reopened, run
from tests.transport.wire import FIN, Step, chunked, response

AGAIN = Policy(base_ms=1, floor_ms=1)
ID = b"id: 1\n"
JSON = b'{"error": {"message": "no such model"}}'


def report(path: Path) -> Report:
    recording = open_path(path)
    return report_of(recording.header, recording, "a")


def told(path: Path) -> list[tuple[str, str, str]]:
    """The findings above information: rule, severity, message."""
    found = report(path).findings
    return [(f.rule, f.severity, f.message) for f in found if f.severity != "info"]


def check(path: Path, live: Headless, code: str, advice: str) -> None:
    assert live.problem is not None
    assert live.problem.code == code
    finding = next(f for f in report(path).findings if f.rule == "failed-request")
    assert finding.severity == "error"
    assert finding.message == live.problem.message
    assert advice in finding.advice
    assert report(path).failed("error")
    assert reopened(path, {}).turns[0].outcome is live.analysis.turns[0].outcome


FIRST: dict[str, tuple[list[Step], str, str]] = {
    "404": ([response("404 Not Found", JSON)], "http-404", "name of the model"),
    "401": ([response("401 Unauthorized", JSON)], "http-401", "--key-env"),
    "429": ([response("429 Too Many Requests", b"slow down")], "http-429", "Retry-After"),
    "503": ([response("503 Service Unavailable", b"busy")], "http-503", "server's log"),
    "204": ([response("204 No Content")], "http-204", "204"),
    "not HTTP": ([b"SSH-2.0-OpenSSH_9\r\n", FIN], "not-http", "scheme"),
    "nothing": ([FIN], "no-response", "server's log"),
}


@pytest.mark.parametrize("name", FIRST)
async def test_the_first_request_fails(name: str, tmp_path: Path) -> None:
    script, code, advice = FIRST[name]
    path = tmp_path / "a.sse.jsonl"
    check(path, await run(script, path), code, advice)
    assert [rule for rule, _, _ in told(path)] == ["failed-request"]


@pytest.mark.parametrize(
    ("url", "code", "advice"),
    [
        ("http://127.0.0.1:1/", "connect-refused", "Start the server"),
        ("http://nowhere.invalid/", "dns", "host name"),
    ],
)
async def test_there_is_no_server(url: str, code: str, advice: str, tmp_path: Path) -> None:
    path = tmp_path / "a.sse.jsonl"
    request = StreamRequest(method="GET", url=url)
    async with Headless(SessionSpec(mode="inspect", request=request, policy=NEVER), path) as live:
        async for _ in live.inspect():
            pass
    check(path, live, code, advice)


async def test_the_port_does_not_speak_tls(tmp_path: Path) -> None:
    from tests.transport.wire import wire

    path = tmp_path / "a.sse.jsonl"
    async with wire([b"HTTP/1.1 400 Bad Request\r\n\r\n", FIN]) as server:
        url = server.url.replace("http:", "https:")
        spec = SessionSpec(
            mode="inspect",
            request=StreamRequest(method="GET", url=url),
            policy=NEVER,
            timeouts=Timeouts(total=1),
        )
        async with Headless(spec, path) as live:
            async for _ in live.inspect():
                pass
    assert live.problem is not None
    check(path, live, live.problem.code, "")


STATUSES = {
    "404 Not Found": "Request the answer again",
    "401 Unauthorized": "Send the key with every reconnect",
    "403 Forbidden": "Send the key with every reconnect",
    "409 Conflict": "first connection is gone",
    "410 Gone": "Request the answer again",
    "400 Bad Request": "Last-Event-ID",
}


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize(
    ("first", "code"),
    [
        (chunked(ID + WORD, last=False), "resume-failed"),
        (chunked(ID + b"data: x\n\n", last=False), "resume-failed"),
        (chunked(ID + b"data: x\n\n"), "reconnect-failed"),
    ],
    ids=["an answer", "a feed", "an ended feed"],
)
async def test_the_reconnect_fails(status: str, first: bytes, code: str, tmp_path: Path) -> None:
    path = tmp_path / "a.sse.jsonl"
    check(path, await run([first], path, [response(status)], policy=AGAIN), code, STATUSES[status])
    messages = [message for _, _, message in told(path)]
    assert len(set(messages)) == len(messages)


@pytest.mark.parametrize(
    ("scripts", "outcome"),
    [
        ([chunked(ID + b"data: x\n\n"), response("204 No Content")], Outcome.ENDED),
        ([chunked(ID + WORD, STOP, DONE)], Outcome.COMPLETE),
        ([chunked(ID + WORD, STOP, last=False), response("204 No Content")], Outcome.COMPLETE),
        ([chunked(ID + WORD, last=False), chunked(b"id: 2\n" + STOP, DONE)], Outcome.COMPLETE),
    ],
    ids=["204 after a feed", "whole", "204 after a whole answer", "resumed"],
)
async def test_a_stop_in_order_is_no_failure(
    scripts: Sequence[bytes], outcome: Outcome, tmp_path: Path
) -> None:
    path = tmp_path / "a.sse.jsonl"
    first, *rest = ([script] for script in scripts)
    live = await run(first, path, *rest, policy=AGAIN)
    assert live.problem is None
    assert live.analysis.turns[0].outcome is reopened(path, {}).turns[0].outcome is outcome
    assert not report(path).failed("error")

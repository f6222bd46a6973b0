"""The capture process, as the TUI uses it: a real child, a real socket, a file that grows."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.config import Profile
from sse_tui.processes.messages import line
from sse_tui.recording import read_recording
from sse_tui.recording.records import Chunk, Close, End, Fault, Note, Reconnect, Request
from sse_tui.session.capture import protocol
from sse_tui.session.live import Live
from sse_tui.session.requests import TurnSpec
from sse_tui.session.spec import SessionSpec
from sse_tui.transport import StreamRequest
from tests.analysis.story import done, finish, role, token
from tests.certificates import make_certificate, server_context
from tests.children import child_running, wait_until_gone
from tests.transport.wire import chunked, wire

CAPTURE = "sse_tui.session.capture.process"

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SSE_TUI_STATE_DIR", str(tmp_path / "state"))
    return tmp_path


class Upstream:
    """A server that sends numbered tokens, paced, and honours Last-Event-ID."""

    def __init__(self, tokens: int, gap_s: float) -> None:
        self.tokens, self.gap_s = tokens, gap_s
        self.heads: list[str] = []
        self.port = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.heads.append(head)
        sent = [
            line.split(": ", 1)[1]
            for line in head.split("\r\n")
            if line.lower().startswith("last-event-id: ")
        ]
        first = int(sent[0].split("-")[1]) + 1 if sent else 0
        try:
            writer.write(HEAD)
            for number in range(first, self.tokens + 3):
                last: dict[int, Callable[[str], bytes]] = {
                    0: role,
                    self.tokens + 1: partial(finish, "stop"),
                    self.tokens + 2: done,
                }
                event = last.get(number)
                writer.write(event(f"s-{number}") if event else token(f"w{number} ", f"s-{number}"))
                await writer.drain()
                await asyncio.sleep(self.gap_s)
        except ConnectionError:
            pass
        finally:
            writer.close()

    @property
    def text(self) -> str:
        return "".join(f"w{number} " for number in range(1, self.tokens + 1))


@pytest.fixture
async def serve() -> AsyncIterator[Callable[[int, float], object]]:
    servers: list[asyncio.Server] = []

    async def start(tokens: int, gap_s: float) -> Upstream:
        upstream = Upstream(tokens, gap_s)
        server = await asyncio.start_server(upstream.handle, "127.0.0.1", 0)
        servers.append(server)
        upstream.port = server.sockets[0].getsockname()[1]
        return upstream

    yield start
    for server in servers:
        server.close()


def spec_for(upstream: Upstream, **options: object) -> SessionSpec:
    request = StreamRequest(
        "GET", f"http://127.0.0.1:{upstream.port}/stream", [("Authorization", "Bearer sk-verysecret")]
    )
    return SessionSpec(mode="inspect", request=request, **options)  # type: ignore[arg-type]


async def until(condition: Callable[[], bool], live: Live | None = None, limit_s: float = 15) -> None:
    for _ in range(int(limit_s / 0.01)):
        if live is not None:
            live.poll()
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the condition never held")


async def test_a_live_session_follows_its_own_recording(state: Path, serve: Callable[..., object]) -> None:
    upstream = await serve(30, 0.005)  # type: ignore[misc]
    live = Live(spec_for(upstream))
    await live.start()
    try:
        await until(lambda: bool(live.analysis.turns) and live.analysis.turns[0].over, live)
        turn = live.analysis.turns[0]
        assert turn.answer.text == upstream.text
        assert turn.outcome == "complete"
        assert live.reader is not None
        rows = [live.rows.row(index, live.reader) for index in range(len(live.rows))]
        assert [row.label for row in rows if row.number][:2] == ["role", "token"]
        second = next(row for row in rows if row.number == 2)
        assert b"w1 " in second.raw
        assert live.now() is not None
    finally:
        await live.close()
    assert live.path is not None
    assert "sk-verysecret" not in live.path.read_text("utf-8")
    records = list(read_recording(live.path))
    assert isinstance(records[-1], End)
    assert all("W" not in (record.text or "") for record in records if isinstance(record, Chunk))


async def test_a_chat_in_the_view_trusts_the_authority_and_keeps_its_headers(state: Path) -> None:
    certificate = make_certificate(state)
    answer = [chunked(token("hello", "1"), done("2"))]
    async with wire(answer, then=answer, context=server_context(certificate)) as server:
        profile = Profile(base_url=server.url, model="m", headers={"X-Team": "red"})
        spec = SessionSpec("chat", profile=profile, verify=str(certificate[0]), headers=(("X-Trace", "1"),))
        live = Live(spec)
        await live.start()
        try:
            await live.send("Hello")
            await until(lambda: bool(live.analysis.turns) and live.analysis.turns[0].over, live)
            assert live.analysis.turns[0].answer.text == "hello"
        finally:
            await live.close()
        distrusting = Live(replace(spec, verify=True))
        await distrusting.start()
        try:
            await distrusting.send("Hello")
            await until(lambda: distrusting.error is not None, distrusting)
            assert distrusting.error is not None
            assert "ca_file in the profile" in distrusting.error.hint
        finally:
            await distrusting.close()
    assert [server.seen[0].header(name) for name in ("x-team", "x-trace")] == [b"red", b"1"]


async def test_a_cut_now_is_resumed_and_nothing_is_lost(state: Path, serve: Callable[..., object]) -> None:
    upstream = await serve(60, 0.01)  # type: ignore[misc]
    live = Live(spec_for(upstream))
    await live.start()
    try:
        for count in (10, 25):
            await until(
                lambda count=count: bool(live.analysis.turns) and live.analysis.turns[0].events >= count,  # type: ignore[misc]
                live,
            )
            await live.fault("cut@now")
        await until(lambda: live.analysis.turns[0].outcome == "complete", live)
    finally:
        await live.close()
    turn = live.analysis.turns[0]
    assert turn.answer.text == upstream.text
    assert turn.verdict is not None
    assert turn.verdict.kind == "lossless"
    assert len(turn.connections) == 3
    assert len([head for head in upstream.heads if "Last-Event-ID: s-" in head]) == 2
    assert live.path is not None
    kinds = [type(record) for record in read_recording(live.path)]
    assert kinds.count(Fault) == 2
    assert kinds.count(Reconnect) == 2
    assert kinds.count(Request) == 3


async def test_stop_ends_the_turn_and_the_recording_says_that_we_did(
    state: Path, serve: Callable[..., object]
) -> None:
    upstream = await serve(1000, 0.01)  # type: ignore[misc]
    live = Live(spec_for(upstream))
    await live.start()
    try:
        await until(lambda: bool(live.analysis.turns) and live.analysis.turns[0].events > 3, live)
        await live.note("here it is")
        await live.stop()
        await until(lambda: live.analysis.turns[0].outcome == "stopped" and not live.busy, live)
    finally:
        await live.close()
    assert live.path is not None
    records = list(read_recording(live.path))
    assert [record.text for record in records if isinstance(record, Note)] == ["here it is"]
    assert [record.reason for record in records if isinstance(record, Close)] == ["client"]


async def test_a_dead_port_is_reported_with_its_name(state: Path) -> None:
    request = StreamRequest("GET", "http://127.0.0.1:9/stream")
    live = Live(SessionSpec(mode="inspect", request=request))
    await live.start()
    try:
        await until(lambda: live.status.error is not None, live, limit_s=40)
    finally:
        await live.close()
    assert live.status.error is not None
    assert "127.0.0.1:9" in live.status.error.message


async def test_the_recording_is_whole_after_the_capture_process_was_killed(
    state: Path, serve: Callable[..., object]
) -> None:
    upstream = await serve(1000, 0.005)  # type: ignore[misc]
    live = Live(spec_for(upstream))
    await live.start()
    await until(lambda: bool(live.analysis.turns) and live.analysis.turns[0].events > 20, live)
    os.kill(child_running(CAPTURE), signal.SIGKILL)
    await until(lambda: live.status.error is not None, live)
    assert live.status.error is not None
    assert live.status.error.code == "capture-gone"
    assert not live.busy
    await live.close()
    assert live.path is not None
    recording = read_recording(live.path)
    analysis = Analysis(recording.header)
    for record in recording:
        analysis.feed(record)
    # Events, not chunks: on a busy machine one read brings several.
    assert analysis.turns[0].events >= live.analysis.turns[0].events > 20
    assert len(recording.skipped.damage) <= 1


PARENT = """
import asyncio, sys
from pathlib import Path
from sse_tui.session.live import Live
from sse_tui.session.spec import SessionSpec
from sse_tui.transport import StreamRequest
from tests.children import child_running

async def main():
    live = Live(SessionSpec(mode="inspect", request=StreamRequest("GET", sys.argv[1])))
    await live.start()
    print(child_running("sse_tui.session.capture.process"), flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_no_capture_process_outlives_a_killed_parent(state: Path, serve: Callable[..., object]) -> None:
    upstream = await serve(2000, 0.01)  # type: ignore[misc]
    url = f"http://127.0.0.1:{upstream.port}/stream"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, url], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(await asyncio.to_thread(parent.stdout.readline))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert await asyncio.to_thread(wait_until_gone, child)


def test_a_turn_crosses_the_pipe_unchanged() -> None:
    turn = TurnSpec(
        StreamRequest("POST", "http://h/", [("A", "b")], b"\x00\xff{}", "openai-chat"), plan="cut@event=3"
    )
    command = protocol.RunTurn(3, turn)
    back = protocol.read_command(line(command))
    assert isinstance(back, protocol.RunTurn)
    assert back.turn.request.body == turn.request.body
    assert back.turn.plan == turn.plan
    assert back.turn.policy == turn.policy

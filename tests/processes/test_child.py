"""Child processes: they answer, they end, they are never left behind, and how they ended is said."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sse_tui.processes import log, messages
from sse_tui.processes.child import Child, exit_name
from tests.children import alive, children, wait_until_gone
from tests.processes.peer import Corrupt, Echo, Exit, Linger, Write, read_echo

StartPeer = Callable[..., Awaitable[Child[Echo]]]


@pytest.fixture(name="peer")
async def _peer() -> AsyncIterator[StartPeer]:
    """``await peer(log=PATH)``: a child of `tests.processes.peer`."""
    started: list[Child[Echo]] = []

    async def start(**options: Any) -> Child[Echo]:
        child = await Child.start("tests.processes.peer", reports=read_echo, **options)
        started.append(child)
        return child

    before = children()
    yield start
    for child in started:
        await child.end(0.1)
    assert children() <= before


async def one(child: Child[Echo]) -> Echo:
    async for report in child.reports():
        return report
    raise AssertionError(await child.exit_text())


async def rest(child: Child[Echo]) -> list[Echo]:
    return [report async for report in child.reports()]


async def test_it_answers_in_order_however_long_the_messages_are(peer: StartPeer) -> None:
    child = await peer()
    texts = ["a", "x" * 2**20, "\n\u2028\ud7ff", ""]
    for text in texts:
        child.send(Echo(text))
    assert [(await one(child)).text for _ in texts] == texts
    assert child.running
    assert await child.end() == 0
    assert not child.running
    assert not child.ended_unasked


async def test_what_it_prints_is_logged_and_never_taken_for_a_report(peer: StartPeer, tmp_path: Path) -> None:
    child = await peer(log=tmp_path / "child.log")
    child.send(Write("a stray print"))
    child.send(Echo("b"))
    assert (await one(child)).text == "b"
    await child.end()
    assert (tmp_path / "child.log").read_text() == "a stray print\n"
    assert (tmp_path / "child.log").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("stubborn", "code"), [(False, -signal.SIGTERM), (True, -signal.SIGKILL)])
async def test_one_that_does_not_end_is_terminated_then_killed(
    peer: StartPeer, stubborn: bool, code: int
) -> None:
    child = await peer()
    child.send(Linger(stubborn))
    await one(child)
    assert await child.end(0.2) == code
    assert await child.end(0.2) == code


async def test_an_end_that_is_cancelled_kills(peer: StartPeer) -> None:
    child = await peer()
    child.send(Linger(True))
    await one(child)
    ending = asyncio.create_task(child.end(20))
    await asyncio.sleep(0.05)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    assert await child.exit_text() == "ended by SIGKILL"


@pytest.mark.parametrize(
    ("code", "text"), [(3, "with exit status 3"), (0, "with exit status 0"), (-signal.SIGKILL, "by SIGKILL")]
)
async def test_an_end_that_nobody_asked_for_is_told_with_the_last_lines(
    peer: StartPeer, code: int, text: str
) -> None:
    child = await peer()
    child.send(Write("first\nsecond\nthird\nlast"))
    child.send(Exit(code))
    assert await rest(child) == []
    assert await child.exit_text() == f"ended {text}: second | third | last"
    assert child.ended_unasked


@pytest.mark.parametrize("data", [b"not JSON\n", b'{"type": "unknown"}\n', b'{"type": "echo", "text": 1}\n'])
async def test_one_that_sends_nonsense_is_killed(peer: StartPeer, data: bytes) -> None:
    child = await peer()
    child.send(Echo("good"))
    child.send(Corrupt(data))
    assert await rest(child) == [Echo("good")]
    text = await child.exit_text()
    assert text.startswith("ended by SIGKILL: It sent a malformed message: ")
    assert repr(data.rstrip(b"\n"))[2:-1] in text


async def test_a_line_without_an_end_is_not_read_for_ever(
    peer: StartPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "LINE_LIMIT", 1000)
    child = await peer()
    child.send(Corrupt(b"x" * 5000))
    assert await rest(child) == []
    assert (await child.exit_text()).startswith("ended by SIGKILL: It sent a malformed message: ")


async def test_a_malformed_command_ends_the_child(peer: StartPeer) -> None:
    child = await peer()
    child.send(messages.ErrorMessage("usage", "a", "b"))
    assert await rest(child) == []
    assert (await child.exit_text()).startswith("ended with exit status 0: malformed command: ")


@pytest.mark.parametrize("path", [Path("/dev/null/child.log"), Path("/")])
async def test_a_log_that_cannot_be_written_keeps_no_child_from_starting(peer: StartPeer, path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    child = await peer(log=path)
    child.send(Write("a"))
    child.send(Echo("b"))
    assert (await one(child)).text == "b"
    assert await child.end() == 0
    assert len(os.listdir("/proc/self/fd")) <= before


async def test_a_log_has_a_bound(peer: StartPeer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "FILE_LIMIT", 1000)
    path = tmp_path / "child.log"
    for text in ("first", "second"):
        child = await peer(log=path)
        child.send(Write(text * 50, times=20))
        child.send(Write("the last line"))
        child.send(Exit(1))
        await rest(child)
        assert (await child.exit_text()).endswith("| the last line")
        assert path.stat().st_size == 1000
        assert path.read_text().startswith(text)


def test_of_a_crash_the_interpreters_note_is_kept_and_its_stack_is_not() -> None:
    kept = log.Log()
    kept.write(b"loading\nGGML_ASSERT failed\nhere\nFatal Python error: Aborted\n\n")
    kept.write(b"".join(b'  File "x.py", line %d in y\n' % number for number in range(20)))
    assert kept.last_words() == "GGML_ASSERT failed | here | Fatal Python error: Aborted"
    kept = log.Log()
    kept.write(b"no line end")
    assert kept.last_words() == ""
    kept.close()
    assert kept.last_words() == "no line end"


def test_exits_have_names() -> None:
    assert [exit_name(code) for code in (0, 7, -9, -120)] == [
        "ended with exit status 0", "ended with exit status 7", "ended by SIGKILL", "ended by signal 120",
    ]  # fmt: skip


async def test_the_current_directory_cannot_stand_in_for_a_library(
    peer: StartPeer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("msgspec", "sse_tui", "runpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    monkeypatch.chdir(tmp_path)
    child = await peer()
    child.send(Echo("a"))
    assert (await one(child)).text == "a"


PARENT = """
import asyncio, sys
from sse_tui.processes.child import Child
from tests.children import children
from tests.processes.peer import Echo, Spin, read_echo

async def main():
    child = await Child.start("tests.processes.peer", reports=read_echo)
    child.send({command})
    async for _ in child.reports():
        print(*children(), flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("command", ["Echo('a')", "Spin()"])
def test_it_never_outlives_its_parent(number: signal.Signals, command: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT.format(command=command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.send_signal(number)
        parent.wait(10)
        # A second, and what a busy machine needs to notice.
        assert wait_until_gone(pid, 3)

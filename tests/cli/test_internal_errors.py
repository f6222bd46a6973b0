"""A rule of the diagnosis that fails ends every headless command that runs the rules with exit 70, never a verdict."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sse_tui.cli.main import main
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import EVENT, RULES, rule
from sse_tui.eventstream import Event

DONE = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
FAULT = b'data: {"error":{"message":"boom"}}\n\n'


@pytest.fixture
def broken_rule() -> Iterator[None]:
    @rule("info", EVENT, advice="None.", reference="a test")
    def broken_rule(event: Event, facts: Facts) -> None:
        """It has a bug."""
        raise ZeroDivisionError("division by zero")

    yield
    del RULES["broken-rule"]
    EVENT.checks = [(known, check) for known, check in EVENT.checks if known.id != "broken-rule"]


def ended(args: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as done:
        main(args)
    out, err = capfd.readouterr()
    assert isinstance(done.value.code, int)
    return done.value.code, out, err


@pytest.mark.parametrize(
    "command", [["report"], ["open", "--text"], ["open", "--json"], ["tail"], ["tail", "--raw"]]
)
@pytest.mark.parametrize("body", [DONE, FAULT], ids=["whole", "fault"])
def test_it_is_exit_70(
    command: list[str], body: bytes, broken_rule: None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.sse"
    path.write_bytes(body)
    code, out, err = ended([*command, str(path)], capfd)
    assert code == 70
    assert out
    first, *rest = err.splitlines()
    assert first.startswith("sse-tui: error: internal: rule broken-rule failed on event 1: ZeroDivisionError")
    # What the stream itself reported is still said.
    assert ["boom" in line for line in rest] == ([True] if body is FAULT and command != ["report"] else [])


@pytest.mark.parametrize("command", [["report"], ["open", "--text"], ["tail"]])
def test_without_it_the_exit_code_is_the_streams(
    command: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.sse"
    path.write_bytes(DONE)
    assert ended([*command, str(path)], capfd)[0] == 0
    path.write_bytes(FAULT)
    assert ended([*command, str(path)], capfd)[0] == (1 if command == ["report"] else 4)


@pytest.mark.parametrize(
    "command",
    [
        ["export", "--to", "md"],
        ["bundle", "-o", "out.bundle"],
        ["minimize", "--rule", "in-band-error", "--tries", "20"],
        ["minimize", "--rule", "bom"],
    ],
    ids=" ".join,
)
def test_so_is_a_command_that_makes_something_of_a_recording(
    command: list[str],
    broken_rule: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.sse").write_bytes(FAULT)
    code, _, err = ended([*command, "a.sse"], capfd)
    assert code == 70
    assert "internal: rule broken-rule failed on event 1" in err


@pytest.mark.parametrize("command", ["ask", "tail"])
def test_so_is_a_live_stream(
    command: str,
    broken_rule: None,
    env: dict[str, str],
    server: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)

    def answer(connection: socket.socket, _head: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + DONE)

    url = server(answer)
    args = [url, "--reconnect", "never"]
    if command == "ask":
        args = ["Hello", "--base-url", url, "--model", "m", "--no-record"]
        monkeypatch.setattr("sys.stdin", None)
    code, out, err = ended([command, *args], capfd)
    assert (code, out) == (70, "Hi\n")
    assert "internal: rule broken-rule failed on event 1" in err

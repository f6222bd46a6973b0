"""``serve`` as a user starts it, and as the program starts it for itself."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest

SERVE = [sys.executable, "-m", "sse_tui", "serve", "--engine", "scripted", "--port", "0"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_and_ends_cleanly(env: dict[str, str], number: signal.Signals) -> None:
    with subprocess.Popen(
        SERVE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        example = process.stderr.readline()
        url = line.split(" at ")[1].split()[0]
        with urllib.request.urlopen(url.removesuffix("/v1") + "/health", timeout=5) as answer:
            assert answer.status == 200
        process.send_signal(number)
        out, err = process.communicate(timeout=20)

    assert process.returncode == 0
    assert out == ""
    assert err == ""
    assert example.strip().startswith(f"curl -N {url}/chat/completions ")


def test_the_example_command_works(env: dict[str, str]) -> None:
    with subprocess.Popen(
        [*SERVE, "--ttft-ms", "1", "--gap-ms", "0", "--script", "one two three"],
        stderr=subprocess.PIPE,
        text=True,
        env=env | {"SSE_TUI_TOKEN": "t"},
    ) as process:
        assert process.stderr is not None
        process.stderr.readline()
        example = process.stderr.readline().strip()
        tail = [sys.executable, "-m", "sse_tui", "tail", "--curl", example.replace("$SSE_TUI_TOKEN", "t")]
        done = subprocess.run(tail, capture_output=True, text=True, env=env, timeout=30, check=False)
        process.terminate()

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "one two three\n"


def test_supervised_it_speaks_json_and_ends_with_its_input(env: dict[str, str]) -> None:
    with subprocess.Popen(
        [*SERVE, "--supervised"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        states: list[dict[str, Any]] = []
        while not states or states[-1]["status"] != "ready":
            states.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        rest = [json.loads(line) for line in process.stdout]
        assert process.wait(20) == 0

    assert states[-1]["url"].startswith("http://127.0.0.1:")
    assert rest[-1]["status"] == "stopped"


def test_a_port_that_is_taken_is_exit_2(cli: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = cli("serve", "--engine", "scripted", "--port", str(port))

    assert done.code == 2
    assert str(port) in done.err
    assert done.err.count("\n") == 1


def test_a_model_that_is_not_there_is_exit_3(cli: Callable[..., Any]) -> None:
    done = cli("serve", "--model", "no/such/file.gguf", "--port", "0")

    assert done.code == 3
    assert "no/such/file.gguf" in done.err
    assert done.err.count("\n") == 1

"""Without the extra ``local`` everything but local models works, and those say in one line what to install."""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sse_tui.engine.available import MISSING

ROOT = Path(__file__).parents[2]
RECORDING = str(ROOT / "tests" / "data" / "recordings" / "resumed.sse.jsonl")
# What extras bring; a package's folder and its metadata begin with the same letters.
EXTRA = ("llama", "numpy", "jinja2", "pip", "diskcache", "markupsafe", "h2", "hpack", "hyperframe")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The Python of an environment that has our packages without those of the extra."""
    folder = tmp_path_factory.mktemp("base")
    venv.create(folder, with_pip=False, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    packages = [path for path in Path(sysconfig.get_path("purelib")).iterdir() if path.suffix != ".pth"]
    assert len(packages) > 50
    for path in packages:
        if not path.name.lower().startswith(EXTRA):
            (site / path.name).symlink_to(path)
    return str(folder / "bin" / "python")


@pytest.fixture
def base(python: str, env: dict[str, str], tmp_path: Path) -> Callable[..., Any]:
    """Runs ``sse-tui`` in that environment, to its end."""

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, "-m", "sse_tui", *args],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env=env | {"PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
            timeout=60,
            check=False,
        )

    return run


def test_the_environment_is_a_base_install(python: str) -> None:
    for name in ("llama_cpp", "numpy", "jinja2", "pip", "h2"):
        done = subprocess.run(
            [python, "-c", f"import {name}"], stderr=subprocess.PIPE, text=True, check=False
        )
        assert "ModuleNotFoundError" in done.stderr


@pytest.mark.parametrize(
    "args", [["ask", "hello"], ["serve", "--port", "0"], ["models", "pull"]], ids=lambda args: args[0]
)
def test_what_needs_a_local_model_says_what_to_install(base: Callable[..., Any], args: list[str]) -> None:
    done = base(*args)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"sse-tui: error: {MISSING}\n"


def test_http_2_says_what_to_install(base: Callable[..., Any]) -> None:
    done = base("tail", "--http2", "https://127.0.0.1:1/")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "sse-tui: error: HTTP/2 needs h2: pip install 'sse-tui[http2]'\n"


@pytest.mark.terminal
def test_the_chat_says_what_to_install(python: str, env: dict[str, str], tmp_path: Path) -> None:
    terminal, side = os.openpty()
    done = subprocess.run(
        [python, "-m", "sse_tui"],
        stdin=side,
        stdout=side,
        stderr=subprocess.PIPE,
        text=True,
        env=env | {"PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    os.close(side)
    os.close(terminal)
    assert (done.returncode, done.stderr) == (3, f"sse-tui: error: {MISSING}\n")


def test_doctor_says_what_to_install_and_finds_nothing_broken(base: Callable[..., Any]) -> None:
    done = base("doctor", "--json")
    checks = {row["check"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert checks["llama.cpp"]["state"] == "warn"
    assert checks["llama.cpp"]["detail"] == MISSING
    assert "model" not in checks
    # It serves the scripted engine and captures its stream, so both work.
    assert checks["loopback"]["state"] == "ok", checks["loopback"]
    assert done.returncode == 0


def test_a_remote_profile_and_recordings_work(
    base: Callable[..., Any], server: Callable[..., str], tmp_path: Path
) -> None:
    chunk = {"object": "chat.completion.chunk", "id": "1", "model": "m"}
    delta = {"choices": [{"index": 0, "delta": {"content": "Hello"}, "finish_reason": "stop"}]}
    body = b"data: " + json.dumps(chunk | delta).encode() + b"\n\ndata: [DONE]\n\n"

    def handle(connection: Any, _head: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")
        connection.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    url = server(handle)
    (tmp_path / "c.toml").write_text(f'[profiles.far]\nbase_url = "{url}"\nmodel = "m"\n')
    done = base("ask", "--config", "c.toml", "--profile", "far", "--record", "r.sse.jsonl", "x")
    assert (done.returncode, done.stdout) == (0, "Hello\n"), done.stderr
    assert base("tail", url).stdout == "Hello\n"
    assert base("open", "--text", "r.sse.jsonl").stdout == "Hello\n"
    report = base("report", RECORDING, "--format", "json")
    assert report.returncode in (0, 1), report.stderr
    # Enough gaps for every percentile, which were numpy's to find.
    assert json.loads(report.stdout)["turns"]

"""The endpoint as a child: what it tells its parent, and that it never outlives it."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
from typing import Any

import httpx
import pytest

from tests.children import wait_until_gone

COMMAND = [
    *(sys.executable, "-m", "sse_tui", "serve", "--supervised", "--host", "127.0.0.1", "--port", "0"),
    *("--engine", "scripted", "--script", "a b c"),
]


def start(
    *options: str, token: str | None = "secret", descriptors: int | None = None
) -> subprocess.Popen[bytes]:
    def limit() -> None:
        if descriptors is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    return subprocess.Popen(
        [*COMMAND, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | ({} if token is None else {"SSE_TUI_TOKEN": token}),
        preexec_fn=limit,
    )


def until(child: subprocess.Popen[bytes], status: str) -> dict[str, Any]:
    assert child.stdout is not None
    for line in child.stdout:
        said: dict[str, Any] = json.loads(line)
        if said["status"] == status:
            return said
    raise AssertionError(f"it never said {status}: {child.stderr.read().decode() if child.stderr else ''}")


def test_it_says_where_it_is_and_ends_with_its_standard_input() -> None:
    with start() as child:
        ready = until(child, "ready")
        assert ready["model"] == ready["engine"]["model"] == "scripted"
        headers = {"Authorization": "Bearer secret"}
        assert httpx.get(f"{ready['url']}/v1/models", headers=headers).status_code == 200
        assert httpx.get(f"{ready['url']}/v1/models").status_code == 401
        out, err = child.communicate(timeout=10)
    assert [json.loads(line)["status"] for line in out.splitlines()] == ["stopping", "stopped"]
    assert err == b""
    assert child.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_cleanly(number: signal.Signals) -> None:
    with start() as child:
        until(child, "ready")
        child.send_signal(number)
        until(child, "stopped")
        assert child.wait(10) == 0


def test_failures_are_told_in_the_same_way() -> None:
    with start() as first:
        port = until(first, "ready")["url"].rpartition(":")[2]
        with start("--port", port) as second:
            failed = until(second, "failed")
            assert failed["error"]["code"] == "port-taken"
            assert second.wait(10) == 2
        first.communicate(timeout=10)
    with start("--engine", "llamacpp", "--model", "/no/such/model.gguf") as child:
        error = until(child, "failed")["error"]
        assert (error["kind"], error["code"]) == ("model", "model-missing")
        assert child.wait(10) == 3


def test_names_and_origins_are_allowed_by_options() -> None:
    allowed = ["--allow-host", "box.lan", "--allow-origin", "https://app.example", "--max-connections", "5"]
    with start(*allowed, token=None) as child:
        url = until(child, "ready")["url"] + "/v1/models"
        origin = {"Origin": "https://app.example"}
        assert httpx.get(url, headers={"Host": "box.lan"} | origin).status_code == 200
        assert httpx.get(url, headers={"Host": "other.lan"}).status_code == 403
        assert httpx.get(url, headers={"Origin": "https://other.example"}).status_code == 403
        child.communicate(timeout=10)


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n"])
def test_few_descriptors_and_many_idle_peers_cost_no_request(sent: bytes) -> None:
    """uvicorn #1030: past the limit of descriptors uvloop resets each new connection without a word."""
    with start(descriptors=64) as child:
        url = httpx.URL(until(child, "ready")["url"])
        idle = [socket.create_connection((url.host, url.port or 80), 5) for _ in range(200)]
        for peer in idle:
            peer.sendall(sent)
        statuses = []
        for _ in range(40):
            with socket.create_connection((url.host, url.port or 80), 5) as good:
                good.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                statuses.append(good.recv(12))
        for peer in idle:
            peer.close()
        assert statuses == [b"HTTP/1.1 200"] * 40
        _, err = child.communicate(timeout=10)
    assert err == b""


def test_it_ends_when_its_parent_is_killed() -> None:
    """The parent gets SIGKILL and can do nothing; its end of the pipe closes all the same."""
    parent = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen({COMMAND!r}, stdin=subprocess.PIPE)\n"
        "print(child.pid, flush=True)\n"
        "child.wait()\n"
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        until(process, "ready")
        process.kill()
        process.wait()
        assert wait_until_gone(pid)

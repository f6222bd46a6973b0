"""What other programs rely on: exit codes, one clear line on stderr, nothing but data on stdout."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sse_tui import errors
from sse_tui.cli.exits import Exit


def one_line(err: str) -> str:
    assert err.startswith("sse-tui: error: ")
    assert err.count("\n") == 1
    return err


def dead_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--nope"], "--nope"),
        (["nope"], "nope"),
        (["ask", "--temperature", "hot", "x"], "hot"),
        (["ask", "--profile", "nope", "x"], "There is no profile 'nope'"),
        (["ask", "--fault", "explode", "x"], "explode"),
        (["tial"], "Did you mean tail?"),
        (["tail", "--raw", "--max-events", "1", "-"], "cannot be combined"),
        (["tail", "-", "-H", "A: b"], "--header needs a URL"),
        (["tail", "-", "--record", "x"], "--record needs a URL"),
        (["tail", "-", "--fault", "cut@now"], "--fault needs a URL"),
        (["tail", "http://127.0.0.1:1/", "--record", ""], "Is a directory"),
        (["ask"], "prompt"),
        (["ask", " "], "The prompt is empty"),
        (["ask", "--max-time", "1e300", "x"], "--total-timeout"),
        (["tail", ""], "source is empty"),
        (["tail"], "nothing to read"),
        (["tail", "missing.sse"], "no file missing.sse"),
        (["tail", "--json", "--raw", "-"], "cannot be combined"),
        (["tail", "--dialect", "klingon", "http://127.0.0.1:1/"], "klingon"),
        (["tail", "--curl", "wget x"], "curl"),
        (["tail", "-H", "no header", "http://127.0.0.1:1/"], "Invalid header"),
        (["open", "missing.sse.jsonl"], "missing.sse.jsonl"),
        (["open", "--json", "missing.sse.jsonl"], "missing.sse.jsonl"),
        (["--config", "missing.toml", "config", "show"], "missing.toml does not exist"),
        (["serve", "--engine", "scripted", "--host", "0.0.0.0", "--port", "0"], "token"),
        (["serve", "--engine", "scripted", "--token-env", "NOT_SET_HERE"], "NOT_SET_HERE"),
        ([], "terminal"),
        (["inspect", "http://127.0.0.1:1/"], "terminal"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_exit_2_with_one_line(cli: Callable[..., Any], args: list[str], says: str) -> None:
    done = cli(*args)

    assert done.code == 2
    assert says in one_line(done.err)
    assert done.out == ""


def test_a_bad_configuration_is_exit_2_with_its_line(cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("[local]\nmodle = 'x'\n")

    for args in (["ask", "--config", "c.toml", "x"], ["--config", "c.toml", "ask", "x"], ["ask", "x"]):
        done = cli(*args, more_env={"SSE_TUI_CONFIG": str(tmp_path / "c.toml")})
        assert done.code == 2
        assert "c.toml:2: local.modle is not a known key. Did you mean model?" in one_line(done.err)


@pytest.mark.parametrize(
    "command", ["ask -", "ask", "tail -", "open --text -", "open --json -", "report -", "export --to har -"]
)
def test_a_closed_stdin_is_exit_2_with_one_line(env: dict[str, str], command: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m sse_tui {command} <&-', sys.executable],
        capture_output=True,
        env=env,
        timeout=60,
        check=False,
    )

    assert done.returncode == 2
    one_line(done.stderr.decode())
    assert done.stdout == b""


@pytest.mark.parametrize("limit", [7, 8, 10])
def test_too_few_open_files_are_not_a_bug(env: dict[str, str], limit: int) -> None:
    done = subprocess.run(
        ["sh", "-c", f'ulimit -n {limit}; exec "$0" -m sse_tui tail http://127.0.0.1:1/', sys.executable],
        capture_output=True,
        env=env,
        timeout=60,
        check=False,
    )

    assert done.returncode in (1, 3)
    one_line(done.stderr.decode())


@pytest.mark.parametrize("command", ["tail", "ask"])
def test_a_dead_port_is_exit_3(cli: Callable[..., Any], command: str) -> None:
    url = f"http://127.0.0.1:{dead_port()}/v1"
    args = (
        ["tail", url, "--reconnect", "never"]
        if command == "tail"
        else ["ask", "--base-url", url, "--model", "m", "x"]
    )

    done = cli(*args)

    assert done.code == 3
    one_line(done.err)
    assert done.out == ""


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.UsageError, 2),
        (errors.ConfigError, 2),
        (errors.RecordingError, 2),
        (errors.ConnectError, 3),
        (errors.HttpError, 3),
        (errors.ModelError, 3),
        (errors.EngineError, 3),
        (errors.StreamError, 4),
    ],
)
def test_every_kind_of_error_has_its_code(error: type[errors.SseTuiError], code: int) -> None:
    assert error("c", "m").exit_code == code


def test_every_error_class_has_a_code_and_a_kind_of_its_own() -> None:
    def below(kind: type[errors.SseTuiError]) -> set[type[errors.SseTuiError]]:
        children = set(kind.__subclasses__())
        return children.union(*(below(child) for child in children))

    kinds = [kind for kind in below(errors.SseTuiError) if kind.__module__ == errors.__name__]
    assert len(kinds) == 8
    assert all(kind.exit_code != Exit.FAILED for kind in kinds)
    assert all(errors.KINDS[kind.kind] is kind for kind in kinds)


def test_config_show_and_path(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(
        '[profiles.x]\nbase_url = "http://me:pw@h/v1"\n[profiles.x.headers]\nX-Api-Key = "hidden"\n'
    )
    environ = {"SSE_TUI_CONFIG": str(path), "SSE_TUI_LOCAL__N_CTX": "9"}

    assert cli("config", "path", more_env=environ).out == f"{path}\n"
    shown = cli("config", "show", more_env=environ)
    assert shown.code == 0
    assert "hidden" not in shown.out
    assert "pw" not in shown.out
    rows = [json.loads(line) for line in cli("config", "show", "--json", more_env=environ).out.splitlines()]
    values = {row["key"]: (row["value"], row["origin"]) for row in rows}
    assert values["local.n_ctx"] == (9, "env SSE_TUI_LOCAL__N_CTX")
    assert values["profiles.x.headers.X-Api-Key"] == ("***", f"file {path}:4")
    assert values["local.n_seq"] == (4, "default")


def test_completion_scripts(cli: Callable[..., Any]) -> None:
    for shell in ("bash", "zsh", "fish"):
        done = cli("completion", shell)
        assert done.code == 0
        assert "_SSE_TUI_COMPLETE" in done.out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_one_line_and_no_success(env: dict[str, str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sse_tui", "config", "show"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=env,
            timeout=20,
            check=False,
        )

    assert done.returncode == 1
    assert "stdout cannot be written" in one_line(done.stderr)


@pytest.mark.parametrize(("redirect", "code"), [(">&-", 2), ("<&-", 0), ("2>&-", 0)])
def test_a_closed_standard_stream_is_no_crash(env: dict[str, str], redirect: str, code: int) -> None:
    script = f"{sys.executable} -m sse_tui config path {redirect}"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=env, timeout=20, check=False
    )

    assert done.returncode == code
    assert "Traceback" not in done.stderr

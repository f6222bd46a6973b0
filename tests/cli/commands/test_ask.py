"""``ask`` against real endpoints: our own, started by it, and one that stands for a remote provider."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

PROGRAM = [sys.executable, "-m", "sse_tui"]
QUICK = ["--engine", "scripted", "--seed", "7", "--max-tokens", "20"]


def test_the_answer_and_nothing_else(cli: Callable[..., Any]) -> None:
    done = cli("ask", *QUICK, "Hello")

    assert (done.code, done.err) == (0, "")
    assert len(done.out.split()) > 5
    assert done.out.endswith("\n")
    assert done.out.count("\n") == 1


def test_json_is_one_object_with_the_fields_of_the_contract(cli: Callable[..., Any]) -> None:
    done = cli("ask", *QUICK, "--json", "Hello")

    assert (done.code, done.err) == (0, "")
    result = json.loads(done.out)
    assert result["text"]
    assert result["finish_reason"] in ("stop", "length")
    assert result["usage"]["output"] == 20
    assert result["clocks"]["ttft"] > 0
    assert result["gaps"]["token_events"] == 20
    assert result["error"] is None
    assert result["continuity"] is None
    for name in ("reasoning", "refusal", "tool_calls", "events", "event_types", "comments", "ids", "retry",
                 "last_event_id", "done_sentinel", "discarded_tail", "connections"):  # fmt: skip
        assert name in result


def test_a_cut_answer_is_the_uncut_one(cli: Callable[..., Any]) -> None:
    whole = cli("ask", *QUICK, "Hello")
    cut = cli("ask", *QUICK, "--json", "--fault", "cut@event=5", "Hello")

    result = json.loads(cut.out)
    assert result["text"].strip() == whole.out.strip()
    assert result["continuity"]["verdict"] == "lossless"
    assert [conn["close"] for conn in result["connections"]] == ["fault", "eof"]


def test_without_reconnecting_a_cut_answer_is_exit_4(cli: Callable[..., Any]) -> None:
    done = cli("ask", *QUICK, "--fault", "cut@event=5", "--reconnect", "never", "Hello")

    assert done.code == 4
    assert done.out.endswith("\n")
    assert done.err.startswith("sse-tui: error: ")
    assert done.err.count("\n") == 1


def test_the_prompt_comes_from_stdin(cli: Callable[..., Any], tmp_path: Path) -> None:
    for number, args in enumerate((["-"], [])):
        path = tmp_path / f"{number}.sse.jsonl"
        done = cli("ask", *QUICK, "--record", str(path), *args, input="Gr\u00fc\u00dfe\n".encode())
        assert done.code == 0
        assert "Gr\u00fc\u00dfe" in path.read_text()


def test_metrics_go_to_stderr(cli: Callable[..., Any]) -> None:
    done = cli("ask", *QUICK, "--metrics", "Hello")

    assert "TTFT" in done.err
    assert "TPOT (tokens from usage)" in done.err
    assert "TTFT" not in done.out


def test_recordings(cli: Callable[..., Any], env: dict[str, str]) -> None:
    folder = Path(env["SSE_TUI_STATE_DIR"]) / "recordings"

    cli("ask", *QUICK, "--no-record", "Hello")
    assert list(folder.glob("*")) == []
    cli("ask", *QUICK, "Hello")
    [recording] = folder.glob("*.sse.jsonl")
    assert cli("open", "--text", str(recording)).code == 0
    assert cli("ask", *QUICK, "--no-record", "--record", "x", "Hello").code == 2


@pytest.fixture
def remote(env: dict[str, str], tmp_path: Path) -> Iterator[str]:
    """A provider that asks for a key: our endpoint in its own process, with the profile "far" for it."""
    command = [*PROGRAM, "serve", "--engine", "scripted", "--port", "0", "--ttft-ms", "10", "--gap-ms", "1"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=env | {"SSE_TUI_TOKEN": "the-secret-key"}
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        base = line.split(" at ")[1].split()[0]
        config = tmp_path / "c.toml"
        config.write_text(
            f'profile = "far"\n[profiles.far]\nbase_url = "{base}"\nmodel = "scripted"\napi_key_env = "FAR_KEY"\n'
        )
        yield str(config)
        process.terminate()
        assert process.wait(20) == 0


def test_a_remote_profile(cli: Callable[..., Any], remote: str, tmp_path: Path) -> None:
    path = tmp_path / "r.sse.jsonl"
    environ = {"SSE_TUI_CONFIG": remote, "FAR_KEY": "the-secret-key"}

    done = cli("ask", "--json", "--max-tokens", "5", "--record", str(path), "Hello", more_env=environ)

    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["usage"]["output"] == 5
    assert "the-secret-key" not in path.read_text()
    assert "[redacted]" in path.read_text()


def test_a_wrong_key_is_exit_3_and_a_missing_one_exit_2(cli: Callable[..., Any], remote: str) -> None:
    wrong = cli("ask", "Hello", more_env={"SSE_TUI_CONFIG": remote, "FAR_KEY": "wrong-secret"})
    assert wrong.code == 3
    assert "401" in wrong.err
    assert "wrong-secret" not in wrong.err
    assert wrong.err.count("\n") == 1

    missing = cli("ask", "Hello", more_env={"SSE_TUI_CONFIG": remote})
    assert missing.code == 2
    assert "FAR_KEY" in missing.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("to_group", [False, True], ids=["program", "group"])
def test_an_interrupt_leaves_no_process(
    env: dict[str, str], number: signal.Signals, code: int, to_group: bool
) -> None:
    """To the group is what a terminal's ctrl+c does: the endpoint's process gets the signal as well."""
    command = [*PROGRAM, "ask", "--engine", "scripted", "--max-tokens", "5000", "Hello"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read(10)
        os.killpg(process.pid, number) if to_group else process.send_signal(number)
        _, err = process.communicate(timeout=20)

    assert process.returncode == code
    assert err.decode() == ("sse-tui: interrupted\n" if number == signal.SIGINT else "")
    gone = time.monotonic() + 10
    while _group_lives(process.pid) and time.monotonic() < gone:
        time.sleep(0.05)
    assert not _group_lives(process.pid)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_json_run_prints_the_text_so_far(
    env: dict[str, str], number: signal.Signals, tmp_path: Path
) -> None:
    path = tmp_path / "r.sse.jsonl"
    command = [*PROGRAM, "ask", "--engine", "scripted", "--max-tokens", "100000", "--json"]
    with subprocess.Popen(
        [*command, "--record", str(path), "Hello"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    ) as process:
        until = time.monotonic() + 20
        while time.monotonic() < until and not (path.exists() and path.stat().st_size > 20_000):
            time.sleep(0.02)
        process.send_signal(number)
        out, _ = process.communicate(timeout=20)

    assert process.returncode == 128 + number
    result = json.loads(out)
    assert result["text"].strip()
    assert result["outcome"] == "stopped"
    assert result["error"] == {
        "type": "other",
        "code": "interrupted",
        "message": "A signal ended the run.",
    }
    assert '"reason":"client"' in path.read_text()


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.model
def test_the_real_model_answers(cli: Callable[..., Any]) -> None:
    models = pytest.importorskip("sse_tui.models")
    try:
        path = models.resolve(models.DEFAULT_MODEL)
    except Exception as error:
        pytest.skip(f"no model: {error}")
    if not isinstance(path, Path):
        pytest.skip("the default model is not downloaded")
    args = ["ask", "--model", str(path), "--temperature", "0", "--max-tokens", "24", "Name three colours."]

    first, second = cli(*args), cli(*args, "--json")

    assert (first.code, first.err) == (0, "")
    assert json.loads(second.out)["text"].strip() == first.out.strip()
    assert json.loads(second.out)["usage"]["output"] > 3


def test_no_folder_for_recordings_is_a_clear_error(cli: Callable[..., Any]) -> None:
    done = cli("ask", *QUICK, "Hello", more_env={"SSE_TUI_STATE_DIR": "/dev/null/state"})

    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("sse-tui: error: Cannot create the directory /dev/null/state")
    assert done.err.count("\n") == 1


def test_what_a_server_answered_ends_with_one_full_stop(cli: Callable[..., Any]) -> None:
    done = cli("ask", "--engine", "scripted", "word " * 20_000)

    assert done.code == 3
    assert ".." not in done.err


def test_json_says_what_is_wrong_before_any_request(cli: Callable[..., Any], remote: str) -> None:
    """No key, no such model, no prompt, nobody at the address: the object is there all the same."""
    config = {"SSE_TUI_CONFIG": remote}
    key = config | {"FAR_KEY": "wrong-secret"}
    runs = [
        (cli("ask", "--json", "Hello", more_env=config), 2, "config", "FAR_KEY"),
        (cli("ask", "--json", "Hello", more_env=key), 3, "http", "401"),
        (cli("ask", "--json", "--model", "no-such-model", "Hello"), 3, "model", "no-such-model"),
        (cli("ask", "--json", *QUICK), 2, "usage", "prompt"),
        (cli("ask", "--json", *QUICK, "--base-url", "http://127.0.0.1:1/v1", "Hi"), 3, "connect", "refused"),
    ]
    for done, code, kind, words in runs:
        result = json.loads(done.out)
        assert done.code == code, done.err
        assert result["error"]["type"] == kind
        assert words in result["error"]["message"]
        assert result["text"] == ""
        assert result["outcome"] in ("failed", "refused")
        assert done.err.startswith("sse-tui: error: ")


def test_json_of_a_cut_answer_names_the_error_as_the_reopened_recording_does(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    path = str(tmp_path / "r.sse.jsonl")
    cut = ["--fault", "cut@event=5", "--reconnect", "never"]
    done = cli("ask", *QUICK, *cut, "--json", "--record", path, "Hello")

    result = json.loads(done.out)
    assert done.code == 4
    assert result["outcome"] == "truncated"
    assert result["text"].strip()
    assert (result["error"]["type"], result["error"]["code"]) == ("stream", "truncated-stream")
    reopened = json.loads(cli("report", "--format", "json", path).out)
    assert reopened["error"] == result["error"]


def test_a_429_is_in_the_object(cli: Callable[..., Any], server: Callable[..., str]) -> None:
    body = b'{"error":{"type":"rate_limit","code":429,"message":"slow down"}}'

    def refuse(connection: Any, _head: bytes) -> None:
        head = (
            f"HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        )
        connection.sendall(head.encode() + b"\r\nRetry-After: 7\r\n\r\n" + body)

    done = cli(
        "ask", "--json", "--base-url", server(refuse), "--reconnect", "never", "--dialect", "openai-chat",
        "--model", "m", "Hi",
    )  # fmt: skip
    assert done.code == 3
    error = json.loads(done.out)["error"]
    assert "429" in error["code"]
    assert "slow down" in error["message"]


def test_stdin_follows_the_prompt_after_a_blank_line(cli: Callable[..., Any], tmp_path: Path) -> None:
    def sent(*args: str, piped: bytes) -> str:
        path = tmp_path / "r.sse.jsonl"
        done = cli("ask", *QUICK, "--record", str(path), *args, input=piped)
        assert done.code == 0
        for line in path.read_text().splitlines():
            record = json.loads(line)
            if record.get("k") == "request":
                path.unlink()
                return str(json.loads(record["body"])["messages"][-1]["content"])
        raise AssertionError("no request")

    assert sent("Summarize this:", piped=b"  one\n  two\n") == "Summarize this:\n\n  one\n  two"
    assert sent("Hello", piped=b"") == "Hello"
    assert sent("Hello", piped=b" \n\n") == "Hello"
    assert sent("-", piped=b"alone\n") == "alone"
    assert sent(piped=b"alone\n") == "alone"


def test_a_silent_stdin_is_named(env: dict[str, str]) -> None:
    """A script whose stdin stays open, which was not meant as a prompt."""
    command = [*PROGRAM, "ask", *QUICK, "Hello"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    ) as process:
        assert process.stderr is not None
        assert b"reading stdin to its end" in process.stderr.readline()
        out, _ = process.communicate(b"", timeout=20)
    assert process.returncode == 0
    assert out

"""``report`` and ``export`` as a user runs them: what is printed, where, and the exit code."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

RECORDINGS = Path(__file__).parents[2] / "data/recordings"
RESUMED = str(RECORDINGS / "resumed.sse.jsonl")
STREAMS = Path(__file__).parents[2] / "data/streams"
CUT = str(STREAMS / "cut.sse")
WHOLE = str(STREAMS / "plain-usage.sse")


def test_a_healthy_stream_is_exit_0(cli: Callable[..., Any]) -> None:
    done = cli("report", WHOLE, "--expect", "complete, tokens.output>0")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("plain-usage.sse\n1 turn, 1 connection, ")
    assert "\n  pass  complete  (yes)\n" in done.out


def test_an_error_finding_is_exit_1_unless_told_otherwise(cli: Callable[..., Any]) -> None:
    done = cli("report", CUT)
    assert done.code == 1
    assert "E truncated-stream" in done.out
    assert done.err == ""
    assert cli("report", CUT, "--fail-on", "never").code == 0
    assert cli("report", RESUMED).code == 0
    assert cli("report", RESUMED, "--fail-on", "warning").code == 1


def test_an_expectation_that_fails_is_exit_1(cli: Callable[..., Any]) -> None:
    done = cli("report", WHOLE, "--expect", "complete", "--expect", "events>1k, !truncated")
    assert done.code == 1
    assert "FAIL  events>1k" in done.out


def test_stdin(cli: Callable[..., Any]) -> None:
    done = cli("report", "-", "--format", "json", input=Path(CUT).read_bytes())
    assert done.code == 1
    out = json.loads(done.out)
    assert out["recording"]["name"] == "standard input"
    assert out["outcome"] == "truncated"
    assert [finding["rule"] for finding in out["findings"] if finding["severity"] == "error"] == [
        "truncated-stream"
    ]


def test_every_form_goes_to_a_file_too(cli: Callable[..., Any], tmp_path: Path) -> None:
    for form in ("text", "json", "md", "html", "junit"):
        printed = cli("report", RESUMED, "--format", form)
        path = tmp_path / f"report.{form}"
        path.write_text("old")
        done = cli("report", RESUMED, "--format", form, "-o", str(path))
        assert (done.code, done.out, done.err) == (0, "", "")
        assert path.read_text() == printed.out
    assert ElementTree.parse(tmp_path / "report.junit").getroot().tag == "testsuites"
    assert len(json.loads((tmp_path / "report.json").read_text())["turns"]) == 2


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["report", "missing.sse"], "missing.sse"),
        (["report", WHOLE, "--expect", "ttfx<5"], "Did you mean ttft"),
        (["report", WHOLE, "--expect", "ttft<5kg"], "is not a unit for ttft"),
        (["report", WHOLE, "--format", "pdf"], "pdf"),
        (["report", WHOLE, "--dialect", "klingon"], "klingon"),
        (["report", WHOLE, "-o", "no/such/folder/x"], "Cannot write"),
        (["export", WHOLE], "--to"),
        (["export", WHOLE, "--to", "curl"], "does not have the request of connection 1"),
        (["export", WHOLE, "--to", "sse", "--conn", "7"], "no connection 7"),
        (["export", WHOLE, "--to", "md", "--conn", "1"], "--conn"),
        (["replay", "missing.sse"], "missing.sse"),
        (["replay", WHOLE, "--speed", "-1"], "Invalid --speed -1"),
        (["replay", WHOLE, "--port", "70000"], "70000"),
    ],
    ids=lambda value: " ".join(Path(word).name for word in value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_exit_2_with_one_line(cli: Callable[..., Any], args: list[str], says: str) -> None:
    done = cli(*args)
    assert done.code == 2
    assert says in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_an_export_is_read_back_by_every_command(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "a.har"
    assert cli("export", RESUMED, "--to", "har", "-o", str(path)).code == 0
    assert cli("open", "--json", str(path)).out == cli("open", "--json", RESUMED).out
    assert cli("tail", "--json", str(path)).out == cli("tail", "--json", RESUMED).out
    ours = json.loads(cli("report", "--format", "json", RESUMED).out)
    theirs = json.loads(cli("report", "--format", "json", str(path)).out)
    assert theirs["turns"] == ours["turns"]


def test_the_raw_stream(cli: Callable[..., Any], tmp_path: Path) -> None:
    done = cli("export", WHOLE, "--to", "sse")
    assert done.raw == Path(WHOLE).read_bytes()
    first = cli("export", RESUMED, "--to", "sse", "--conn", "1")
    assert first.raw.count(b"\ndata: ") == 28
    assert cli("export", "-", "--to", "sse", input=Path(WHOLE).read_bytes()).raw == Path(WHOLE).read_bytes()


def test_the_other_exports(cli: Callable[..., Any]) -> None:
    assert cli("export", RESUMED, "--to", "md").out == cli("report", RESUMED, "--format", "md").out
    curl = cli("export", RESUMED, "--to", "curl").out
    assert "--header 'authorization: '\"$AUTHORIZATION\"" in curl
    assert "def test_stream" in cli("export", RESUMED, "--to", "pytest").out


CURL_I = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
CURL_V = (
    b"* Connected to h (127.0.0.1) port 80\n> GET /x HTTP/1.1\r\n> Host: h\r\n> \r\n"
    b"< HTTP/1.1 200 OK\r\n< Content-Type: text/event-stream\r\n< \r\n"
)


@pytest.mark.parametrize("before", [b"", CURL_I, CURL_V], ids=["curl -N", "curl -i", "curl -v"])
def test_what_curl_printed(cli: Callable[..., Any], before: bytes) -> None:
    body = Path(WHOLE).read_bytes()
    plain = json.loads(cli("report", "--format", "json", WHOLE).out)
    done = cli("report", "--format", "json", "-", input=before + body)
    out = json.loads(done.out)
    assert {name: out[name] for name in ("text", "events", "usage", "finish_reason", "outcome")} == {
        name: plain[name] for name in ("text", "events", "usage", "finish_reason", "outcome")
    }
    assert cli("tail", "-", "--raw", input=before + body).raw == body


def test_secrets_of_a_verbose_curl_are_masked_in_every_form(cli: Callable[..., Any]) -> None:
    key = "geheimnis-0815"
    delta = {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"content": f"your key {key}"}}],
    }
    capture = (
        f"* Connected to h (127.0.0.1) port 80\n> GET /x?sig=sig-{key} HTTP/1.1\n> Host: h\n"
        f"> Helicone-Auth: Bearer {key}\n> \n< HTTP/1.1 200 OK\n< Content-Type: text/event-stream\n< \n"
        f"id: {key}\ndata: {json.dumps(delta)}\n\n"
    )
    for form in ("text", "md", "html", "junit", "json"):
        done = cli("report", "-", "--format", form, input=capture.encode())
        assert key not in done.out, form
    out = json.loads(done.out)
    assert (out["text"], out["last_event_id"]) == ("your key [redacted]", "[redacted]")


def test_secrets_of_another_tool_s_capture_stay_in_it(cli: Callable[..., Any], tmp_path: Path) -> None:
    delta = {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"content": "your key geheimnis-2"}}],
    }
    chunk = f"data: {json.dumps(delta)}\n\n"
    entry = {
        "startedDateTime": "2026-11-30T13:00:00Z",
        "request": {
            "method": "GET",
            "url": "https://h/s?key=geheimnis-1",
            "headers": [{"name": "Authorization", "value": "Bearer geheimnis-2"}],
        },
        "response": {
            "status": 200,
            "headers": [{"name": "set-cookie", "value": "sid=geheimnis-3"}],
            "content": {"mimeType": "text/event-stream", "text": chunk},
        },
    }
    path = tmp_path / "a.har"
    path.write_text(json.dumps({"log": {"entries": [entry]}}))
    for form in ("har", "sse", "curl", "pytest", "md"):
        done = cli("export", str(path), "--to", form)
        assert done.code == 0
        assert "geheimnis-1" not in done.out + done.err
        assert "geheimnis-2" not in done.out
        assert "geheimnis-3" not in done.out
    for form in ("text", "md", "html", "junit", "json"):
        done = cli("report", str(path), "--format", form)
        assert "geheimnis" not in done.out
        assert form == "junit" or "your key [redacted]" in done.out


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl")
@pytest.mark.parametrize("options", ["-N", "-iN", "-vN", "-vsN"])
def test_what_the_real_curl_prints(
    cli: Callable[..., Any], server: Callable[..., Any], env: dict[str, str], options: str
) -> None:
    body = Path(WHOLE).read_bytes()

    def handle(connection: object, _head: bytes) -> None:
        connection.sendall(  # type: ignore[attr-defined]
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        )

    # The remarks and the progress meter of -v go to stderr, among the body where both are one file.
    errors = subprocess.STDOUT if "v" in options else subprocess.DEVNULL
    printed = subprocess.run(
        ["curl", options, server(handle)], stdout=subprocess.PIPE, stderr=errors, timeout=20, check=True
    ).stdout
    assert cli("tail", "-", "--raw", input=printed).raw == body


def test_a_replay_ends_on_a_signal_and_serves_until_then(
    env: dict[str, str], cli: Callable[..., Any]
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "sse_tui", "replay", RESUMED, "--speed", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        assert url.endswith("/v1/chat/completions")
        done = cli("tail", "--json", url, "--reconnect", "never")
        assert done.code == 4
        rows = [json.loads(line) for line in done.out.splitlines()]
        assert sum(row["kind"] == "event" for row in rows) == 28
        taken = cli("replay", RESUMED, "--port", url.split(":")[2].split("/")[0])
        assert taken.code == 3
        assert "Cannot listen on port" in taken.err
        process.terminate()
        _, err = process.communicate(timeout=10)
    assert process.returncode == 143
    assert "200, connection 1, ends by cut" in err
    assert "Traceback" not in err

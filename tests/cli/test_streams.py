"""``tail`` and ``open`` on real sockets, files and pipes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAM = [sys.executable, "-m", "sse_tui"]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


def stream(*parts: bytes, whole: bool = True) -> Callable[[socket.socket, bytes], None]:
    """Sends `parts` as one chunk each, and the last chunk only when the stream is to be whole."""

    def handle(connection: socket.socket, _head: bytes) -> None:
        connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        for part in parts:
            connection.sendall(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        if whole:
            connection.sendall(b"0\r\n\r\n")

    return handle


def chat_stream(*pieces: str, done: bool = True) -> list[bytes]:
    """The events of an OpenAI chat answer with these pieces of text."""
    events: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}
    ]
    events += [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    sent = [b"data: " + json.dumps(head | event).encode() + b"\n\n" for event in events]
    return [*sent, b"data: [DONE]\n\n"] if done else sent


def test_the_text_of_a_known_dialect(cli: Callable[..., Any], server: Callable[..., Any]) -> None:
    done = cli("tail", server(stream(*chat_stream("Hel", "lo", " w\u00f6rld"))))

    assert (done.code, done.err) == (0, "")
    assert done.out == "Hello w\u00f6rld\n"


def test_one_line_an_event_of_an_unknown_one(cli: Callable[..., Any], server: Callable[..., Any]) -> None:
    url = server(stream(b"data: one\n\n", b": beat\n\nevent: ping\ndata: a\ndata: b\n\n"))

    done = cli("tail", url, "--reconnect", "never")

    assert (done.code, done.err) == (0, "")
    assert done.out == "one\nping: a\\nb\n"


def test_json_lines_have_the_fields_of_the_contract(
    cli: Callable[..., Any], server: Callable[..., Any]
) -> None:
    body = b"retry: 10\nid: 7\ndata: x\n\n: note\n\nfoo: bar\n\ndata: cut"
    done = cli("tail", server(stream(body)), "--json", "--reconnect", "never")

    rows = [json.loads(line) for line in done.out.splitlines()]
    by_kind = {row["kind"]: row for row in rows}
    event = by_kind["event"]
    assert {key: event[key] for key in ("type", "data", "id", "conn")} == {
        "type": "message", "data": "x", "id": "7", "conn": 1,
    }  # fmt: skip
    assert body[event["start"] : event["end"]].rstrip(b"\n").endswith(b"data: x")
    assert event["t_ms"] > 0
    assert "gap_ms" in event
    assert by_kind["comment"]["text"] == " note"
    assert by_kind["retry"]["ms"] == 10
    assert by_kind["ignored"]["line"] == "foo: bar"
    assert by_kind["tail"]["text"] == "data: cut"
    assert by_kind["request"]["method"] == "GET"
    assert by_kind["response"]["status"] == 200
    assert by_kind["close"]["reason"] == "eof"


def test_raw_is_byte_for_byte(cli: Callable[..., Any], server: Callable[..., Any]) -> None:
    body = b"\xef\xbb\xbfdata: \xff\x1b[31m\r\n\r\ndata: \xe2\x82"

    done = cli("tail", server(stream(body)), "--raw", "--reconnect", "never")

    assert done.raw == body


def test_curls_options_reach_the_server(
    cli: Callable[..., Any], server: Callable[..., Any], tmp_path: Path
) -> None:
    seen: list[bytes] = []

    def handle(connection: socket.socket, head: bytes) -> None:
        seen.append(head)
        stream(*chat_stream("ok"))(connection, head)

    url = server(handle)
    cli("tail", url, "-H", "X-One: 1", "-u", "me:pw", "-d", '{"a":1}', "-X", "PUT")
    cli("tail", "--curl", f"curl -N {url} -H 'X-Two: 2' -d 'b'")

    first, second = (head.lower() for head in seen)
    assert first.startswith(b"put /stream ")
    assert b"x-one: 1" in first
    assert b"authorization: basic bwu6chc=" in first
    assert second.startswith(b"post /stream ")
    assert b"x-two: 2" in second


def test_a_truncated_stream_is_exit_4_with_its_text(
    cli: Callable[..., Any], server: Callable[..., Any]
) -> None:
    done = cli("tail", server(stream(*chat_stream("Hel", "lo")[:-2], whole=False)), "--reconnect", "never")

    assert done.code == 4
    assert done.out == "Hello\n"
    assert done.err.startswith("sse-tui: error: ")
    assert done.err.count("\n") == 1


def test_an_answer_that_is_no_stream_is_exit_3(cli: Callable[..., Any], server: Callable[..., Any]) -> None:
    def handle(connection: socket.socket, _head: bytes) -> None:
        body = b"<html>Bad \x1b[31m gateway</html>"
        connection.sendall(
            b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s"
            % (len(body), body)
        )

    done = cli("tail", server(handle), "--reconnect", "never")

    assert (done.code, done.out) == (3, "")
    assert "502" in done.err
    assert "\x1b" not in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("options", [[], ["--json"], ["--max-events", "1"], ["--max-events", "1", "--json"]])
@pytest.mark.parametrize(
    ("head", "says"),
    [
        (
            "404 Not Found\r\nContent-Type: text/event-stream",
            '404 Not Found (text/event-stream); its body: "data: no event"',
        ),
        (
            "200 OK\r\nContent-Type: text/plain",
            'text/plain instead of text/event-stream; its body: "data: no event"',
        ),
    ],
)
def test_the_body_of_a_refusal_is_an_error_and_no_events(
    cli: Callable[..., Any], server: Callable[..., Any], head: str, says: str, options: list[str]
) -> None:
    def handle(connection: socket.socket, _head: bytes) -> None:
        connection.sendall(f"HTTP/1.1 {head}\r\nContent-Length: 16\r\n\r\ndata: no event\n\n".encode())

    done = cli("tail", server(handle), *options)

    assert done.code == 3
    assert says in done.err
    assert done.err.count("\n") == 1
    kinds = [json.loads(line)["kind"] for line in done.out.splitlines()]
    assert "event" not in kinds
    assert bool(kinds) == ("--json" in options)


def answers(*responses: str) -> tuple[Callable[[socket.socket, bytes], None], list[bytes]]:
    """Gives the responses one after the other; what was asked is in the list."""
    asked: list[bytes] = []

    def handle(connection: socket.socket, head: bytes) -> None:
        asked.append(head)
        connection.sendall(responses[min(len(asked), len(responses)) - 1].encode())

    return handle, asked


BUSY = (
    "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Type: application/json\r\n"
    'Content-Length: 35\r\n\r\n{"error": {"message": "slow down"}}'
)
STREAM = HEAD.decode() + "\r\nid: 1\ndata: x\n\n"


@pytest.mark.parametrize("form", [[], ["--json"], ["--raw"]])
@pytest.mark.parametrize("policy", [[], ["--reconnect", "never"]])
def test_a_busy_server_is_told_and_not_waited_for(
    cli: Callable[..., Any], server: Callable[..., Any], policy: list[str], form: list[str]
) -> None:
    handler, asked = answers(BUSY, STREAM)

    done = cli("tail", server(handler), *policy, *form)

    assert (done.code, len(asked)) == (3, 1)
    assert "429 Too Many Requests (application/json, Retry-After: 1): slow down" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("form", [[], ["--json"], ["--raw"]])
def test_a_busy_server_is_waited_for_on_request_and_told_at_once(
    cli: Callable[..., Any], server: Callable[..., Any], form: list[str]
) -> None:
    handler, asked = answers(BUSY, STREAM)

    began = time.monotonic()
    done = cli("tail", server(handler), "--reconnect", "last-event-id", "--max-reconnects", "1", *form)

    assert (done.code, len(asked)) == (0, 2)
    assert time.monotonic() - began > 1
    first, last = done.err.splitlines()
    assert (
        "429 Too Many Requests (application/json, Retry-After: 1): slow down. The request is repeated in 1"
        in first
    )
    assert last.endswith(
        "It is not requested again (the limit of 1 reconnect for one request, --max-reconnects, is reached)."
    )


@pytest.mark.parametrize(
    ("options", "head", "body", "says"),
    [
        (
            [],
            "text/event-stream",
            ": hi\n\n",
            "The stream ended without an event (6 bytes, 1 comment). It is not requested again (",
        ),
        (
            [],
            "text/event-stream",
            ": hi\n\ndata: x\n\n",
            "The stream ended after 1 event (15 bytes, 1 comment). It is not requested again (nothing to resume from",
        ),
        (
            ["--any-type"],
            "application/json",
            '{"a": 1}\n',
            "The stream ended without an event (9 bytes, application/json, 1 line that the standard ignores).",
        ),
        (["--any-type"], "text/plain", "just text", "without an event (9 bytes, text/plain)."),
        (["-d", "{}"], "text/event-stream", "data: x\n\n", ""),
        (
            ["-d", "{}", "--reconnect", "always"],
            "text/event-stream",
            "data: x\n\ndata: [DONE]\n\n",
            "(23 bytes). It is not requested again (the stream said that it had ended).",
        ),
    ],
)
def test_a_stream_with_nothing_to_go_on_from_is_asked_for_once(
    cli: Callable[..., Any],
    server: Callable[..., Any],
    options: list[str],
    head: str,
    body: str,
    says: str,
) -> None:
    handler, asked = answers(f"HTTP/1.1 200 OK\r\nContent-Type: {head}\r\n\r\n{body}")

    done = cli("tail", server(handler), *options)

    assert (done.code, len(asked)) == (0, 1)
    assert says in done.err
    assert done.err.count("sse-tui: The stream") == bool(says)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("", "The response's body is empty."),
        ("data: [DONE]\n\n", "The answer is empty: no text and no tool call."),
    ],
)
def test_a_stream_that_holds_nothing_is_an_error(
    cli: Callable[..., Any], server: Callable[..., Any], body: str, says: str
) -> None:
    handler, asked = answers(f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{body}")

    done = cli("tail", server(handler))

    assert (done.code, len(asked)) == (4, 1)
    assert done.err.startswith(f"sse-tui: error: {says}")
    assert done.err.count("empty") == 1


def endless(connection: socket.socket, _head: bytes) -> None:
    connection.sendall(HEAD + b"\r\n")
    for number in range(1_000):
        connection.sendall(f"data: {number}\n\n".encode())
        time.sleep(0.01)


def test_a_broken_pipe_ends_quietly(server: Callable[..., Any], env: dict[str, str]) -> None:
    url = server(endless)
    script = f"{' '.join(PROGRAM)} tail {url} --json | head -3; echo ${{PIPESTATUS[0]}}"

    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=env, timeout=20, check=True
    )

    *rows, code = done.stdout.splitlines()
    assert code == "0"
    assert len(rows) == 3
    assert all(json.loads(row)["kind"] for row in rows)
    assert done.stderr == ""


def test_a_broken_pipe_is_noticed_while_the_stream_is_silent(
    server: Callable[..., Any], env: dict[str, str]
) -> None:
    def handle(connection: socket.socket, _head: bytes) -> None:
        connection.sendall(HEAD + b"\r\ndata: 1\n\n")
        connection.recv(1)

    script = f"{' '.join(PROGRAM)} tail {server(handle)} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=env, timeout=20, check=True
    )

    assert done.stdout == "1\n0\n"
    assert done.stderr == ""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_end_in_order(
    server: Callable[..., Any], env: dict[str, str], tmp_path: Path, number: signal.Signals, code: int
) -> None:
    path = tmp_path / "r.sse.jsonl"
    command = [*PROGRAM, "tail", server(endless), "--record", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.send_signal(number)
        _, err = process.communicate(timeout=20)

    assert process.returncode == code
    assert err.decode() == ("sse-tui: interrupted\n" if number == signal.SIGINT else "")
    kinds = [json.loads(line).get("k") for line in path.read_text().splitlines()]
    assert kinds[-1] == "end"


def test_max_events(cli: Callable[..., Any], server: Callable[..., Any]) -> None:
    done = cli("tail", server(endless), "--max-events", "2")

    assert (done.code, done.out, done.err) == (0, "0\n1\n", "")


def test_a_recording_reads_as_the_stream_did(
    cli: Callable[..., Any], server: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "r.sse.jsonl"
    live = cli("tail", server(stream(*chat_stream("Hel", "lo"))), "--json", "--record", str(path))

    assert live.code == 0
    again = cli("open", "--json", str(path))
    assert again.code == 0
    wanted = [json.loads(line) for line in live.out.splitlines()]
    got = [json.loads(line) for line in again.out.splitlines()]
    assert [row for row in got if row["kind"] != "end"] == wanted
    assert cli("open", "--text", str(path)).out == "Hello\n"
    assert cli("tail", str(path)).out == "Hello\n"


def test_raw_streams_from_files_and_stdin(cli: Callable[..., Any], tmp_path: Path) -> None:
    body = b"".join(chat_stream("Hel", "lo"))
    (tmp_path / "x.sse").write_bytes(body)

    assert cli("open", "--text", "x.sse").out == "Hello\n"
    assert cli("tail", "x.sse").out == "Hello\n"
    assert cli("open", "--text", "-", input=body).out == "Hello\n"
    assert cli("tail", "-", input=body).out == "Hello\n"
    assert cli("tail", "-", "--raw", input=body).raw == body
    cut = cli("open", "--json", "-", input=body[:-20])
    assert cut.code == 4
    assert cut.err.count("\n") == 1


def test_an_error_in_the_stream_is_exit_4(cli: Callable[..., Any]) -> None:
    body = (
        b"".join(chat_stream("Hel", done=False)[:-1])
        + b'data: {"error": {"message": "boom", "code": 500}}\n\n'
    )

    done = cli("tail", "-", input=body)

    assert done.code == 4
    assert "boom" in done.err


def test_what_is_no_stream_is_exit_2(cli: Callable[..., Any]) -> None:
    for data in (b"", b"\x1f\x8b" + os.urandom(100)):
        done = cli("tail", "-", input=data)
        assert done.code == 2
        assert done.err.count("\n") == 1


def test_faults_and_resume(cli: Callable[..., Any], server: Callable[..., Any]) -> None:
    def handle(connection: socket.socket, head: bytes) -> None:
        after = 0
        for line in head.split(b"\r\n"):
            if line.lower().startswith(b"last-event-id:"):
                after = int(line.split(b":")[1])
        connection.sendall(HEAD + b"\r\n")
        for number in range(after + 1, 6):
            connection.sendall(f"id: {number}\nretry: 10\ndata: {number}\n\n".encode())
            time.sleep(0.05)
        time.sleep(0.2)

    done = cli(
        "tail", server(handle), "--fault", "cut@event=3", "--max-events", "5", "--reconnect", "last-event-id"
    )

    assert (done.code, done.out) == (0, "1\n2\n3\n4\n5\n")


@pytest.mark.parametrize(
    ("option", "code"), [("--idle-timeout", 4), ("--first-byte-timeout", 3), ("--total-timeout", 4)]
)
def test_timeouts(cli: Callable[..., Any], server: Callable[..., Any], option: str, code: int) -> None:
    def handle(connection: socket.socket, _head: bytes) -> None:
        if option != "--first-byte-timeout":
            connection.sendall(HEAD + b"\r\ndata: 1\n\n")
        connection.recv(1)

    done = cli("tail", server(handle), option, "0.3", "--reconnect", "never")

    assert done.code == code
    assert done.err.startswith("sse-tui: error: ")
    assert done.err.count("\n") == 1
    assert done.out == ("" if code == 3 else "1\n")


def test_a_folder_is_no_stream(cli: Callable[..., Any], tmp_path: Path) -> None:
    for args in (["tail", str(tmp_path)], ["open", "--json", str(tmp_path)], ["open", str(tmp_path)]):
        done = cli(*args)
        assert done.code == 2
        assert done.err.count("\n") == 1


def test_a_host_without_a_scheme_is_a_url(cli: Callable[..., Any], server: Callable[..., Any]) -> None:
    url = server(stream(b"data: x\n\n"))

    assert cli("tail", url.removeprefix("http://"), "--reconnect", "never").out == "x\n"


def two_choices() -> list[bytes]:
    """The events of an answer with two choices that take turns."""
    pieces = [(0, "One ", None), (1, "Uno ", None), (1, "due", "stop"), (0, "two", "stop")]
    choices = [
        {"index": index, "delta": {"content": text}, "finish_reason": finish}
        for index, text, finish in pieces
    ]
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    sent = [b"data: " + json.dumps(head | {"choices": [choice]}).encode() + b"\n\n" for choice in choices]
    return [*sent, b"data: [DONE]\n\n"]


def test_further_choices_follow_the_first(
    cli: Callable[..., Any], server: Callable[..., Any], tmp_path: Path
) -> None:
    expected = "One two\n\n--- choice 1 ---\nUno due\n"
    assert cli("tail", server(stream(*two_choices()))).out == expected

    asked = server(stream(*two_choices()))
    profile = ["--base-url", asked, "--model", "m"]
    assert cli("ask", "count", *profile).out == expected
    found = json.loads(cli("ask", "count", "--json", *profile).out)
    assert found["text"] == "One two"
    assert [(choice["index"], choice["text"]) for choice in found["choices"]] == [
        (0, "One two"),
        (1, "Uno due"),
    ]

    path = tmp_path / "two.sse"
    path.write_bytes(b"".join(two_choices()))
    assert cli("open", "--text", str(path)).out == expected
    assert cli("tail", str(path), "--max-events", "1").out == "One "


def test_an_index_that_counts_the_chunks_is_one_text(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "counted.sse"
    choices = [{"index": at, "delta": {"content": f"{at} "}} for at in range(5)]
    payloads = [{"object": "chat.completion.chunk", "choices": [choice]} for choice in choices]
    path.write_bytes(b"".join(b"data: " + json.dumps(payload).encode() + b"\n\n" for payload in payloads))
    assert cli("open", "--text", str(path)).out == "0 1 2 3 4 \n"

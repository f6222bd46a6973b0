"""What is printed is what the server sent; what is written to a file or to stderr holds no key."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sse_tui.config import Profile
from sse_tui.resume import Policy
from sse_tui.session.headless import Headless
from sse_tui.session.spec import SessionSpec
from sse_tui.transport import StreamRequest
from tests.recording.test_secret_values import common_words
from tests.transport.wire import Step, response, wire

KEY = "Key-0123456789-abcdef"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
COOKIES = ("theme=default", "lang=content", "session=finish_reason", "mode=choices", "auth=delta")


def delta(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    body = {"object": "chat.completion.chunk", "choices": [choice]}
    return b"data: " + json.dumps(body).encode() + b"\n\n"


def preferring(connection: socket.socket, _head: bytes) -> None:
    """An answer of the words that the cookies before it hold."""
    cookies = "".join(f"Set-Cookie: {cookie}\r\n" for cookie in COOKIES).encode()
    words = b"".join(delta(f"default content {name} ") for name in ("finish_reason", "choices", "delta"))
    connection.sendall(HEAD + cookies + b"\r\n" + words + b"data: [DONE]\n\n")


TEXT = "default content finish_reason default content choices default content delta "


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("form", [[], ["--json"], ["--raw"]])
def test_preferences_in_cookies_change_nothing(
    form: list[str], recorded: bool, cli: Callable[..., Any], server: Callable[..., str], tmp_path: Path
) -> None:
    more = ["--record", "a.sse.jsonl"] if recorded else []
    done = cli("tail", server(preferring), "--reconnect", "never", *form, *more)
    assert done.code == 0, done.err
    assert "*" not in done.out
    if not form:
        assert done.out == TEXT + "\n"
    if recorded:
        assert cli("open", "a.sse.jsonl", "--text").out == TEXT + "\n"


def test_an_answer_is_printed_whole(cli: Callable[..., Any], server: Callable[..., str]) -> None:
    done = cli("ask", "Hello", "--base-url", server(preferring), "--model", "m", "--no-record")
    assert (done.code, done.out) == (0, TEXT + "\n"), done.err


@pytest.mark.parametrize("key", ["sk-proj-0123456789abcdef", "Key_0123456789_abcdef99"])
@pytest.mark.parametrize(
    "args",
    [["ask", "Hi", "--base-url", "http://127.0.0.1:1", "--model", "m", "--key-env"],
     ["tail", "http://127.0.0.1:1", "--key-env"], ["bundle", "-", "--secret-env"], ["serve", "--token-env"]],
)  # fmt: skip
def test_a_key_in_place_of_a_name_is_not_repeated(args: list[str], key: str, cli: Callable[..., Any]) -> None:
    """As in stakpak/agent#744, where the refusal of a malformed key logs the key."""
    done = cli(*args, key, input=b"data: x\n\n")
    assert done.code == 2
    assert "not the name of an environment variable" in done.err
    assert key not in done.err


def test_a_refused_key_is_masked_as_the_server_repeats_it(
    cli: Callable[..., Any], server: Callable[..., str]
) -> None:
    """As in Unstructured-IO/unstructured-api#578: a key pasted with spaces around it is refused with its text."""

    def refuse(connection: socket.socket, _head: bytes) -> None:
        body = json.dumps({"detail": f"API key  {KEY}  is invalid"}).encode()
        connection.sendall(
            b"HTTP/1.1 401 No\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
            % (len(body), body)
        )

    done = cli("tail", server(refuse), "-H", f"unstructured-api-key:   {KEY}  ")
    assert done.code == 3
    assert "is invalid" in done.err
    assert KEY not in done.err


@pytest.mark.parametrize(
    "key",
    ["ghp_" + "a1B2" * 9, "gho_" + "a1B2" * 9, "github_pat_" + "a1B2_" * 12, "glpat-" + "a1B2" * 6, "AKIA" + "A1B2" * 4,
     "hf_" + "aBcD" * 8 + "eF", "gsk_" + "a1B2" * 13, "xoxp-" + "1234-" * 6],
)  # fmt: skip
def test_keys_of_known_forms_in_free_text(key: str, cli: Callable[..., Any], tmp_path: Path) -> None:
    """As in yeongseon/azure-functions-logging-python#441: nothing names the key in a message."""
    (tmp_path / "a.sse").write_bytes(delta(f"connecting with token={key} now"))
    done = cli("bundle", "a.sse", "-o", "b")
    assert done.code == 0, done.err
    assert key not in (tmp_path / "b" / "recording.sse.jsonl").read_text()
    assert key not in cli("tail", "http://127.0.0.1:1/", "-H", "a:", key).err


async def test_two_thousand_common_words_behind_cookies_of_the_same_words(tmp_path: Path) -> None:
    words = common_words(2000)
    groups = [words[at : at + 80] for at in range(0, len(words), 80)]
    scripts: list[list[Step]] = []
    for number, group in enumerate(groups):
        cookies = b"".join(
            f"Set-Cookie: {name}={word}\r\n".encode()
            for at, word in enumerate(group)
            for name in [f"c{at}" if number % 2 else f"session{at}"]
        )
        body = [delta(f"{word} ") for word in group]
        scripts.append([HEAD + cookies + b"\r\n" + b"".join(body)])
    path = tmp_path / "a.sse.jsonl"
    async with wire(*scripts) as server:
        request = StreamRequest("GET", server.url, [("Authorization", "Bearer default")])
        async with Headless(
            SessionSpec(mode="inspect", request=request, policy=Policy("never")), path
        ) as session:
            for _ in groups:
                async for _entry in session.inspect():
                    pass
    expected = ["".join(f"{word} " for word in group) for group in groups]
    assert [turn.answer.text for turn in session.analysis.turns] == expected
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    bodies = "".join(line["text"] for line in lines if line.get("k") == "chunk")
    assert bodies == "".join(delta(f"{word} ").decode() for word in words)


async def test_an_echoed_key_is_printed_as_it_came_and_recorded_masked(tmp_path: Path) -> None:
    path = tmp_path / "a.sse.jsonl"
    async with wire(
        [response("200 OK", delta(f"your key is {KEY}"), Content_Type="text/event-stream")]
    ) as server:
        request = StreamRequest("GET", server.url, [("Authorization", f"Bearer {KEY}")])
        async with Headless(
            SessionSpec(mode="inspect", request=request, policy=Policy("never")), path
        ) as session:
            seen = [entry async for entry in session.inspect()]
    assert session.analysis.turns[0].answer.text == f"your key is {KEY}"
    assert KEY not in path.read_text()
    asked = next(entry.record for entry in seen if entry.kind == "request")
    assert KEY not in repr(asked)


@pytest.mark.parametrize("where", ["body", "reason", "plain"])
@pytest.mark.parametrize("command", ["ask", "tail"])
def test_an_echoed_key_is_masked_on_stderr(
    where: str, command: str, cli: Callable[..., Any], server: Callable[..., str]
) -> None:
    spelled = "".join(f"\\u{ord(char):04x}" for char in KEY)
    bodies = {
        "body": f'{{"error":{{"message":"Bad key {KEY}."}}}}',
        "reason": "",
        "plain": f"no {spelled} {KEY}",
    }
    reason = f"Bad {KEY}" if where == "reason" else "Unauthorized"
    kind = "application/json" if where == "body" else "text/plain"

    def refuse(connection: socket.socket, _head: bytes) -> None:
        body = bodies[where]
        connection.sendall(
            f"HTTP/1.1 401 {reason}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )

    url = server(refuse)
    args = ["tail", url, "-H", f"Authorization: Bearer {KEY}"]
    if command == "ask":
        args = ["ask", "Hello", "--base-url", url, "--model", "m", "--no-record", "-H", f"x-api-key: {KEY}"]
    done = cli(*args)
    assert done.code == 3
    assert "401" in done.err
    assert KEY not in done.err
    assert spelled not in done.err
    assert "[redacted]" in done.err


@pytest.mark.parametrize("command", [["open", "--text"], ["tail"]])
def test_an_echo_in_a_capture_is_masked_on_stderr(
    command: list[str], cli: Callable[..., Any], tmp_path: Path
) -> None:
    error = json.dumps({"object": "chat.completion.chunk", "error": {"message": f"bad key {KEY}"}})
    capture = (
        f"> GET /x HTTP/1.1\n> Host: h\n> X-Master-Key: {KEY}\n> \n< HTTP/1.1 200 OK\n"
        f"< Content-Type: text/event-stream\n< \n" + delta("hi").decode() + f"data: {error}\n\n"
    )
    (tmp_path / "a.txt").write_text(capture)
    done = cli(*command, "a.txt")
    assert (done.code, KEY in done.err) == (4, False), done.err
    assert "bad key [redacted]" in done.err


@pytest.mark.parametrize(
    "header",
    [
        f"Authorization Bearer {KEY}",
        f"Authorization: Bearer {KEY}\n",
        f"{KEY}",
        f"Authorization Bearer {KEY}: x",
    ],
)
def test_a_malformed_header_is_not_repeated(header: str, cli: Callable[..., Any]) -> None:
    done = cli("tail", "http://127.0.0.1:1/", "-H", header)
    assert done.code in (2, 3)
    assert KEY not in done.err


def test_a_key_in_the_wrong_place_is_not_repeated(cli: Callable[..., Any]) -> None:
    key = "sk-proj-" + "Ab3" * 12
    done = cli("tail", "http://127.0.0.1:1/", "-H", "Authorization:", "Bearer", key)
    assert done.code == 2
    assert key not in done.err


def test_the_key_of_a_profile_is_masked_before_any_request_was_made() -> None:
    profile = Profile(base_url=f"http://me:{KEY}@127.0.0.1:1/v1", model="m", headers={"x-auth": f"{KEY}-2"})
    session = Headless(SessionSpec(mode="chat", profile=profile))
    assert session.without_secrets(f"bad {KEY}-2 and {KEY}") == "bad [redacted] and [redacted]"


def test_a_bundle_searches_for_the_key_that_was_used(
    cli: Callable[..., Any], server: Callable[..., str], tmp_path: Path
) -> None:
    def stream(connection: socket.socket, _head: bytes) -> None:
        connection.sendall(HEAD + b"\r\n" + delta("hello") + b"data: [DONE]\n\n")

    done = cli(
        "tail", server(stream), "-H", f"X-Auth: {KEY}", "--reconnect", "never", "--record", "a.sse.jsonl"
    )
    assert done.code == 0, done.err
    assert KEY not in (tmp_path / "a.sse.jsonl.hashes").read_text()
    bundled = cli("bundle", "a.sse.jsonl", "-o", "b.zip")
    assert "searched for 1 known secret, found none" in bundled.err
    # What was written before it was known, by another program say, is found by the hash.
    with (tmp_path / "a.sse.jsonl").open("a") as file:
        file.write(json.dumps({"k": "note", "t": 10**12, "text": f"it was {KEY}"}) + "\n")
    assert cli("bundle", "a.sse.jsonl", "-o", "c").code == 0
    assert KEY not in (tmp_path / "c" / "recording.sse.jsonl").read_text()

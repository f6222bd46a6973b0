"""The options that say how a server is reached, and what it is shown: alike for tail and ask, over real sockets."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.certificates import make_certificate, server_context

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
ANSWER = (
    b'data: {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "ok"}, '
    b'"finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
)
KEY = "sk-0123456789abcdef0123"
COMMANDS = ["tail", "ask"]


class Provider:
    """Answers every request with the same stream, or a redirect, and keeps what it was sent."""

    def __init__(self, answer: bytes = HEAD + ANSWER) -> None:
        self.answer = answer
        self.heads: list[str] = []

    def __call__(self, connection: socket.socket, head: bytes) -> None:
        self.heads.append(head.decode())
        connection.sendall(self.answer)

    def header(self, name: str, request: int = 0) -> str | None:
        lines = (line.partition(": ") for line in self.heads[request].split("\r\n")[1:])
        return next((value for key, _, value in lines if key.lower() == name.lower()), None)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def context(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    return server_context(certificate)


def asked(command: str, url: str) -> list[str]:
    """The arguments that send one request to `url`."""
    return ["tail", url] if command == "tail" else ["ask", "--base-url", url, "Hello"]


def with_profile(tmp_path: Path, url: str, *lines: str) -> dict[str, str]:
    """An environment whose default profile is a server at `url`."""
    path = tmp_path / "c.toml"
    path.write_text("\n".join(['profile = "far"', "[profiles.far]", f'base_url = "{url}"', *lines]))
    return {"SSE_TUI_CONFIG": str(path)}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("way", ["-k", "--cacert", "SSL_CERT_FILE"])
def test_ways_to_trust_a_server(
    command: str, way: str, cli: Callable[..., Any], server: Callable[..., Any],
    certificate: tuple[Path, Path], context: ssl.SSLContext,
) -> None:  # fmt: skip
    options = {"-k": ["-k"], "--cacert": ["--cacert", str(certificate[0])]}.get(way, [])
    environ = {way: str(certificate[0])} if not options else {}

    done = cli(*asked(command, server(Provider(), context)), *options, more_env=environ)

    assert (done.code, done.out, done.err) == (0, "ok\n", "")


# simonw/llm#568, simonw/llm-anthropic#45, PrefectHQ/fastmcp#4369
@pytest.mark.parametrize("line", ["verify = false", 'ca_file = "{}"'])
def test_a_profile_says_whom_to_trust(
    line: str, cli: Callable[..., Any], server: Callable[..., Any], tmp_path: Path,
    certificate: tuple[Path, Path], context: ssl.SSLContext,
) -> None:  # fmt: skip
    environ = with_profile(tmp_path, server(Provider(), context), line.format(certificate[0]))

    done = cli("ask", "Hello", more_env=environ)

    assert (done.code, done.out, done.err) == (0, "ok\n", "")


def test_an_option_comes_before_the_profile(
    cli: Callable[..., Any], server: Callable[..., Any], tmp_path: Path, certificate: tuple[Path, Path],
    context: ssl.SSLContext,
) -> None:  # fmt: skip
    url = server(Provider(), context)
    other, _ = make_certificate(tmp_path)

    assert (
        cli(
            "ask", "Hello", "--cacert", str(other), more_env=with_profile(tmp_path, url, "verify = false")
        ).code
        == 3
    )
    wrong = with_profile(tmp_path, url, f'ca_file = "{other}"')
    assert cli("ask", "Hello", more_env=wrong).code == 3
    assert cli("ask", "Hello", "-k", more_env=wrong).code == 0
    assert cli("ask", "Hello", "--cacert", str(certificate[0]), more_env=wrong).code == 0


@pytest.mark.parametrize(
    ("command", "named", "unnamed"),
    [
        ("tail", ["--cacert FILE", "SSL_CERT_FILE", "--insecure (-k)"], ["profile"]),
        ("ask", ["--cacert FILE", "SSL_CERT_FILE", "--insecure (-k)", "ca_file", "verify = false"], []),
    ],
)
def test_the_advice_names_what_the_command_has(
    command: str, named: list[str], unnamed: list[str], cli: Callable[..., Any], server: Callable[..., Any],
    context: ssl.SSLContext,
) -> None:  # fmt: skip
    done = cli(*asked(command, server(Provider(), context)))

    assert done.code == 3
    assert "is not trusted" in done.err
    assert all(name in done.err for name in named)
    assert not any(name in done.err for name in unnamed)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("way", ["--cacert", "SSL_CERT_FILE"])
def test_authorities_that_are_not_there_are_exit_2(command: str, way: str, cli: Callable[..., Any]) -> None:
    options = [way, "none.pem"] if way == "--cacert" else []
    environ = {} if options else {way: "none.pem"}

    done = cli(*asked(command, "https://127.0.0.1:1/"), *options, more_env=environ)

    assert done.code == 2
    assert "none.pem" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_headers_from_the_command_line_and_from_a_file(
    command: str, cli: Callable[..., Any], server: Callable[..., Any], tmp_path: Path
) -> None:
    provider = Provider()
    path = tmp_path / "headers"
    path.write_bytes(b"# for the gateway\r\n\r\nX-Api-Key: " + KEY.encode() + b"\r\nX-Two:2\n")

    done = cli(*asked(command, server(provider)), "-H", f"@{path}", "-H", "X-One: 1")

    assert (done.code, done.err) == (0, "")
    assert [provider.header(name) for name in ("x-api-key", "x-two", "x-one")] == [KEY, "2", "1"]


def test_headers_from_stdin(cli: Callable[..., Any], server: Callable[..., Any]) -> None:
    provider = Provider()

    assert cli("tail", server(provider), "-H", "@-", input=f"X-Api-Key: {KEY}\n".encode()).code == 0
    assert provider.header("x-api-key") == KEY
    pasted = cli("tail", "--curl", f"curl {server(provider)} -H @-", input=f"X-Api-Key: {KEY}\n".encode())
    assert pasted.code == 0
    assert provider.header("x-api-key", 1) == KEY


def test_a_key_on_stdin_is_not_taken_for_the_prompt(
    cli: Callable[..., Any], server: Callable[..., Any]
) -> None:
    provider = Provider()

    done = cli(*asked("ask", server(provider)), "-H", "@-", input=f"X-Api-Key: {KEY}\n".encode())

    assert done.code == 2
    assert "stdin is for the prompt" in done.err
    assert provider.heads == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_line_of_a_file_is_named_and_not_shown(
    command: str, cli: Callable[..., Any], server: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "headers").write_text(f"X-One: 1\n{KEY}\n")

    done = cli(*asked(command, server(Provider())), "-H", "@headers")

    assert done.code == 2
    assert "Line 2 of headers is not a header" in done.err
    assert KEY not in done.err
    assert cli(*asked(command, server(Provider())), "-H", "@none").code == 2


def test_a_header_of_the_command_line_replaces_that_of_the_profile(
    cli: Callable[..., Any], server: Callable[..., Any], tmp_path: Path
) -> None:
    provider = Provider()
    profile = with_profile(
        tmp_path, server(provider), 'headers = { X-Team = "red", Authorization = "Bearer old" }'
    )

    done = cli("ask", "Hello", "-H", "x-team: blue", "-H", "Content-Type: application/x", more_env=profile)

    assert done.code == 0
    assert provider.heads[0].lower().count("x-team: ") == 1
    wanted = {"x-team": "blue", "authorization": "Bearer old", "content-type": "application/x"}
    assert {name: provider.header(name) for name in wanted} == wanted


@pytest.mark.parametrize(
    ("command", "dialect", "header", "value"),
    [
        ("tail", "", "authorization", f"Bearer {KEY}"),
        ("tail", "anthropic-messages", "x-api-key", KEY),
        ("ask", "", "authorization", f"Bearer {KEY}"),
        ("ask", "gemini", "x-goog-api-key", KEY),
    ],
)
def test_the_key_of_a_variable_goes_where_the_dialect_has_it(
    command: str, dialect: str, header: str, value: str, cli: Callable[..., Any], server: Callable[..., Any],
    tmp_path: Path,
) -> None:  # fmt: skip
    provider, path = Provider(), tmp_path / "r.sse.jsonl"
    options = ["--dialect", dialect] if dialect else []

    args = [*asked(command, server(provider)), *options, "--key-env", "MY_KEY", "--record", str(path)]
    cli(*args, more_env={"MY_KEY": f"{KEY}\n"})

    assert provider.header(header) == value
    assert KEY not in path.read_text()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_variable_that_is_not_set_is_exit_2(
    command: str, cli: Callable[..., Any], server: Callable[..., Any]
) -> None:
    provider = Provider()

    done = cli(*asked(command, server(provider)), "--key-env", "MY_KEY")

    assert done.code == 2
    assert "MY_KEY (--key-env) is not set" in done.err
    assert provider.heads == []


def test_the_key_of_the_option_comes_before_that_of_the_profile(
    cli: Callable[..., Any], server: Callable[..., Any], tmp_path: Path
) -> None:
    provider = Provider()
    profile = with_profile(tmp_path, server(provider), 'api_key_command = "echo sk-of-the-profile"')

    assert cli("ask", "Hello", "--key-env", "MY_KEY", more_env=profile | {"MY_KEY": KEY}).code == 0
    assert provider.header("authorization") == f"Bearer {KEY}"
    assert cli("ask", "Hello", "--key-env", "MY_KEY", more_env=profile).code == 2


def test_the_built_in_endpoint_takes_no_key(cli: Callable[..., Any]) -> None:
    done = cli("ask", "--engine", "scripted", "--key-env", "MY_KEY", "Hello", more_env={"MY_KEY": KEY})

    assert done.code == 2
    assert "--base-url" in done.err


def test_an_answer_is_not_asked_for_at_another_origin_unless_that_is_trusted(
    cli: Callable[..., Any], server: Callable[..., Any]
) -> None:
    there = Provider()
    moved = f"HTTP/1.1 307 Moved\r\nLocation: {server(there)}\r\nContent-Length: 0\r\n\r\n"
    here = server(Provider(moved.encode()))
    args = [*asked("ask", here), "--key-env", "MY_KEY"]

    refused = cli(*args, more_env={"MY_KEY": KEY})

    assert refused.code == 3
    assert "another origin" in refused.err
    assert "--location-trusted" in refused.err
    assert there.heads == []
    trusted = cli(*args, "--location-trusted", more_env={"MY_KEY": KEY})
    assert (trusted.code, trusted.out) == (0, "ok\n")
    assert there.header("authorization") == f"Bearer {KEY}"


@pytest.mark.parametrize("trust", ["", "--location-trusted"])
def test_a_redirect_reads_the_same_live_and_reopened(
    trust: str, cli: Callable[..., Any], server: Callable[..., Any], tmp_path: Path
) -> None:
    there, path = Provider(), tmp_path / "r.sse.jsonl"
    moved = f"HTTP/1.1 302 Moved\r\nLocation: {server(there)}\r\nContent-Length: 0\r\n\r\n"
    url = server(Provider(moved.encode()))

    live = cli(
        "tail", url, "-H", f"X-Api-Key: {KEY}", "--json", "--record", str(path), *filter(None, [trust])
    )

    assert live.code == 0
    assert there.header("x-api-key") == (KEY if trust else None)
    rows = [json.loads(line) for line in live.out.splitlines()]
    redirect = next(row for row in rows if row["kind"] == "close")
    assert redirect["detail"].startswith("redirected to http://127.0.0.1")
    assert redirect["detail"].endswith("/stream" if trust else "(another origin, without X-Api-Key)")
    again = [json.loads(line) for line in cli("open", "--json", str(path)).out.splitlines()]
    kinds = ("close", "response")
    assert [row for row in again if row["kind"] in kinds] == [row for row in rows if row["kind"] in kinds]

"""curl's command line is read as curl reads it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.cli.curl_arguments import CurlRequest, parse, split
from sse_tui.errors import UsageError

# As the network panel of a browser copies it.
PASTED = r"""curl 'https://api.example.com/v1/chat/completions' \
  -H 'accept: text/event-stream' \
  -H $'x-note: it\'s \u00fc' \
  -H 'content-type: application/json' \
  --data-raw $'{"model":"m","messages":[{"role":"user","content":"say \'hi\'\\n"}]}' \
  --compressed --insecure"""


def test_a_pasted_command() -> None:
    request = parse(PASTED)

    assert request.url == "https://api.example.com/v1/chat/completions"
    assert request.method == "POST"
    assert dict(request.headers)["x-note"] == "it's \u00fc"
    assert request.body == b'{"model":"m","messages":[{"role":"user","content":"say \'hi\'\\n"}]}'
    assert request.insecure
    assert dict(request.headers)["Accept-Encoding"] == "gzip, deflate"


def test_short_options_run_together() -> None:
    request = parse("curl -sNXPUT -d a=1 -db=2 -u me:pw -m 5 --connect-timeout 1.5 localhost:8080/x")

    assert request.url == "http://localhost:8080/x"
    assert request.method == "PUT"
    assert request.body == b"a=1&b=2"
    headers = dict(request.headers)
    assert headers["Authorization"] == "Basic bWU6cHc="
    assert headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert (request.max_time, request.connect_timeout) == (5.0, 1.5)


def test_trust_and_headers_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "headers"
    path.write_text("# mine\n\nX-One: 1\nX-Empty;\n")

    request = parse(f"curl --cacert ca.pem --location-trusted -H @{path} -H 'X-Two: 2' h")

    assert (request.cacert, request.trusted, request.insecure) == ("ca.pem", True, False)
    assert request.headers == [("X-One", "1"), ("X-Empty", ""), ("X-Two", "2")]


def test_json_and_get_and_urlencode() -> None:
    assert dict(parse("curl --json '{}' h/x").headers)["Content-Type"] == "application/json"
    request = parse("curl -G --data-urlencode 'q=a b&c' h/x?p=1")
    assert (request.url, request.method, request.body) == ("http://h/x?p=1&q=a%20b%26c", "GET", None)


def test_data_from_files(tmp_path: Path) -> None:
    path = tmp_path / "body"
    path.write_bytes(b"a\r\nb\n")
    assert parse(f"curl -d @{path} h").body == b"ab"
    assert parse(f"curl --data-binary @{path} h").body == b"a\r\nb\n"
    assert parse("curl --data-raw @x h").body == b"@x"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("wget x", "not a curl command"),
        ("curl", "There is no URL"),
        ("curl -F a=b h", "-F is not supported"),
        ("curl --proxy p h", "--proxy is not supported"),
        ("curl h -H", "-H needs a value"),
        ("curl -H 'a b: c' h", "Invalid header name 'a ...'"),
        ("curl -H 'no colon here' h", "Invalid header 'no ...'"),
        ("curl 'h", "Unclosed quote in the curl command at character 6"),
        ("curl -m soon h", "not a number of seconds"),
        ("curl -d @/nonexistent/file h", "Cannot read"),
    ],
)
def test_what_is_not_understood_is_named(command: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse(command)


def test_words_are_split_as_a_shell_does() -> None:
    assert split("""a 'b c'd "e\\"f" g\\ h \\\n i '' $'\\x41\\101\\t'""") == [
        "a",
        "b cd",
        'e"f',
        "g h",
        "i",
        "",
        "AA\t",
    ]


def test_an_empty_header_and_the_last_one() -> None:
    request = CurlRequest(url="h")
    request.header("X-Empty;")
    request.header("X-Value: a:b")
    assert request.finish().headers == [("X-Empty", ""), ("X-Value", "a:b")]


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))))
def test_whatever_a_shell_quotes_comes_back(words: list[str]) -> None:
    assert split(shlex.join(words)) == words


def test_bytes_of_the_command_line_that_are_no_utf_8_are_sent_as_they_are() -> None:
    raw = b"caf\xe9".decode("utf-8", "surrogateescape")
    assert parse(f"curl h -d {raw}").body == b"caf\xe9"
    assert parse(f"curl h -G -d {raw}").url == "http://h?caf%E9"
    assert parse(f"curl h/{raw}").url == "http://h/caf%E9"
    assert parse(f"curl h --data-urlencode a={raw}").body == b"a=caf%E9"


def test_characters_that_a_browser_wrote_in_two_halves() -> None:
    assert parse(r"curl h -d $'\ud83d\ude00 \u00e9'").body == "\U0001f600 \u00e9".encode()
    assert parse(r"curl h -d $'\ud83d'").body == b"\xed\xa0\xbd"


@pytest.mark.parametrize(
    "command",
    [
        r"curl h -H $'a: b\r\nc: d'",
        r"curl h -H $'a: \ud800'",
        r"curl h -X $'GET /\r\n'",
        r"curl h -d $'@a\0b'",
        "curl h -m nan",
        "curl h -m -1",
        "curl h --connect-timeout inf",
    ],
)
def test_what_cannot_be_sent_is_refused(command: str) -> None:
    with pytest.raises(UsageError):
        parse(command)


def test_no_time_is_no_limit() -> None:
    assert parse("curl h -m 0").max_time is None

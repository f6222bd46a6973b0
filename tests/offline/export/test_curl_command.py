"""The curl command: what a shell makes of it, and what our own reader of curl commands does."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.cli.curl_arguments import parse
from sse_tui.errors import RecordingError
from sse_tui.offline.export.curl_command import curl_command
from sse_tui.offline.export.tape import TapedConnection
from sse_tui.recording import Redactor
from sse_tui.recording.records import Request
from sse_tui.recording.redact import PLACEHOLDER, URL_PLACEHOLDER

EVIL = "'; touch /tmp/owned; echo $(id) `id` \\ \" ! # @/etc/passwd"


def command(**given: object) -> str:
    fields: dict[str, object] = {"method": "GET", "url": "http://h/", "headers": []} | given
    request = Request(t=0, turn=1, conn=1, **fields)  # type: ignore[arg-type]
    return curl_command(TapedConnection(1, 1, 0, request))


def words(text: str, **variables: str) -> list[str]:
    """The words that a shell gives to curl, without running it."""
    script = 'curl() { python3 -c "import json,sys; print(json.dumps(sys.argv[1:]))" "$@"; }\n' + text
    done = subprocess.run(
        ["sh", "-c", script],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", **variables},
        check=True,
    )
    return list(json.loads(done.stdout))


def test_a_request_in_full() -> None:
    text = command(
        method="POST",
        url="http://h/v1?a=[1]",
        headers=[("Content-Type", "application/json"), ("Host", "h"), ("X-Empty", "")],
        body='{"stream":true}',
    )
    assert words(text) == [
        "--no-buffer", "--globoff", "--header", "Content-Type: application/json", "--header", "X-Empty;",
        "--data-raw", '{"stream":true}', "--url", "http://h/v1?a=[1]",
    ]  # fmt: skip


def test_redacted_values_become_variables() -> None:
    request = Request(
        t=0,
        turn=1,
        conn=1,
        method="POST",
        url="http://me:geheimnis@h/?key=geheimnis1&b=2",
        headers=[("Authorization", "Bearer geheimnis2"), ("X-Api-Key", "geheimnis3"), ("Path", "geheimnis4")],
        body='{"api_key": "geheimnis5"}',
    )
    redacted = Redactor(extra_names=["path"]).record(request)
    assert isinstance(redacted, Request)
    text = curl_command(TapedConnection(1, 1, 0, redacted))
    assert "geheimnis" not in text
    assert text.startswith("# Secrets were redacted. Set these first: ")
    found = words(text, AUTHORIZATION="Bearer A", API_KEY="B", SECRET_PATH="C", SECRET="D", CREDENTIALS="E:F")
    assert found[-1] == "http://E:F@h/?key=B&b=2"
    assert "Authorization: Bearer A" in found
    assert "X-Api-Key: B" in found
    assert "Path: C" in found
    assert '{"api_key": "D"}' in found


@pytest.mark.parametrize("place", ["url", "header", "body", "method"])
def test_nothing_that_was_recorded_runs(place: str) -> None:
    requests: dict[str, dict[str, Any]] = {
        "url": {"url": EVIL},
        "header": {"headers": [("X", EVIL), (EVIL, "x"), ("-o", "x")]},
        "body": {"method": "POST", "body": EVIL},
        "method": {"method": EVIL},
    }
    found = words(command(**requests[place]))
    if place != "method":
        assert any(EVIL in word for word in found)
    options = [word for word in found if word.startswith("-")]
    assert set(options) <= {"--no-buffer", "--globoff", "--header", "--data-raw", "--url", "--request"}


def test_bytes_that_no_word_can_hold() -> None:
    text = command(method="POST", body_b64="AP8=")
    assert "printf %s 'AP8='" in text or "printf %s AP8=" in text
    assert "--data-binary @-" in text
    assert "base64 -d" in command(method="POST", body="a\0b")


def test_without_a_request_there_is_no_command() -> None:
    with pytest.raises(RecordingError, match="not have the request of connection 3"):
        curl_command(TapedConnection(3, 1, 0))


# What was redacted becomes a variable of the shell, which our own reader does not expand.
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=12).filter(
    lambda text: PLACEHOLDER not in text and URL_PLACEHOLDER not in text
)
NAMES = st.sampled_from(["X-A", "Accept", "x-b"])


@settings(max_examples=200, deadline=None)
@given(TEXT, st.lists(st.tuples(NAMES, TEXT.map(str.strip).filter(bool)), max_size=3), TEXT.filter(bool))
def test_our_own_reader_gets_the_request_back(path: str, headers: list[tuple[str, str]], body: str) -> None:
    url = "http://h/" + path
    headers = [("Content-Type", "text/plain"), *headers]
    parsed = parse(command(method="POST", url=url, headers=headers, body=body))
    assert (parsed.method, parsed.url, parsed.headers, parsed.body) == ("POST", url, headers, body.encode())

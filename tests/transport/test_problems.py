"""Messages that show what came."""

from __future__ import annotations

import httpx
import pytest

from sse_tui.transport.problems import authority, excerpt, message_in, refused


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"", ""),
        (b"  plain\r\n text\t", "plain text"),
        (b"\x1b]0;title\x07\x00", r"\x1b]0;title\x07\x00"),
        ("é☃".encode(), "é☃"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        ("a\u202eb\u200b".encode(), r"a\u202eb\u200b"),
        (b"x" * 201, "x" * 200 + "…"),
    ],
)
def test_bytes_are_shown_safely(data: bytes, shown: str) -> None:
    assert excerpt(data) == shown


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"error": {"message": "no", "type": "x"}}', "no"),
        (b'{"error": "flat"}', "flat"),
        (b'{"detail": "not found"}', "not found"),
        (b'{"message": "top"}', "top"),
        (b'{"error": "invalid_grant", "error_description": "old"}', "invalid_grant"),
        (b'{"error": {"code": 5}}', None),
        (b"[1]", None),
        (b"null", None),
        (b"<html>", None),
        (b"\xff", None),
        pytest.param(b"[" * 100_000, None, id="deep"),
    ],
)
def test_the_message_in_a_json_body(body: bytes, message: str | None) -> None:
    assert message_in(body) == message


def test_a_refusal_names_status_type_and_message() -> None:
    error = refused(
        404, "Not Found", "Application/JSON; charset=utf-8", b'{"error": {"message": "No model\\n\\u001b x"}}'
    )
    assert error.code == "http-404"
    assert error.message == r"The server answered 404 Not Found (application/json): No model \x1b x."
    assert "path" in error.hint


def test_not_modified_is_no_redirect() -> None:
    assert refused(304, "Not Modified", "", b"").hint == ""


def test_a_refusal_of_nothing() -> None:
    error = refused(200, "OK", "", b"")
    assert error.code == "not-an-event-stream"
    assert error.message == "The server answered 200 with no content type instead of text/event-stream."


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://host/x", "host:80"),
        ("https://host/", "host:443"),
        ("http://[::1]:8080/", "[::1]:8080"),
        ("http://127.0.0.1:81/", "127.0.0.1:81"),
    ],
)
def test_the_authority_of_a_url(url: str, shown: str) -> None:
    assert authority(httpx.URL(url)) == shown

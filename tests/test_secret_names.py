"""One table says which names carry secrets; the tests of redaction hold what it makes of them."""

from __future__ import annotations

import pytest

from sse_tui.secret_names import (
    is_secret_field,
    is_secret_header,
    is_secret_parameter,
    is_session_cookie,
    may_be_secret,
    may_be_secret_field,
)
from tests.samples import KEY_HEADERS


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "Proxy-Authorization",
        "X-Api-Key",
        "api_key",
        "Set-Cookie",
        "X-Auth-Token",
        "mcp-session-id",
        *KEY_HEADERS,
        "app_key",
        "appKey",
        "passphrase",
        "hmac",
    ],
)
def test_names_that_carry_a_secret_wherever_they_stand(name: str) -> None:
    assert is_secret_header(name)
    assert is_secret_parameter(name)
    assert may_be_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        "X-Title",
        "x-ratelimit-remaining-tokens",
        "Idempotency-Token",
        "token-count",
        "Accept",
        "Sec-WebSocket-Key",
        "cache-key",
        "Idempotency-Key",
        "monkey",
        "X-Author",
    ],
)
def test_names_that_carry_none(name: str) -> None:
    assert not is_secret_header(name)
    assert not is_secret_parameter(name)
    assert not is_secret_field(name)


@pytest.mark.parametrize("name", ["code", "sas", "session", "sig", "key", "pass", "auth", "jwt", "sessionId"])
def test_parameters_that_carry_a_secret(name: str) -> None:
    assert is_secret_parameter(name)
    assert is_secret_parameter(name.upper())


@pytest.mark.parametrize(
    "name",
    ["private_key", "client_secret", "password", "session_id", "sessionId", "pass", "auth", "credentials", "api_token",
     "privateKey", "passphrase", "access_token", "db_password"],
)  # fmt: skip
def test_fields_that_carry_a_secret(name: str) -> None:
    assert is_secret_field(name)


@pytest.mark.parametrize(
    "name", ["stop_token", "eos_token", "max_tokens", "signature", "primary_key", "prompt_cache_key", "code"]
)
def test_fields_that_carry_none(name: str) -> None:
    assert not is_secret_field(name)
    assert not may_be_secret_field(name)


def test_fields_that_say_too_little() -> None:
    for name in ("key", "token"):
        assert may_be_secret_field(name)
        assert not is_secret_field(name)


def test_cookies_that_let_someone_in() -> None:
    for name in (
        "session",
        "PHPSESSID",
        "JSESSIONID",
        "connect.sid",
        "auth",
        "access_token",
        "csrftoken",
        "SID",
    ):
        assert is_session_cookie(name)
    for name in ("theme", "lang", "consent", "side", "resident", "_ga"):
        assert not is_session_cookie(name)


def test_what_a_short_name_means_depends_on_its_place() -> None:
    assert is_secret_parameter("key")
    assert is_secret_parameter("SIG")
    assert not is_secret_header("sig")
    assert is_secret_header("token")
    assert not is_secret_field("stop_token")
    assert is_secret_field("access_token")


def test_what_is_only_shown_is_hidden_sooner() -> None:
    assert may_be_secret("X-Auth")
    assert may_be_secret("X-Auth-Level")
    assert not may_be_secret("X-Author")
    assert not is_secret_header("X-Auth-Level")

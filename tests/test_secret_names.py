"""One table says which names carry secrets; the tests of redaction hold what it makes of them."""

from __future__ import annotations

import pytest

from sse_tui.secret_names import is_secret_field, is_secret_header, is_secret_parameter, may_be_secret


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
    ],
)
def test_names_that_carry_a_secret_wherever_they_stand(name: str) -> None:
    assert is_secret_header(name)
    assert is_secret_parameter(name)
    assert may_be_secret(name)


@pytest.mark.parametrize(
    "name", ["X-Title", "x-ratelimit-remaining-tokens", "Idempotency-Token", "token-count", "Accept"]
)
def test_names_that_carry_none(name: str) -> None:
    assert not is_secret_header(name)
    assert not is_secret_parameter(name)
    assert not is_secret_field(name)


def test_what_a_short_name_means_depends_on_its_place() -> None:
    assert is_secret_parameter("key")
    assert is_secret_parameter("SIG")
    assert not is_secret_header("key")
    assert is_secret_header("token")
    assert not is_secret_field("stop_token")
    assert is_secret_field("access_token")


def test_what_is_only_shown_is_hidden_sooner() -> None:
    assert may_be_secret("X-Auth")
    assert may_be_secret("X-Key")
    assert not may_be_secret("X-Author")
    assert not is_secret_header("X-Key")

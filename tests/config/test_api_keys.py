"""Keys come from where the profile says, and nothing shows them."""

from __future__ import annotations

import sys

import pytest

from sse_tui.config import Profile, api_key, masked
from sse_tui.errors import ConfigError


def command(code: str) -> str:
    return f'{sys.executable} -c "{code}"'


def test_no_key_is_no_error() -> None:
    assert api_key(Profile(), {}) is None


def test_from_the_environment() -> None:
    assert api_key(Profile(api_key_env="K"), {"K": " secret\n"}) == "secret"


def test_a_variable_that_is_not_set_is_an_error_that_names_it() -> None:
    with pytest.raises(ConfigError, match="variable K_NAME"):
        api_key(Profile(api_key_env="K_NAME"), {})


def test_a_command_stands_in_for_a_variable_that_is_not_set() -> None:
    assert (
        api_key(Profile(api_key_env="K", api_key_command=command("print('from-command')")), {})
        == "from-command"
    )


def test_the_first_line_of_a_command_is_the_key() -> None:
    assert api_key(Profile(api_key_command=command("print('one'); print('two')")), {}) == "one"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (command("import sys; print('secret'); sys.exit('vault is locked')"), "vault is locked"),
        (command("pass"), "it printed nothing"),
        ("no-such-program-here", "No such file"),
        ("", "it is empty"),
        ("'open", "No closing quotation"),
    ],
)
def test_a_command_that_fails_says_why_and_never_what_it_printed(line: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        api_key(Profile(api_key_command=line), {})
    assert says in str(caught.value)
    assert "secret" not in str(caught.value).replace(line, "")


def test_a_command_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sse_tui.config.api_keys.COMMAND_TIMEOUT_S", 0.2)
    with pytest.raises(ConfigError, match="timed out after"):
        api_key(Profile(api_key_command=command("import time; time.sleep(60)")), {})


def test_masked_values() -> None:
    headers = ("profiles", "x", "headers")
    assert masked((*headers, "X-Api-Key"), "abc") == "***"
    assert masked((*headers, "X-Title"), "abc") == "abc"
    url = "https://me:pw@host/v1?api_key=k&v=2"
    assert masked(("profiles", "x", "base_url"), url) == "https://***@host/v1?api_key=***&v=2"
    assert masked(("local", "n_ctx"), 4) == 4

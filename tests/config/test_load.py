"""Precedence, origins, and what is said about every kind of mistake."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from sse_tui.config import Config, Override, load
from sse_tui.errors import ConfigError


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "config.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def failure(
    path: Path, environ: dict[str, str] | None = None, overrides: Sequence[Override] = ()
) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(path, environ=environ or {}, overrides=overrides)
    return caught.value


def test_without_a_file_everything_is_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))

    loaded = load(environ={})

    assert loaded.config == Config()
    assert not loaded.exists
    assert set(loaded.origins.values()) == {"default"}


def test_a_file_that_was_named_must_exist(tmp_path: Path) -> None:
    assert failure(tmp_path / "absent.toml").code == "config-no-file"
    with pytest.raises(ConfigError, match=r"absent\.toml does not exist"):
        load(environ={"SSE_TUI_CONFIG": str(tmp_path / "absent.toml")})


def test_flag_over_environment_over_file_over_default(file: Callable[[str], Path]) -> None:
    path = file("[local]\nn_ctx = 1\nn_seq = 2\nmodel = 'file'\n")
    environ = {"SSE_TUI_LOCAL__N_SEQ": "3", "SSE_TUI_LOCAL__MODEL": "env"}

    loaded = load(path, environ=environ, overrides=[Override(("local", "model"), "flag", "--model")])

    local = loaded.config.local
    assert (local.n_gpu_layers, local.n_ctx, local.n_seq, local.model) == (-1, 1, 3, "flag")
    assert loaded.origins["local.n_gpu_layers"] == "default"
    assert loaded.origins["local.n_ctx"] == f"file {path}:2"
    assert loaded.origins["local.n_seq"] == "env SSE_TUI_LOCAL__N_SEQ"
    assert loaded.origins["local.model"] == "flag --model"


def test_a_profile_of_the_file_keeps_the_defaults_of_the_rest(file: Callable[[str], Path]) -> None:
    config = load(file("profile = 'x'\n[profiles.x]\nbase_url = 'http://h/v1'\n"), environ={}).config

    assert config.selected.base_url == "http://h/v1"
    assert config.selected.dialect == "openai-chat"
    assert "local" in config.profiles


def test_an_override_of_the_selected_profile_follows_the_selection(file: Callable[[str], Path]) -> None:
    path = file("[profiles.a]\n[profiles.b]\n")
    overrides = [
        Override(("profiles", "*", "temperature"), 0.5, "--temperature"),
        Override(("profile",), "b", "--profile"),
    ]

    config = load(path, environ={"SSE_TUI_PROFILE": "a"}, overrides=overrides).config

    assert config.profile == "b"
    assert config.profiles["b"].temperature == 0.5
    assert config.profiles["a"].temperature is None


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("[local]\nmodle = 'x'\n", 2, "local.modle is not a known key. Did you mean model?"),
        ("[locale]\n", 1, "locale is not a known key. Did you mean local?"),
        ("[local]\n\nn_ctx = 'many'\n", 3, 'local.n_ctx must be an integer of at least 1, not "many".'),
        ("[local]\nn_ctx = 0\n", 2, "local.n_ctx must be an integer of at least 1, not 0."),
        ("[local]\nn_ctx = true\n", 2, "local.n_ctx must be an integer of at least 1, not true."),
        ("[timeouts]\nidle_s = inf\n", 2, "timeouts.idle_s must be a number of more than 0"),
        ("[timeouts]\nidle_s = nan\n", 2, "timeouts.idle_s must be a number of more than 0"),
        ("[timeouts]\nidle_s = 1e300\n", 2, "and at most 1000000000, not 1e+300."),
        ("[profiles.local]\ntemperature = inf\n", 2, "must be a number of at least 0, not inf."),
        ("local = 3\n", 1, "local must be a table, not 3."),
        ("slo.errors = 2\n", 1, "slo.errors must be a number of at least 0 and at most 1, not 2."),
        ("[profiles.local]\nstop = [1]\n", 2, "profiles.local.stop must be an array of strings, not [1]."),
        (
            "[profiles.local]\nreconnect = 'nevr'\n",
            2,
            'must be one of "never", "last-event-id", "resend", "always", not "nevr".',
        ),
        ("[profiles.local.headers]\nA = 1\n", 2, "profiles.local.headers.A must be a string, not 1."),
        ('[profiles."a b"]\nx = 1\n', 2, 'profiles."a b".x is not a known key.'),
        ("[server]\naccess_log = 'no'\n", 2, 'server.access_log must be true or false, not "no".'),
        ("[server]\nport = 70000\n", 2, "server.port must be an integer of at least 0 and at most 65535"),
        ("profile = 'nope'\n", 1, "There is no profile 'nope'"),
        ("[faults]\nx = 'explode@never'\n", 2, "faults.x:"),
        ("[recording]\nredact_patterns = ['(']\n", 2, "'(' is not a valid regular expression"),
        ("[profiles.x]\ndialect = 'opnai'\n", 2, "there is no dialect 'opnai'. Known dialects: "),
        (
            "[profiles.x]\nbase_url = 'localhost:1/v1'\n",
            2,
            "base_url: 'localhost:1/v1' is not an http or https URL.",
        ),
        ("[profiles.x]\nbase_url = ''\n", 2, "is not an http or https URL"),
        ("[profiles.x]\nbase_url = 'http://h:99999/'\n", 2, "is not an http or https URL"),
        ("[profiles.x.headers]\n'A B' = 'x'\n", 2, "invalid header name 'A B'"),
        (
            '[profiles.x.headers]\nA = "x\\r\\nB: y"\n',
            2,
            "headers.A: the value contains a line break or NUL.",
        ),
        ("x = \n", 1, "not valid TOML"),
        ("a = 1\n[b\n", 2, "not valid TOML"),
        ("a = '''\n\n", 1, "not valid TOML"),
    ],
)
def test_a_mistake_names_file_line_key_and_what_is_valid(
    file: Callable[[str], Path], text: str, line: int, says: str
) -> None:
    path = file(text)
    error = failure(path)

    assert says in str(error)
    assert f"{path}:{line}" in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("SSE_TUI_LOCL__MODEL", "x", "SSE_TUI_LOCL__MODEL is not a known key. Did you mean local?"),
        ("SSE_TUI_LOCAL__N_CTX", "many", "SSE_TUI_LOCAL__N_CTX must be an integer of at least 1"),
        ("SSE_TUI_LOCAL__N_CTX__X", "1", "names a key below local.n_ctx, which is not a table"),
        ("SSE_TUI_PROFILES__LOCAL", "x", "names a table, not a key"),
        ("SSE_TUI_PROFILE", "nope", "There is no profile 'nope' (requested by env SSE_TUI_PROFILE)"),
        ("SSE_TUI_PROFILES__LOCAL__TEMPERATURE", "inf", 'must be a number of at least 0, not "inf"'),
        (
            "SSE_TUI_PROFILES__LOCAL__BASE_URL",
            "h:1",
            "SSE_TUI_PROFILES__LOCAL__BASE_URL: profiles.local.base_url: 'h:1'",
        ),
        ("SSE_TUI_PROFILES__LOCAL__HEADERS", '{"A B": "x"}', "invalid header name 'A B'"),
        ("SSE_TUI_SERVER__ACCESS_LOG", "perhaps", "must be true or false"),
    ],
)
def test_a_mistake_in_the_environment_names_the_variable(
    file: Callable[[str], Path], name: str, value: str, says: str
) -> None:
    assert says in str(failure(file(""), {name: value}))


def test_environment_values_of_every_kind(file: Callable[[str], Path]) -> None:
    environ = {
        "SSE_TUI_PROFILES__MY_PROXY__TEMPERATURE": "0.5",
        "SSE_TUI_PROFILES__MY_PROXY__STOP": "a, b",
        "SSE_TUI_PROFILES__MY_PROXY__HEADERS": '{"X-A": "1"}',
        "SSE_TUI_PROFILES__MY_PROXY__MODEL": "",
        "SSE_TUI_PROFILES__LOCAL__STOP": '["x, y"]',
        "SSE_TUI_SERVER__ACCESS_LOG": "true",
        "SSE_TUI_FAULTS__ONCE": "cut@event=3",
        "SSE_TUI_TRACEBACK": "1",
        "SSE_TUI_TOKEN": "t",
    }

    config = load(file("[profiles.my-proxy]\nmodel = 'm'\n"), environ=environ).config

    proxy = config.profiles["my-proxy"]
    assert (proxy.temperature, proxy.stop, proxy.headers, proxy.model) == (
        0.5,
        ["a", "b"],
        {"X-A": "1"},
        None,
    )
    assert config.profiles["local"].stop == ["x, y"]
    assert config.server.access_log is True
    assert config.faults == {"once": "cut@event=3"}


def test_a_wrong_flag_is_named(file: Callable[[str], Path]) -> None:
    error = failure(file(""), overrides=[Override(("profiles", "*", "top_p"), 3.0, "--top-p")])

    assert str(error) == "--top-p must be a number of at least 0 and at most 1, not 3.0."


def test_what_cannot_be_read_is_a_clear_error(tmp_path: Path) -> None:
    assert failure(tmp_path).code == "config-unreadable"
    path = tmp_path / "latin1.toml"
    path.write_bytes(b"profile = '\xe4'")
    assert failure(path).code == "config-not-utf8"


def test_a_byte_order_mark_is_no_part_of_the_file(file: Callable[[str], Path]) -> None:
    path = file("\ufeffprofile = 'local'\n")

    assert load(path, {}).origins["profile"] == f"file {path}:1"

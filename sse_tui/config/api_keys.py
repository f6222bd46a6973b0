"""API keys: getting them, and hiding values that may contain one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from urllib.parse import urlsplit

from sse_tui.config.schema import Profile
from sse_tui.errors import ConfigError
from sse_tui.secret_names import may_be_secret

COMMAND_TIMEOUT_S = 30.0
MASK = "***"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def api_key(profile: Profile, environ: Mapping[str, str]) -> str | None:
    """The API key of `profile`: from its environment variable, else from its command; None if it names neither.

    Raises `ConfigError`, which never contains what the command wrote to stdout.
    """
    if profile.api_key_env is not None:
        if found := key_in(profile.api_key_env, environ):
            return found
        if profile.api_key_command is None:
            message, hint = not_set(profile.api_key_env, "api_key_env")
            raise ConfigError(
                "api-key-not-set", message, f"{hint.rstrip('.')}, or use api_key_command in the profile."
            )
    return _from_command(profile.api_key_command, environ) if profile.api_key_command is not None else None


def key_in(variable: str, environ: Mapping[str, str]) -> str:
    """The API key in an environment variable; "" if it is not set."""
    return environ.get(variable, "").strip()


def not_set(variable: str, option: str) -> tuple[str, str]:
    """The message and the hint of an error: the variable that `option` names is not set.

    Whoever gives the key itself instead of a name does not find it in a log.
    """
    from sse_tui.recording.secret_values import is_random  # only an error needs it

    if _VARIABLE.fullmatch(variable) is None or is_random(variable):
        return (
            f"The value of {option} is not the name of an environment variable.",
            "Put the key into a variable and give the variable's name.",
        )
    return f"The environment variable {variable} ({option}) is not set.", f"Set it: export {variable}=..."


def _from_command(command: str, environ: Mapping[str, str]) -> str:
    """The first line that `command` prints. It is split as a shell would split it, but not run by a shell."""
    import subprocess  # only a profile with a command needs it

    try:
        words = shlex.split(command)
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=COMMAND_TIMEOUT_S,
            env=dict(environ),
            check=False,
        )
    except ValueError as error:
        raise _command_error(command, str(error)) from error
    except subprocess.TimeoutExpired:
        # Without "from error": that exception contains the output so far, which may be the key.
        raise _command_error(command, f"it timed out after {COMMAND_TIMEOUT_S:g} s") from None
    except (OSError, IndexError) as error:
        raise _command_error(command, getattr(error, "strerror", None) or "it is empty") from error
    if done.returncode != 0:
        said = " ".join(done.stderr.split())[-300:]
        raise _command_error(command, f"exit status {done.returncode}" + (f": {said}" if said else ""))
    key = done.stdout.strip().partition("\n")[0].strip()
    if not key:
        raise _command_error(command, "it printed nothing")
    return key


def _command_error(command: str, reason: str) -> ConfigError:
    return ConfigError(
        "api-key-command", f"Cannot get the API key from api_key_command `{command}`: {reason}."
    )


def masked(path: tuple[str, ...], value: object) -> object:
    """The value of the key at `path`, safe to show to others."""
    if not isinstance(value, str):
        return value
    if len(path) >= 2 and path[-2] == "headers" and may_be_secret(path[-1]):
        return MASK
    if path[-1] == "base_url":
        return _masked_url(value)
    return value


def _masked_url(url: str) -> str:
    """`url` without its password and without the values of query parameters whose names suggest secrets."""
    user, at, rest = urlsplit(url).netloc.rpartition("@")
    if at:
        url = url.replace(f"{user}@{rest}", f"{MASK}@{rest}", 1)
    return re.sub(
        r"([?&])([^=?&#]+)=([^&#]*)",
        lambda found: f"{found[1]}{found[2]}={MASK if may_be_secret(found[2]) else found[3]}",
        url,
    )

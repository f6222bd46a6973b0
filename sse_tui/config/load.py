"""Reads the configuration: flags override environment variables, which override the file; keeps each origin."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from sse_tui import fields
from sse_tui.config import check
from sse_tui.config.locate import KeyPath, dotted, key_lines, line_of
from sse_tui.config.paths import config_path, may_exist
from sse_tui.config.schema import Config, Profile
from sse_tui.errors import ConfigError, SseTuiError

PREFIX = "SSE_TUI_"
SELECTED = "*"
"""In the path of an override: the name of the selected profile, whichever that turns out to be."""


class Override(NamedTuple):
    """A value from the command line. `path` may refer to the selected profile: ``("profiles", "*", "model")``.

    `flag` is the option as the user wrote it, for messages and origins.
    """

    path: KeyPath
    value: Any
    flag: str


class Loaded(NamedTuple):
    """The configuration, and where each value comes from.

    `origins` maps every leaf, by its dotted key, to "default", "file PATH:LINE", "env NAME" or "flag --x".
    `path` is where the file is, or would be; `exists` says whether it exists.
    """

    config: Config
    origins: dict[str, str]
    path: Path
    exists: bool


class _Mistake(NamedTuple):
    """A value that cannot be used: its key, a sentence that says why, and the hint and code of the error."""

    path: KeyPath
    what: str
    hint: str = ""
    code: str = "config-bad-value"


class _Tree:
    """Values by path before they become a `Config`; a later origin overrides an earlier one."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.origins: dict[KeyPath, str] = {}
        for path, value in _leaves(msgspec.to_builtins(Config()), Config, ()):
            self.put(path, value, "default")

    def put(self, path: KeyPath, value: Any, origin: str) -> None:
        self.table(path[:-1])[path[-1]] = value
        self.origins[path] = origin

    def table(self, path: KeyPath) -> dict[str, Any]:
        """The table at `path`, created if needed."""
        at = self.values
        for part in path:
            at = at.setdefault(part, {})
        return at


def load(
    path: Path | None = None,
    environ: Mapping[str, str] = os.environ,
    overrides: Sequence[Override] = (),
) -> Loaded:
    """The configuration of this run. Raises `ConfigError`.

    A file named by the user (`path` or ``SSE_TUI_CONFIG``) must exist; the default file need not.
    """
    named = path is not None or bool(environ.get("SSE_TUI_CONFIG"))
    path = path if path is not None else config_path(environ)
    tree = _Tree()
    exists = may_exist(path)
    if exists:
        _add_file(tree, path)
    elif named:
        raise ConfigError("config-no-file", f"The configuration file {path} does not exist.")
    _add_environment(tree, environ)
    _add_overrides(tree, [item for item in overrides if SELECTED not in item.path])
    _check_profile(tree)
    _add_overrides(tree, [item for item in overrides if SELECTED in item.path])
    config = msgspec.convert(tree.values, Config)
    # Profiles that set only some keys have got the defaults of the others by now.
    filled = _leaves(msgspec.to_builtins(config), Config, ())
    origins = {dotted(leaf): tree.origins.get(leaf, "default") for leaf, _ in filled}
    for mistake in _mistakes(config):
        key = dotted(mistake.path)
        # A table that was set as one value, as by an environment variable, has one origin.
        origin = origins[key if key in origins else dotted(mistake.path[:-1])]
        origin = origin.removeprefix("file ").removeprefix("env ").removeprefix("flag ")
        raise ConfigError(mistake.code, f"{origin}: {key}: {mistake.what}", mistake.hint)
    return Loaded(config, origins, path, exists)


def _add_file(tree: _Tree, path: Path) -> None:
    try:
        # Some editors on Windows start a file with a byte order mark.
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError("config-unreadable", f"Cannot read {path}: {reason}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError("config-not-utf8", f"{path}: not UTF-8 at byte {error.start}.") from error
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(path, text, str(error)) from error
    lines = key_lines(text)

    def position(leaf: KeyPath) -> str:
        line = line_of(lines, leaf)
        return str(path) if line is None else f"{path}:{line}"

    for leaf, value in _checked_leaves(document, Config, (), position):
        if isinstance(value, dict):
            # An empty table is a profile, too.
            tree.table(leaf)
            continue
        tree.put(leaf, value, f"file {position(leaf)}")


def _syntax_error(path: Path, text: str, message: str) -> ConfigError:
    """tomllib's message with the position moved to the front, where editors expect it."""
    found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    reason = message[: found.start()] if found else message
    line = int(found[1]) if found and found[1] else text.rstrip("\n").count("\n") + 1
    column = f" (column {found[2]})" if found and found[2] else ""
    return ConfigError("config-syntax", f"{path}:{line}: not valid TOML: {reason}{column}.")


def _leaves(values: Mapping[str, Any], type_: Any, path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    """Every leaf of a checked tree. In a mapping of strings each key is a leaf."""
    for key, value in values.items():
        inner = check.step(type_, key)
        if check.is_table(inner) or check.is_mapping(inner):
            yield from _leaves(value, inner, (*path, key))
        else:
            yield (*path, key), value


def _checked_leaves(
    values: Any, type_: Any, path: KeyPath, position: Callable[[KeyPath], str]
) -> Iterator[tuple[KeyPath, Any]]:
    """Every table and leaf of an unchecked tree, checked first. Raises `ConfigError` at the first mistake."""
    for key, value in values.items():
        leaf = (*path, key)
        try:
            inner = check.step(type_, key)
            if check.is_table(inner) or check.is_mapping(inner):
                check.table(value)
            else:
                value = check.value(value, inner)
        except check.LeafError as wrong:
            message = f"{position(leaf)}: {dotted(leaf)} {wrong.reason}."
            raise ConfigError(wrong.code, message, wrong.hint) from None
        yield leaf, value
        if isinstance(value, dict):
            yield from _checked_leaves(value, inner, leaf, position)


def _add_environment(tree: _Tree, environ: Mapping[str, str]) -> None:
    """Variables of the form ``SSE_TUI_TABLE__KEY``, and ``SSE_TUI_PROFILE``.

    Others with the prefix, such as ``SSE_TUI_CONFIG``, do not name a key and are ignored.
    """
    for name in sorted(environ):
        parts = name.removeprefix(PREFIX).split("__")
        if not name.startswith(PREFIX) or (len(parts) == 1 and parts[0] != "PROFILE"):
            continue
        try:
            path, type_ = _environment_path(tree, parts)
            value = check.from_text(environ[name], type_)
        except check.LeafError as wrong:
            raise ConfigError(wrong.code, f"{name} {wrong.reason}.", wrong.hint) from None
        if isinstance(value, dict):
            for key, item in value.items():
                tree.put((*path, key), item, f"env {name}")
        else:
            tree.put(path, value, f"env {name}")


def _environment_path(tree: _Tree, parts: list[str]) -> tuple[KeyPath, Any]:
    """The key that a variable names. A shell can only write names in upper case and with ``_`` for ``-``."""
    at: Any = tree.values
    type_: Any = Config
    path: KeyPath = ()
    for part in parts:
        if not (check.is_table(type_) or check.is_mapping(type_)):
            raise check.LeafError(
                f"names a key below {dotted(path)}, which is not a table", "", "config-unknown-key"
            )
        given = part.lower()
        have = at if isinstance(at, dict) else {}
        new = given.replace("_", "-") if path == ("rules",) else given  # rules have no _ in their names
        key = next((name for name in have if name.lower().replace("-", "_") == given), new)
        type_ = check.step(type_, key)
        at = have.get(key)
        path = (*path, key)
    if check.is_table(type_) or (check.is_mapping(type_) and check.is_table(check.step(type_, ""))):
        raise check.LeafError("names a table, not a key", f"Set {PREFIX}{'__'.join(parts)}__KEY.")
    return path, type_


def _add_overrides(tree: _Tree, overrides: Sequence[Override]) -> None:
    for path, given, flag in overrides:
        path = tuple(tree.values["profile"] if part == SELECTED else part for part in path)
        type_: Any = Config
        for part in path:
            type_ = check.step(type_, part)
        try:
            value = check.value(given, type_)
        except check.LeafError as wrong:
            raise ConfigError(wrong.code, f"{flag} {wrong.reason}.", wrong.hint) from None
        tree.put(path, value, f"flag {flag}")


def _check_profile(tree: _Tree) -> None:
    name, known = tree.values["profile"], tree.values["profiles"]
    if name not in known:
        raise ConfigError(
            "config-unknown-profile",
            f"There is no profile {name!r} (requested by {tree.origins['profile',]}).",
            f"Known profiles: {', '.join(sorted(known))}.",
        )


def _mistakes(config: Config) -> Iterator[_Mistake]:
    """The values that have the right type but mean nothing, reported now and not in the middle of a session."""
    if config.faults:
        from sse_tui.faults import parse_plan

        for name, plan in config.faults.items():
            try:
                parse_plan(plan)
            except SseTuiError as error:
                yield _Mistake(("faults", name), error.message, error.hint, "config-bad-fault")
    if config.rules:
        from sse_tui.diagnosis import checked_rule

        for rule in config.rules:
            try:
                checked_rule(rule)
            except SseTuiError as error:
                yield _Mistake(("rules", rule), error.message, error.hint, error.code)
    for pattern in config.recording.redact_patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            what = f"{pattern!r} is not a valid regular expression: {error}."
            yield _Mistake(("recording", "redact_patterns"), what)
    for name, profile in config.profiles.items():
        where = ("profiles", name)
        if profile.dialect != Profile().dialect:
            from sse_tui import dialects

            if profile.dialect not in dialects.names():
                known = f"Known dialects: {', '.join(dialects.names())}."
                yield _Mistake((*where, "dialect"), f"there is no dialect {profile.dialect!r}.", known)
        if profile.base_url is not None and not _is_http_url(profile.base_url):
            yield _Mistake((*where, "base_url"), f"{profile.base_url!r} is not an http or https URL.")
        for header, value in profile.headers.items():
            if not fields.is_token(header):
                yield _Mistake((*where, "headers", header), f"invalid header name {header!r}.")
            if not fields.is_value(value):
                yield _Mistake((*where, "headers", header), "the value contains a line break or NUL.")


def _is_http_url(text: str) -> bool:
    try:
        url = urlsplit(text)
        return url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        return False

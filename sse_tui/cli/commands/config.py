"""``sse-tui config``: what is configured, and where each value comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sse_tui.cli.options import chosen_config, config_option, json_option, load_config
from sse_tui.cli.output import Output

if TYPE_CHECKING:
    from sse_tui.config import Loaded


@click.group("config")
def command() -> None:
    """Show the configuration and where each value comes from."""


@command.command("path")
@config_option
def path() -> None:
    """Print the path of the configuration file, whether or not it exists."""
    from pathlib import Path

    from sse_tui.config import config_path

    chosen = chosen_config()
    Output().line(str(Path(chosen) if chosen else config_path()))


@command.command("show")
@json_option(help="Print one JSON object per line: key, value, origin.")
@config_option
def show(as_json: bool) -> None:
    """Print each value and its origin.

    The origin is a default, a line of the file, or an environment variable. Secrets are masked.
    """
    out = Output()
    rows = _rows(load_config())
    if as_json:
        for key, value, origin in rows:
            out.json({"key": key, "value": value, "origin": origin})
        return
    width = max(len(f"{key} = {_shown(value)}") for key, value, _ in rows)
    for key, value, origin in rows:
        out.line(f"{key} = {_shown(value)}".ljust(min(width, 60)) + f"  # {origin}")


def _rows(loaded: Loaded) -> list[tuple[str, Any, str]]:
    import msgspec

    from sse_tui.config import masked
    from sse_tui.config.locate import dotted

    rows: list[tuple[str, Any, str]] = []

    def walk(values: dict[str, Any], at: tuple[str, ...]) -> None:
        for name, value in values.items():
            path = (*at, name)
            if isinstance(value, dict):
                walk(value, path)
            else:
                key = dotted(path)
                rows.append((key, masked(path, value), loaded.origins.get(key, "default")))

    walk(msgspec.to_builtins(loaded.config), ())
    return rows


def _shown(value: Any) -> str:
    """A value as TOML writes it; None, which TOML cannot write, as ``(not set)``."""
    from sse_tui.text.json_line import to_json

    return "(not set)" if value is None else to_json(value)

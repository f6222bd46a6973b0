"""``sse-tui config``: what is configured, and where each value comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from sse_tui.cli.options import chosen_config, config_option, json_option, load_config
from sse_tui.cli.output import Output
from sse_tui.text.json_line import to_json

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
    import msgspec

    loaded = load_config()
    rows = list(_rows(loaded, msgspec.to_builtins(loaded.config)))
    if as_json:
        for key, value, origin in rows:
            out.json({"key": key, "value": value, "origin": origin})
        return
    # As TOML writes it, but for None, which TOML cannot write.
    lines = [f"{key} = {'(not set)' if value is None else to_json(value)}" for key, value, _ in rows]
    width = min(max(map(len, lines)), 60)
    for line, (_, _, origin) in zip(lines, rows, strict=True):
        out.line(f"{line:{width}}  # {origin}")


def _rows(loaded: Loaded, values: dict[str, Any], at: tuple[str, ...] = ()) -> Iterator[tuple[str, Any, str]]:
    """The key, value and origin of every leaf of `values`, which are those at `at`."""
    from sse_tui.config import masked
    from sse_tui.config.locate import dotted

    for name, value in values.items():
        path = (*at, name)
        if isinstance(value, dict):
            yield from _rows(loaded, value, path)
        else:
            key = dotted(path)
            yield key, masked(path, value), loaded.origins.get(key, "default")

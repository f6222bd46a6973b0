"""``sse-tui inspect``: the TUI on any event stream."""

from __future__ import annotations

from typing import Any

import click

from sse_tui.cli.curl_options import request_options
from sse_tui.errors import UsageError


@click.command("inspect")
@click.argument("url", required=False)
@request_options
def command(url: str | None, **given: Any) -> int:
    """Inspect an event stream in the full-screen view.

    The options of the request are those of curl.
    """
    from sse_tui.cli.launch import launch
    from sse_tui.cli.specs import inspect_spec

    if url is None and not given["pasted"]:
        raise UsageError("no-url", "There is no URL.", "Give the URL of the stream, or use --curl.")
    return launch(inspect_spec(url, given), keep=not given["no_record"])

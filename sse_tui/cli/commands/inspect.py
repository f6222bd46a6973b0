"""``sse-tui inspect``: the TUI on any event stream."""

from __future__ import annotations

from typing import Any

import click

from sse_tui.cli.curl_options import curl_request, request_options
from sse_tui.cli.options import config_option, load_config, recording_options, stream_options, timeout_options
from sse_tui.errors import UsageError


@click.command("inspect")
@click.argument("url", required=False)
@request_options
@stream_options
@timeout_options
@recording_options
@config_option
def command(url: str | None, config: str | None, **given: Any) -> int:
    """Inspect an event stream in the full-screen view.

    The options of the request are those of curl.
    """
    from sse_tui.cli.launch import launch
    from sse_tui.cli.specs import inspect_spec

    if url is None and not given.get("pasted"):
        raise UsageError("no-url", "There is no URL.", "Give the URL of the stream, or use --curl.")
    request = curl_request(url, given)
    settings = {name: value for name, value in given.items() if name != "reconnect"}
    return launch(inspect_spec(load_config(config, settings), given, request), keep=not given["no_record"])

"""``sse-tui`` and ``sse-tui chat``: the TUI on a conversation."""

from __future__ import annotations

from typing import Any

import click

from sse_tui.cli.options import (
    engine_option,
    load_config,
    local_options,
    profile_options,
    recording_options,
    sampling_options,
    stream_options,
    timeout_options,
)


@click.command("chat")
@profile_options
@sampling_options
@stream_options
@timeout_options
@recording_options
@local_options
@engine_option
@click.option("--theme", metavar="NAME", help="Colour theme.")
def command(config: str | None, **given: Any) -> int:
    """Chat in the full-screen view (the default command)."""
    from sse_tui.cli.launch import launch
    from sse_tui.cli.specs import chat_spec

    return launch(chat_spec(load_config(config, given), given), keep=not given["no_record"])

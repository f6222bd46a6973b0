"""``sse-tui`` and ``sse-tui chat``: the TUI on a conversation."""

from __future__ import annotations

from typing import Any

import click

from sse_tui.cli.options import chat_options


@click.command("chat")
@chat_options
@click.option("--theme", metavar="NAME", help="Colour theme.")
def command(**given: Any) -> int:
    """Chat in the full-screen view (the default command)."""
    from sse_tui.cli.launch import launch
    from sse_tui.cli.specs import chat_spec

    return launch(chat_spec(given), keep=not given["no_record"])

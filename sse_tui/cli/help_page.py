"""What ``sse-tui --help`` prints, without click: importing click takes longer than everything else behind it.

click's group takes its texts from here too, and a test compares `help_text` with what click renders.
"""

from __future__ import annotations

import os
import sys
import textwrap

# In the order in which --help shows them; each is a module of `sse_tui.cli.commands`.
COMMANDS = {
    "chat": "Chat in the full-screen view (the default command).",
    "ask": "Send one prompt and print the answer.",
    "inspect": "Inspect an event stream in the full-screen view.",
    "tail": "Print an event stream as it arrives.",
    "open": "View or print a recording or a raw stream.",
    "report": "Report on a stream: its content, problems and timing.",
    "export": "Export a recording to another format.",
    "replay": "Serve a recording over HTTP on 127.0.0.1.",
    "rules": "List the rules of the diagnosis, or explain one.",
    "lens": "Show what popular clients would make of a stream.",
    "minimize": "Shrink a recording to the least that triggers a rule.",
    "bundle": "Bundle a stream for a bug report.",
    "serve": "Serve the local model over HTTP.",
    "models": "List, download and delete local models.",
    "config": "Show the configuration and where each value comes from.",
    "doctor": "Check that everything works on this machine.",
    "completion": "Print a shell completion script.",
}
USAGE = "Usage: sse-tui [OPTIONS] COMMAND [ARGS]..."
ABOUT = (
    "Chat with, inspect, break and record streamed LLM output and server-sent events.",
    "Without a command: chat with the default profile, which is the local model unless configured otherwise.",
)
OPTIONS = {
    "--config FILE": "Configuration file to use instead of the default one.",
    "--version": "Show the version and exit.",
    "-h, --help": "Show this message and exit.",
}
EXIT_CODES = """\
Exit codes:
  0    success
  1    a finding, an expectation or a check failed, or stdout could not be written
  2    wrong usage or configuration
  3    no connection, no model, or an HTTP error
  4    the stream broke or reported an error
  70   a bug in sse-tui
  130  interrupted (143: terminated)"""
WIDEST = 100


def help_text(columns: int | None = None) -> str:
    """The help for a terminal of that many columns; None asks the terminal."""
    # click's arithmetic: two columns stay free, and it never wraps below 50.
    width = max(min(columns or _columns(), WIDEST) - 2, 50)
    parts = [USAGE, *(_wrapped(text, width, "  ") for text in ABOUT)]
    parts += [f"Options:\n{_table(OPTIONS, width)}", f"Commands:\n{_table(COMMANDS, width)}"]
    return "\n\n".join([*parts, textwrap.indent(EXIT_CODES, "  ")]) + "\n"


def _wrapped(text: str, width: int, indent: str) -> str:
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent)


def _table(rows: dict[str, str], width: int) -> str:
    first = max(map(len, rows)) + 2
    lines = []
    for name, text in rows.items():
        head, *more = textwrap.wrap(text, width - first - 2)
        lines.append(f"  {name:{first}}{head}")
        lines += [" " * (first + 2) + line for line in more]
    return "\n".join(lines)


def _columns() -> int:
    # shutil.get_terminal_size, without the archive formats that shutil imports.
    try:
        return int(os.environ.get("COLUMNS", "")) or _terminal_columns()
    except ValueError:
        return _terminal_columns()


def _terminal_columns() -> int:
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return 80

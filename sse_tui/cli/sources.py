"""Decides what the source argument of ``tail`` and ``open`` is: a URL, a file, or stdin."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Literal

from sse_tui.errors import UsageError

Kind = Literal["url", "file", "stdin"]
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:\d+)?(/.*|\?.*)?")


def kind_of(argument: str) -> Kind:
    """Which of the three it is. An argument that could be a host or a file is a file if that file exists.

    Raises `UsageError` if it is neither.
    """
    if not argument:
        raise UsageError("no-source", "The source is empty.", "Give a URL, a file, or - for stdin.")
    if argument == "-":
        return "stdin"
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", argument):
        return "url"
    if Path(argument).exists():
        return "file"
    looks_like_path = argument.startswith((".", "/", "~")) or argument.endswith(
        (".jsonl", ".sse", ".txt", ".har", ".log", ".yaml", ".yml")
    )
    if not looks_like_path and _HOST.fullmatch(argument):
        return "url"
    raise UsageError("no-such-file", f"There is no file {argument}.", "Give a URL, a file, or - for stdin.")


def stdin() -> int:
    """The file descriptor of stdin. Raises `UsageError` if stdin is closed."""
    if sys.stdin is None:
        raise UsageError("no-stdin", "stdin is closed, so there is nothing to read.")
    return sys.stdin.fileno()

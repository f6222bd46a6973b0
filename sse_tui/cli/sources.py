"""What the argument of ``tail`` and ``open`` means: a URL, a file, or stdin."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Literal

from sse_tui.errors import UsageError

Kind = Literal["url", "file", "stdin"]
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:\d+)?(/.*|\?.*)?")


def kind_of(argument: str) -> Kind:
    """Which of the three it is. A name that could be both is a file where one is there.

    Raises `UsageError` for what is neither.
    """
    if not argument:
        raise UsageError(
            "no-source", "The name of the source is empty.", "Give a URL, a file, or - for stdin."
        )
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
    """The descriptor of stdin. Raises `UsageError` where there is none."""
    if sys.stdin is None:
        raise UsageError("no-stdin", "stdin is closed, so there is nothing to read.")
    return sys.stdin.fileno()

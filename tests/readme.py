"""The examples of the README that show output, kept true.

A block that begins with ``$ sse-tui ...`` shows what that command really prints. ``python tests/readme.py`` rewrites
them; a test fails when one is not what the command says.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"```\n\$ sse-tui ([^\n]*)\n(.*?)```", re.DOTALL)


def output(arguments: str) -> str:
    """What the command prints, 100 columns wide."""
    command = [sys.executable, "-m", "sse_tui", *shlex.split(arguments)]
    environment = {**os.environ, "COLUMNS": "100"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, timeout=60)
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n"


def with_outputs(text: str) -> str:
    """The document with its outputs renewed."""
    return BLOCK.sub(lambda block: f"```\n$ sse-tui {block[1]}\n{output(block[1])}```", text)


if __name__ == "__main__":
    README.write_text(with_outputs(README.read_text("utf-8")), "utf-8")

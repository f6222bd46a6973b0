"""Help and completion stay quick: they import nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = [
    "textual",
    "rich",
    "httpx",
    "httptools",
    "llama_cpp",
    "numpy",
    "starlette",
    "uvicorn",
    "asyncio",
    "ssl",
]

PROBE = """
import json, sys
from sse_tui.cli.main import main
try:
    main({args!r})
except SystemExit as done:
    code = done.code
print("\\n" + json.dumps([code, [name for name in {heavy!r} if name in sys.modules]]))
"""


def probe(args: list[str], env: dict[str, str]) -> tuple[int, list[str]]:
    code = PROBE.format(args=args, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    return result[0], result[1]


@pytest.mark.parametrize(
    "args",
    [
        ["--help"],
        ["--version"],
        *(
            [name, "--help"]
            for name in (
                "chat",
                "ask",
                "inspect",
                "tail",
                "open",
                "report",
                "export",
                "replay",
                "lens",
                "minimize",
                "serve",
                "models",
                "doctor",
            )
        ),
        ["config", "show"],
        ["completion", "bash"],
    ],
    ids=" ".join,
)
def test_nothing_heavy(args: list[str], env: dict[str, str]) -> None:
    assert probe(args, env) == (0, [])


@pytest.mark.parametrize(("shell", "at"), [("bash", "1"), ("zsh", "1"), ("fish", "a")])
def test_completing_imports_nothing_heavy_either(shell: str, at: str, env: dict[str, str]) -> None:
    asking = {"_SSE_TUI_COMPLETE": f"{shell}_complete", "COMP_WORDS": "sse-tui a", "COMP_CWORD": at}
    code = PROBE.format(args=[], heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env | asking, check=True
    )
    assert "ask" in done.stdout
    assert json.loads(done.stdout.splitlines()[-1]) == [0, []]

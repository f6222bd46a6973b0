"""What a command does not need it does not import: help and completion come at once, a report starts quickly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sse_tui.cli.help_page import COMMANDS

DATA = Path(__file__).parents[1] / "data"
NETWORK = ["httpx", "httpcore", "h11", "httptools", "ssl", "asyncio", "uvloop", "starlette", "uvicorn"]
SCREEN = ["textual", "rich"]
MODELS = ["llama_cpp", "numpy", "jinja2"]
HEAVY = [*NETWORK, *SCREEN, *MODELS]
# What the first answer of all must do without as well.
LIBRARIES = [
    "click",
    "msgspec",
    "sse_tui.config",
    "difflib",
    "inspect",
    "typing",
    "dataclasses",
    "importlib.metadata",
]

PROBE = """
import json, sys
from sse_tui.cli.main import main
try:
    main({args!r})
except SystemExit as done:
    code = done.code
print("\\n" + json.dumps([code, [name for name in {names!r} if name in sys.modules]]))
"""


def probe(args: list[str], env: dict[str, str], names: list[str]) -> tuple[int, list[str]]:
    """The exit code of a command line, and which of these modules it imported."""
    code = PROBE.format(args=args, names=names)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    return result[0], result[1]


@pytest.mark.parametrize("option", ["--help", "-h", "--version"])
def test_the_first_help_imports_nothing_at_all(option: str, env: dict[str, str]) -> None:
    assert probe([option], env, [*HEAVY, *LIBRARIES]) == (0, [])


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_imports_no_more_than_click(name: str, env: dict[str, str]) -> None:
    assert probe([name, "--help"], env, [*HEAVY, "msgspec", "sse_tui.config", "difflib"]) == (0, [])


@pytest.mark.parametrize(
    "args",
    [
        ["config", "show"],
        ["config", "path"],
        ["completion", "bash"],
        ["models", "list"],
        ["models", "list", "--json"],
    ],
    ids=" ".join,
)
def test_small_commands_import_nothing_heavy(args: list[str], env: dict[str, str]) -> None:
    assert probe(args, env, HEAVY) == (0, [])


RECORDING = str(DATA / "recordings" / "resumed.sse.jsonl")
RAW = str(DATA / "streams" / "queued-then-provider-error.sse")


@pytest.mark.parametrize(
    "args",
    [
        ["report", RECORDING],
        ["report", RAW],
        *(["report", RECORDING, "--format", form] for form in ("json", "md", "html", "junit")),
        ["report", RECORDING, "--expect", "complete, ttft<10s, itl.p99<10s"],
        *(["export", RECORDING, "--to", form] for form in ("har", "sse", "curl", "pytest", "md")),
        ["open", "--text", RECORDING],
        ["open", "--json", RECORDING],
        ["tail", RECORDING],
        ["lens", RAW],
        ["minimize", RAW, "--rule", "in-band-error", "--tries", "20"],
        ["bundle", RECORDING, "-o", "out.zip"],
    ],
    ids=lambda args: " ".join(Path(arg).name for arg in args),
)
def test_reading_a_file_needs_no_network(
    args: list[str], env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, found = probe(args, env, HEAVY)
    assert code in (0, 1, 4)
    assert found == []


@pytest.mark.parametrize(("shell", "at"), [("bash", "1"), ("zsh", "1"), ("fish", "a")])
def test_completing_a_command_imports_no_command(shell: str, at: str, env: dict[str, str]) -> None:
    asking = {"_SSE_TUI_COMPLETE": f"{shell}_complete", "COMP_WORDS": "sse-tui a", "COMP_CWORD": at}
    names = [*HEAVY, "msgspec", "sse_tui.config", "sse_tui.cli.commands"]
    code = PROBE.format(args=[], names=names)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env | asking, check=True
    )
    assert "ask" in done.stdout
    assert json.loads(done.stdout.splitlines()[-1]) == [0, []]

"""What a recording has that this version cannot read is counted and shown, whatever reads it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GOOD = (Path(__file__).parents[2] / "data/recordings/resumed.sse.jsonl").read_bytes()
NOTE = "2 records of unknown kind left out ('future', 'later'): a newer sse-tui may know more"


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """A recording in which a newer version wrote records of its own kinds."""
    lines = GOOD.splitlines(keepends=True)
    lines[3:3] = [b'{"t":1,"k":"future","x":[1]}\n']
    lines.append(b'{"t":1,"k":"later"}\n')
    path = tmp_path / "newer.sse.jsonl"
    path.write_bytes(b"".join(lines))
    return path


@pytest.mark.parametrize("form", ["text", "md", "html", "json"])
@pytest.mark.parametrize("piped", [False, True], ids=["file", "stdin"])
def test_a_report_says_so(cli: Callable[..., Any], newer: Path, form: str, piped: bool) -> None:
    source = {"input": newer.read_bytes()} if piped else {}
    done = cli("report", "-" if piped else str(newer), "--format", form, **source)
    if form == "json":
        assert json.loads(done.out)["recording"]["damage"] == [NOTE]
    else:
        assert "2 records of unknown kind left out" in done.out.replace("\n  ", " ")
    assert done.err == ""


@pytest.mark.parametrize(
    "command", [["open", "--text"], ["open", "--json"], ["tail", "--raw"], ["export", "--to", "har"]]
)
def test_other_commands_warn(cli: Callable[..., Any], newer: Path, command: list[str]) -> None:
    done = cli(*command, str(newer))
    assert done.code == 0
    assert NOTE in " ".join(done.err.split())


def test_a_recording_of_this_version_is_quiet(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "a.sse.jsonl"
    path.write_bytes(GOOD)
    assert "unknown" not in cli("open", "--text", str(path)).err
    assert "unknown" not in cli("report", str(path)).out


def test_damage_in_a_pipe_is_reported_too(cli: Callable[..., Any]) -> None:
    done = cli("report", "-", "--format", "json", input=GOOD + b"garbage\n")
    (note,) = json.loads(done.out)["recording"]["damage"]
    assert note.startswith("line 102 (byte ")

"""``sse-tui --help`` is written without click: it says what click would, and what the commands say of themselves."""

from __future__ import annotations

import io
import sys

import click
import pytest

import sse_tui
from sse_tui.cli.group import CONTEXT, cli
from sse_tui.cli.help_page import COMMANDS, help_text
from sse_tui.cli.main import main


def rendered_by_click(columns: int) -> str:
    context = click.Context(cli, info_name="sse-tui", terminal_width=min(columns, 100) - 2, **CONTEXT)
    return click.Group.get_help(cli, context) + "\n"


@pytest.mark.parametrize("columns", [79, 80, 90, 99, 100, 101, 120, 300])
def test_it_is_what_click_renders(columns: int) -> None:
    assert help_text(columns) == rendered_by_click(columns)


@pytest.mark.parametrize("columns", [10, 50, 60])
def test_a_narrow_terminal_cuts_nothing(columns: int) -> None:
    letters = "".join(help_text(columns).split())
    assert all("".join(text.split()) in letters for text in COMMANDS.values())


@pytest.mark.parametrize("args", [["--help"], ["-h"], ["--config", "x.toml", "--help"]])
def test_every_way_to_ask_gives_the_same(args: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert printed(args, monkeypatch) == help_text(100)


def test_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = f"sse-tui {sse_tui.__version__}\n"
    assert printed(["--version"], monkeypatch) == wanted
    assert printed(["--config", "x.toml", "--version"], monkeypatch) == wanted


def test_every_command_opens_its_help_with_its_line_of_the_list() -> None:
    context = click.Context(cli, info_name="sse-tui", **CONTEXT)
    for name, text in COMMANDS.items():
        command = cli.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert (command.help or "").splitlines()[0] == text


def printed(args: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", out)
    with pytest.raises(SystemExit) as ended:
        main(args)
    assert ended.value.code == 0
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue().decode()

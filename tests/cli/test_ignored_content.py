"""Placeholders left out by an option, by the configuration, and by a profile, of files and of live streams."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sse_tui.cli.main import main
from tests.diagnosis.telling import DONE, STOP, text

BODY = text("Thinking...") + text("Paris") + STOP + DONE


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit):
        main(list(arguments))
    return capsys.readouterr().out


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "a.sse"
    path.write_bytes(BODY)
    return str(path)


def test_by_an_option(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    report = json.loads(
        printed(capsys, "report", file, "--format", "json", "--ignore-content", "Thinking...")
    )
    turn = report["turns"][0] if "turns" in report else report
    assert turn["text"] == "Paris"
    assert "placeholder-content" not in {finding["rule"] for finding in turn["findings"]}
    for command in (["tail", file], ["open", file, "--text"]):
        assert printed(capsys, *command, "--ignore-content", "think*") == "Thinking...Paris\n"
        assert printed(capsys, *command, "--ignore-content", "Think*") == "Paris\n"


@pytest.mark.parametrize("table", ["dialect", "profiles.local"])
def test_by_the_configuration(
    table: str,
    file: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSE_TUI_CONFIG", "")  # which the option sets
    config = tmp_path / "config.toml"
    config.write_text(f'[{table}]\nignore_content = ["Thinking*"]\n', "utf-8")
    assert printed(capsys, "tail", file) == "Thinking...Paris\n"
    assert printed(capsys, "tail", file, "--config", str(config)) == "Paris\n"

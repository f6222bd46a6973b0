"""Folders and files that cannot be read: an error that says which and why, never a traceback."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sse_tui.cli.reading import is_url
from sse_tui.config import load, state_dir
from sse_tui.errors import ConfigError, ModelError, RecordingError, UsageError
from sse_tui.models.model_folder import resolve
from sse_tui.offline.opening import open_path
from sse_tui.recording.session_folder import recordings

NOBODY = 65534


@pytest.fixture(name="closed")
def _closed(tmp_path: Path) -> Iterator[Path]:
    """A folder that this process may not search. Root may search any, so root is somebody else meanwhile."""
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    yield folder
    if root:
        os.seteuid(0)
    folder.chmod(0o700)


def test_a_recording_in_a_closed_folder(closed: Path) -> None:
    path = closed / "r.sse.jsonl"
    assert not is_url(str(path))
    with pytest.raises(RecordingError, match="Permission denied"):
        open_path(path)


def test_a_configuration_in_a_closed_folder(closed: Path) -> None:
    with pytest.raises(ConfigError, match="Permission denied"):
        load(path=closed / "config.toml")


def test_a_model_in_a_closed_folder(closed: Path) -> None:
    with pytest.raises(ModelError, match="no model file"):
        resolve(closed / "model.gguf")


def test_a_folder_of_recordings_that_is_closed(closed: Path) -> None:
    with pytest.raises(RecordingError, match="Permission denied") as caught:
        recordings(closed)
    assert "--no-record" in caught.value.hint


def test_a_state_folder_in_a_closed_one(closed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSE_TUI_STATE_DIR", str(closed / "state"))
    with pytest.raises(UsageError, match="Permission denied"):
        state_dir()


def test_a_state_folder_that_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SSE_TUI_STATE_DIR", str(tmp_path / "file"))
    with pytest.raises(UsageError, match="is not a directory"):
        state_dir()


@pytest.mark.parametrize("name", ["x" * 300 + ".sse.jsonl", "./" + "y" * 300])
def test_a_name_that_is_too_long(name: str) -> None:
    with pytest.raises(UsageError, match="There is no file"):
        is_url(name)
    with pytest.raises(RecordingError, match="File name too long"):
        open_path(Path(name))

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sse_tui.errors import RecordingError
from sse_tui.recording import Redactor, Writer, is_running, mark_kept, new_path, prune
from sse_tui.recording.records import Header
from sse_tui.recording.session_folder import is_kept, recordings


def made(folder: Path, minute: int, name: str = "chat") -> Path:
    path = new_path(folder, f"2026-11-30T12:{minute:02}:00Z", name)
    Writer(path, Header(), Redactor()).close()
    return path


@pytest.mark.parametrize(
    ("created", "name", "expected"),
    [
        ("2026-11-30T12:45:02Z", "chat", "2026-11-30T12-45-02Z-chat.sse.jsonl"),
        ("2026-11-30T14:45:02.987654+02:00", "chat", "2026-11-30T12-45-02Z-chat.sse.jsonl"),
        ("2026-11-30T12:45:02", "http://h:80/v1?a=ü", "2026-11-30T12-45-02Z-http-h-80-v1-a.sse.jsonl"),
        ("2026-11-30T12:45:02Z", "../../etc/passwd", "2026-11-30T12-45-02Z-etc-passwd.sse.jsonl"),
        ("2026-11-30T12:45:02Z", "", "2026-11-30T12-45-02Z-session.sse.jsonl"),
        ("2026-11-30T12:45:02Z", "x" * 300, f"2026-11-30T12-45-02Z-{'x' * 40}.sse.jsonl"),
    ],
)
def test_names(tmp_path: Path, created: str, name: str, expected: str) -> None:
    assert new_path(tmp_path, created, name) == tmp_path / expected


def test_a_name_is_never_given_twice(tmp_path: Path) -> None:
    first, second = made(tmp_path, 1), made(tmp_path, 1)
    assert second.name == "2026-11-30T12-01-00Z-chat-2.sse.jsonl"
    mark_kept(first)
    assert made(tmp_path, 1).name.endswith("chat-3.sse.jsonl")
    with pytest.raises(ValueError):
        new_path(tmp_path, "yesterday", "chat")


def test_the_oldest_go_and_the_kept_stay(tmp_path: Path) -> None:
    paths = [made(tmp_path, minute) for minute in range(6)]
    kept = mark_kept(paths[0])
    assert kept.name == "2026-11-30T12-00-00Z-chat.kept.sse.jsonl"
    assert is_kept(kept)
    assert not is_kept(paths[1])
    own = [
        tmp_path / "notes.sse.jsonl",
        tmp_path / "2026-11-30T12-00-00Z-chat.txt",
        tmp_path / "a.kept.sse.jsonl",
    ]
    for path in own:
        path.write_text("mine")
    (tmp_path / "2026-11-30T11-00-00Z-x.sse.jsonl").mkdir()
    (tmp_path / "2026-11-30T11-00-00Z-y.sse.jsonl").symlink_to(own[0])
    assert recordings(tmp_path) == [kept, *paths[1:]]
    assert prune(tmp_path, keep=2) == paths[1:4]
    assert recordings(tmp_path) == [kept, *paths[4:]]
    assert prune(tmp_path, keep=2) == []
    assert prune(tmp_path, keep=0) == paths[4:]
    assert kept.exists()
    assert all(path.exists() for path in own)


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert recordings(tmp_path / "none") == []
    assert prune(tmp_path / "none") == []
    assert not is_running(tmp_path / "none")
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match="Not a directory"):
        recordings(tmp_path / "file")


def test_a_running_one_is_never_deleted(tmp_path: Path) -> None:
    path = new_path(tmp_path, "2026-11-30T12:00:00Z", "chat")
    with Writer(path, Header(), Redactor()):
        later = made(tmp_path, 1)
        assert is_running(path)
        assert not is_running(later)
        assert prune(tmp_path, keep=0) == [later]
        kept = mark_kept(path)
        assert is_running(kept)
        assert is_running(kept.rename(path))
    assert not is_running(path)
    assert prune(tmp_path, keep=0) == [path]


def test_one_whose_writer_was_killed_no_longer_runs(tmp_path: Path) -> None:
    path = new_path(tmp_path, "2026-11-30T12:00:00Z", "chat")
    code = (
        "import os, sys; from sse_tui.recording import Redactor, Writer\n"
        "from sse_tui.recording.records import Header\n"
        "writer = Writer(sys.argv[1], Header(), Redactor()); print('up', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        assert is_running(path)
        process.kill()
        process.wait()
        assert not is_running(path)


def test_marking(tmp_path: Path) -> None:
    path = made(tmp_path, 1)
    kept = mark_kept(path)
    assert mark_kept(kept) == kept
    with pytest.raises(RecordingError, match="Cannot rename"):
        mark_kept(tmp_path / "none.sse.jsonl")
    path.write_text("another")
    with pytest.raises(RecordingError, match="File exists"):
        mark_kept(path)

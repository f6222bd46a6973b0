from __future__ import annotations

from pathlib import Path

import pytest

from sse_tui.tui.answer.history import History


def test_up_and_down_go_through_the_prompts_and_back_to_the_draft(tmp_path: Path) -> None:
    history = History(tmp_path / "prompts.jsonl")
    for text in ("one", "two"):
        history.add(text)
    assert history.older("draft") == "two"
    assert history.older("two") == "one"
    assert history.older("one") is None
    assert history.newer() == "two"
    assert history.newer() == "draft"
    assert history.newer() is None


def test_prompts_are_there_again_in_the_next_session(tmp_path: Path) -> None:
    path = tmp_path / "state" / "prompts.jsonl"
    first = History(path)
    first.add("with\na line feed and \u2028")
    first.add("second")
    first.add("second")
    assert History(path).entries == ["with\na line feed and \u2028", "second"]
    assert path.stat().st_mode & 0o077 == 0


def test_a_broken_line_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    path.write_text('"good"\n{broken\n42\n"also good"\n')
    assert History(path).entries == ["good", "also good"]


def test_a_file_that_cannot_be_written_does_not_stop_the_prompt(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    history = History(blocked / "prompts.jsonl")
    history.add("kept in memory")
    assert history.older("") == "kept in memory"


def test_only_the_last_prompts_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sse_tui.tui.answer.history.KEEP", 3)
    history = History(tmp_path / "prompts.jsonl")
    for number in range(10):
        history.add(str(number))
    assert history.entries == ["7", "8", "9"]
    assert History(tmp_path / "prompts.jsonl").entries == ["7", "8", "9"]

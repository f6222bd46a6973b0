"""Hashes find the secrets they were made of, in any form, and say nothing to whoever lacks the key."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from sse_tui.recording.secret_hashes import HashWriter, beside, read_hashes
from sse_tui.recording.session_folder import mark_kept, new_path, prune

KEY = b"k" * 32
SECRETS = ["sk-proj-0123456789abcdef", "Zq7 with spaces-and-a-long-part", "p/w+d=12345"]


def hashed(folder: Path, secrets: list[str] = SECRETS) -> Path:
    path = folder / "a.sse.jsonl"
    writer = HashWriter(path, KEY)
    writer.add(secrets[:1])
    writer.add(secrets)
    writer.close()
    return path


@pytest.mark.parametrize("secret", [SECRETS[0], SECRETS[2]])
def test_any_form_is_found(tmp_path: Path, secret: str) -> None:
    used = read_hashes(hashed(tmp_path), KEY)
    assert used is not None
    forms = [
        secret,
        json.dumps(json.dumps(secret)),
        quote(secret, safe=""),
        "".join(f"\\u{ord(char):04x}" for char in secret),
        *(base64.b64encode(b"x" * shift + secret.encode() + b"yz").decode() for shift in range(3)),
    ]
    for form in forms:
        assert next(used.found(f'{{"m":"before {form} after"}}'.encode()), None), form
        assert next(used.found(f"x{form}y".encode()), None), form
    assert not list(used.found(secret[:-1].encode() + b" and other text " * 20))


def test_a_secret_with_spaces_is_found_by_its_longest_part(tmp_path: Path) -> None:
    used = read_hashes(hashed(tmp_path), KEY)
    assert used is not None
    assert "spaces-and-a-long-part"[7:] in "".join(used.found(SECRETS[1].encode()))
    assert used.others([]) == 3
    assert used.others(SECRETS[:1]) == 2


def test_the_file_tells_nothing_without_the_key(tmp_path: Path) -> None:
    path = hashed(tmp_path)
    text = beside(path).read_text()
    assert not any(secret in text for secret in SECRETS)
    assert beside(path).stat().st_mode & 0o777 == 0o600
    assert len(text.splitlines()) == 1 + len(SECRETS)
    assert read_hashes(path, b"j" * 32) is None
    assert read_hashes(path, None) is None
    assert read_hashes(tmp_path / "other.sse.jsonl", KEY) is None
    beside(path).write_text(text + "nonsense\n")
    assert read_hashes(path, KEY) is None


def test_it_goes_where_its_recording_goes(tmp_path: Path) -> None:
    first = new_path(tmp_path, "2026-01-01T00:00:00Z", "one")
    second = new_path(tmp_path, "2026-01-02T00:00:00Z", "two")
    for path in (first, second):
        path.touch()
        writer = HashWriter(path, KEY)
        writer.add(SECRETS[:1])
        if path == second:
            path = mark_kept(second)
            writer.add(SECRETS)
        writer.close()
    used = read_hashes(path, KEY)
    assert used is not None
    assert used.others([]) == len(SECRETS)
    assert prune(tmp_path, keep=0) == [first]
    assert sorted(tmp_path.iterdir()) == [path, beside(path)]


def test_a_folder_that_cannot_be_written_to_costs_only_the_hashes(tmp_path: Path) -> None:
    writer = HashWriter(tmp_path / "none" / "a.sse.jsonl", KEY)
    writer.add(SECRETS)
    writer.close()
    assert list(tmp_path.iterdir()) == []

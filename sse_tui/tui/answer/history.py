"""Earlier prompts, kept in a file of JSON lines."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

KEEP = 500


class History:
    """Earlier prompts, oldest first, with a position that up and down move."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.entries = _read(path)
        self._position = len(self.entries)
        self._draft = ""

    def add(self, text: str) -> None:
        """Remember a prompt that was sent. The same prompt twice in a row is kept once."""
        if text and (not self.entries or self.entries[-1] != text):
            self.entries.append(text)
            # A prompt that cannot be remembered is still sent.
            with suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                # Prompts are private: only their owner may read the file.
                owned = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                with open(owned, "a", encoding="utf-8") as file:
                    file.write(_line(text))
        self.entries = self.entries[-KEEP:]
        self._position = len(self.entries)
        self._draft = ""

    def older(self, current: str) -> str | None:
        """The prompt before the current one; None at the oldest. `current` is the text in the prompt now."""
        if self._position == 0:
            return None
        if self._position == len(self.entries):
            self._draft = current
        self._position -= 1
        return self.entries[self._position]

    def newer(self) -> str | None:
        """The prompt after the current one, finally the unsent draft; None when that is shown already."""
        if self._position >= len(self.entries):
            return None
        self._position += 1
        return self._draft if self._position == len(self.entries) else self.entries[self._position]


def _read(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return []
    entries = []
    for line in lines:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, str):
            entries.append(value)
    if len(entries) > 2 * KEEP:
        with suppress(OSError):
            path.write_text("".join(map(_line, entries[-KEEP:])), encoding="utf-8")
    return entries[-KEEP:]


def _line(text: str) -> str:
    return json.dumps(text, ensure_ascii=False) + "\n"

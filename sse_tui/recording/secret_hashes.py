"""Remembers which secrets a session used without keeping them: as keyed hashes, in a file beside the recording.

The recording has asterisks in their place, so whoever reads it later could not tell whether one of them is left
somewhere. With the hashes every stretch of a text that is as long as a secret can be compared. The key of the hashes is
not in the file, so that a weak password cannot be guessed from it.

A secret is remembered by its longest part without spaces and quotes, and by what base64 makes of it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

from sse_tui.recording.secret_forms import Unescaped, encodings, may_be_escaped
from sse_tui.recording.secret_values import can_be_known

SUFFIX = ".hashes"
# A server may set any number of cookies; their user has a few keys.
MOST = 2000
_FORMAT = "sse-tui-secret-hashes"
_PART = re.compile(rb"[A-Za-z0-9._~+/=:%@-]+")


def beside(recording: Path) -> Path:
    """Where the hashes of a recording's secrets are."""
    return recording.with_name(recording.name + SUFFIX)


class HashWriter:
    """Writes the hashes of a session's secrets; the file is made with the first of them.

    What cannot be written is left out: the recording matters more.
    """

    def __init__(self, recording: Path, key: bytes) -> None:
        self._path = beside(recording)
        self._key = key
        self._done: set[str] = set()
        self._fd = -1

    def add(self, secrets: Iterable[str]) -> None:
        """Add those that are not in the file yet."""
        new = [secret for secret in secrets if secret not in self._done][: MOST - len(self._done)]
        if not new:
            return
        self._done.update(new)
        lines: list[object] = [{"forms": _hashes(secret, self._key)} for secret in new]
        try:
            if self._fd < 0:
                # Kept open: the recording, and this file with it, may be renamed while the session runs.
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
                self._fd = os.open(self._path, flags, 0o600)
                lines.insert(0, {"format": _FORMAT, "version": 1, "key": _key_id(self._key)})
            os.write(self._fd, "".join(json.dumps(line) + "\n" for line in lines).encode())
        except OSError:
            self.close()

    def close(self) -> None:
        """Close the file. Idempotent."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class HashedSecrets:
    """The secrets of a recording, to be found in texts."""

    def __init__(self, forms: Iterable[list[tuple[int, str]]], key: bytes) -> None:
        self._key = key
        self._by_size: dict[int, set[str]] = {}
        self._all = list(forms)
        for hashes in self._all:
            for size, digest in hashes:
                self._by_size.setdefault(size, set()).add(digest)

    def others(self, known: Iterable[str]) -> int:
        """How many there are beside the `known` ones."""
        digests = {digest for secret in known for _, digest in _hashes(secret, self._key)}
        return sum(all(digest not in digests for _, digest in hashes) for hashes in self._all)

    @property
    def reach(self) -> int:
        """How many bytes of the text before a piece have to be seen with it."""
        return max(self._by_size, default=1) - 1

    def found(self, text: bytes) -> Iterator[str]:
        """What of the text is a secret, or a form of one."""
        texts = [text, Unescaped(text).data] if may_be_escaped(text) else [text]
        for each in texts:
            for run in _PART.finditer(each):
                part = run.group()
                for size, digests in self._by_size.items():
                    for at in range(len(part) - size + 1):
                        window = part[at : at + size]
                        if _hash(window, self._key) in digests:
                            yield window.decode()


def read_hashes(recording: Path, key: bytes | None) -> HashedSecrets | None:
    """The secrets used in a recording; None if they are not known, or were hashed with another key."""
    forms: list[list[tuple[int, str]]] = []
    try:
        lines = beside(recording).read_text("utf-8").splitlines()
        if key is None or json.loads(lines[0]).get("key") != _key_id(key):
            return None
        for line in lines[1:]:
            value = json.loads(line)
            # A session that was restarted has its own first line.
            if "forms" in value:
                forms.append([(int(size), str(digest)) for size, digest in value["forms"]])
    except (OSError, ValueError, TypeError, AttributeError, IndexError):
        return None
    return HashedSecrets(forms, key)


def _hashes(secret: str, key: bytes) -> list[tuple[int, str]]:
    raw = secret.encode("utf-8", "surrogatepass")
    parts = {max(_PART.findall(raw), key=len, default=b"")}
    parts.update(form for form in encodings(secret) if _PART.fullmatch(form))
    return sorted((len(part), _hash(part, key)) for part in parts if can_be_known(part.decode()))


def _hash(data: bytes, key: bytes) -> str:
    return blake2b(data, key=key, digest_size=16).hexdigest()


def _key_id(key: bytes) -> str:
    return _hash(b"key", key)

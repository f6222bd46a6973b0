"""The key of the hashes by which recordings remember the secrets that were used (`recording.secret_hashes`)."""

from __future__ import annotations

import os
import secrets

from sse_tui.config.paths import state_dir
from sse_tui.errors import UsageError

_SIZE = 32


def hash_key() -> bytes | None:
    """This user's key, made when it is first needed; None if it cannot be kept."""
    try:
        path = state_dir() / "hash.key"
        try:
            if path.exists():
                return _checked(path.read_bytes())
            # Complete from the start: other sessions may read it at any moment.
            draft = path.with_name(f"hash.key.{os.getpid()}")
            fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                os.write(fd, secrets.token_bytes(_SIZE))
            finally:
                os.close(fd)
            try:
                os.link(draft, path)
            finally:
                draft.unlink()
        except FileExistsError:
            pass
        return _checked(path.read_bytes())
    except (OSError, UsageError):
        return None


def _checked(key: bytes) -> bytes | None:
    return key if len(key) == _SIZE else None

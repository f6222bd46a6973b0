"""Directories and files on this machine. Each can be moved with an environment variable, for tests and containers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from sse_tui.errors import UsageError


def state_dir() -> Path:
    """The directory for recordings, prompt history and logs of child processes, created if needed.

    Raises `UsageError` if that fails.
    """
    configured = os.environ.get("SSE_TUI_STATE_DIR")
    folder = Path(configured) if configured else platformdirs.user_state_path("sse-tui")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except FileExistsError as error:
        raise UsageError(
            "state-dir", f"{folder} is not a directory.", "Set SSE_TUI_STATE_DIR to another one."
        ) from error
    except OSError as error:
        raise UsageError(
            "state-dir",
            f"Cannot create the directory {folder}: {error.strerror}.",
            "Set SSE_TUI_STATE_DIR to another one.",
        ) from error
    return folder


def may_exist(path: Path) -> bool:
    """Whether the file is there, or may be: opening one in a folder that cannot be searched will say why it fails."""
    try:
        path.stat()
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def config_path(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the configuration file is expected: ``$SSE_TUI_CONFIG``, else in the user's configuration directory."""
    if named := environ.get("SSE_TUI_CONFIG"):
        return Path(named).expanduser()
    return platformdirs.user_config_path("sse-tui", appauthor=False) / "config.toml"

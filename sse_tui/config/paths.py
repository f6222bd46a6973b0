"""Where things lie on this machine. Each place can be moved by an environment variable, for tests and
containers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from sse_tui.errors import UsageError


def state_dir() -> Path:
    """The folder for what accumulates: recordings, prompt history, logs of helper processes. Created on first
    use. Raises `UsageError` where it cannot be made."""
    configured = os.environ.get("SSE_TUI_STATE_DIR")
    folder = Path(configured) if configured else platformdirs.user_state_path("sse-tui")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise UsageError(
            "state-dir",
            f"The folder {folder} cannot be made: {error.strerror}.",
            "Name another in SSE_TUI_STATE_DIR.",
        ) from error
    return folder


def config_path(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the configuration file is looked for: ``$SSE_TUI_CONFIG``, else the user's own directory."""
    if named := environ.get("SSE_TUI_CONFIG"):
        return Path(named).expanduser()
    return platformdirs.user_config_path("sse-tui", appauthor=False) / "config.toml"

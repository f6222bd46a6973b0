"""Where things lie on this machine. Each folder can be moved by an environment variable, for tests and containers."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def state_dir() -> Path:
    """The folder for what accumulates: recordings, prompt history, logs of helper processes. Created on first use."""
    configured = os.environ.get("SSE_TUI_STATE_DIR")
    folder = Path(configured) if configured else platformdirs.user_state_path("sse-tui")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder

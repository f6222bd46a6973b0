"""The app on recordings with fixed times, and on a real local endpoint with the scripted engine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from sse_tui.config import Config, Ui
from sse_tui.session.spec import SessionSpec
from sse_tui.tui.app import SseTuiApp


class Opened(Protocol):
    """Makes an app on a recording, by name or path; `config` are sections of the configuration."""

    def __call__(self, name: str | Path, **config: object) -> SseTuiApp: ...


class Until(Protocol):
    """Waits for a condition while the app runs on; fails after `limit_s` seconds."""

    async def __call__(self, condition: Callable[[], object], limit_s: float = 20.0) -> None: ...


RECORDINGS = Path(__file__).parents[1] / "data" / "recordings"


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recordings, history and logs of a test stay in its own folder."""
    monkeypatch.setenv("SSE_TUI_STATE_DIR", str(tmp_path / "state"))


@pytest.fixture
def recordings() -> Path:
    """The folder of recordings with fixed times."""
    return RECORDINGS


@pytest.fixture
def opened() -> Opened:
    """Makes an app on a recording, by name or path."""

    def make(name: str | Path, **config: object) -> SseTuiApp:
        path = RECORDINGS / f"{name}.sse.jsonl" if isinstance(name, str) else name
        settings = Config(ui=Ui(theme="sse-dark"), **config)  # type: ignore[arg-type]
        return SseTuiApp(SessionSpec(mode="open", path=path, config=settings))

    return make


def selected_row(app: SseTuiApp) -> int:
    """The selected row of the wire log, which must be there."""
    row = app.workspace.wire.log_view.selected_row
    assert row is not None
    return row


def row_bytes(app: SseTuiApp, row: int) -> bytes:
    """The bytes of a row, read back from the recording."""
    assert app.session.reader is not None
    return app.session.rows.row(row, app.session.reader).raw


def request_body(app: SseTuiApp, turn: int) -> str:
    """The body of the first request of a turn, by its position in the session."""
    request = app.session.analysis.turns[turn].connections[0].request
    assert request is not None
    assert isinstance(request.body, str)
    return request.body


def recording_path(app: SseTuiApp) -> Path:
    """The file that the session is recorded to."""
    assert app.session.path is not None
    return app.session.path


def notices(app: SseTuiApp) -> str:
    """What the notices on screen say, titles included."""
    return "\n".join(str(toast.render()) for toast in app.screen.query("Toast"))


@pytest.fixture
def until() -> Until:
    """Waits for a condition while the app runs on; fails after `limit_s` seconds."""

    async def wait(condition: Callable[[], object], limit_s: float = 20.0) -> None:
        deadline = time.monotonic() + limit_s
        while not condition():
            assert time.monotonic() < deadline, "the condition was never met"
            await asyncio.sleep(0.02)

    return wait

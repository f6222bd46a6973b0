"""Makes the screenshots of the README: a real session with the default model, the app's own picture of itself.

``python screenshots/make.py`` in the environment that the README's test command made.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from textual.pilot import Pilot

from sse_tui.config import Profile
from sse_tui.session.spec import SessionSpec
from sse_tui.tui.app import SseTuiApp
from sse_tui.tui.picture import svg_of

HERE = Path(__file__).parent
PROMPT = "Write a Python function that reads lines from a socket, and explain how it works."
LIMIT_S = 60


async def until(pilot: Pilot[int], condition: Callable[[], bool]) -> None:
    """Wait for the condition, drawing meanwhile."""
    for _ in range(LIMIT_S * 20):
        await pilot.pause(0.05)
        if condition():
            return
    raise TimeoutError("the session never came that far")


def save(app: SseTuiApp, name: str) -> None:
    """Write the app's picture of itself."""
    (HERE / f"{name}.svg").write_text(svg_of(app), "utf-8")


async def session(size: tuple[int, int], picture: Callable[[SseTuiApp, Pilot[int]], object]) -> None:
    """One chat with the local model in a terminal of that size."""
    spec = SessionSpec(mode="chat", profile=Profile(temperature=0.0, seed=1, max_tokens=800))
    app = SseTuiApp(spec)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: getattr(app.session.status.endpoint, "state", "") == "ready")
        assert app.prompt is not None
        app.prompt.load_text(PROMPT)
        await pilot.press("enter")
        await picture(app, pilot)  # type: ignore[misc]
        await pilot.press("ctrl+q")


def events(app: SseTuiApp) -> int:
    """Events of the running turn."""
    turn = app.session.analysis.turn
    return turn.events if turn is not None else 0


async def streaming(app: SseTuiApp, pilot: Pilot[int]) -> None:
    """In the middle of an answer, a row selected."""
    await until(pilot, lambda: events(app) > 70)
    save(app, "streaming")


async def resumed(app: SseTuiApp, pilot: Pilot[int]) -> None:
    """After a cut: the fault, the retry with its Last-Event-ID, the verdict."""
    await until(pilot, lambda: events(app) > 30)
    await pilot.press("ctrl+x", "c")
    await until(pilot, lambda: app.session.analysis.turns[-1].verdict is not None and events(app) > 34)
    await pilot.press("escape")
    await until(pilot, lambda: not app.session.busy)
    await pilot.press("f3")
    rows = app.session.rows
    app.workspace.wire.log_view.select_row(
        next(row for row in range(len(rows)) if rows.label(row) == "reconnect")
    )
    # Up and down again: the rows before the cut come into view.
    await pilot.press(*["up"] * 6, *["down"] * 6)
    await pilot.pause(0.3)
    save(app, "resumed")


async def narrow(app: SseTuiApp, pilot: Pilot[int]) -> None:
    """The same at 80 by 24."""
    await until(pilot, lambda: events(app) > 60)
    save(app, "80x24")


def main() -> None:
    """Make all of them."""
    with tempfile.TemporaryDirectory() as state:
        os.environ["SSE_TUI_STATE_DIR"] = state
        asyncio.run(session((120, 36), streaming))
        asyncio.run(session((120, 36), resumed))
        asyncio.run(session((80, 24), narrow))


if __name__ == "__main__":
    main()

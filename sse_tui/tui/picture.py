"""A picture of the app on a recording, made without a terminal: the SVG that Textual draws."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from textual.app import App

from sse_tui.config import Config
from sse_tui.errors import SseTuiError
from sse_tui.processes.messages import ErrorMessage
from sse_tui.processes.parent import Parent
from sse_tui.session.spec import SessionSpec
from sse_tui.tui.app import SseTuiApp
from sse_tui.tui.picture_process import DrawFailed, Drawn, read_command

SIZE = (120, 36)
# Reading a large recording to its end takes as long as it takes; a picture of most of it will do.
LIMIT_S = 30.0
STEP_S = 0.05


def picture_of(path: Path, *, dialect: str | None = None) -> str:
    """The SVG of the app on the recording at `path`, read to its end. Must not be called within an event loop."""
    return asyncio.run(_picture(SessionSpec(mode="open", config=Config(), path=path, dialect=dialect)))


def svg_of(app: App[int]) -> str:
    """The app's screen as it is now, drawn with the reader's own monospaced font, so that nothing is fetched."""
    svg = re.sub(r"@font-face \{.*?\}", "", app.export_screenshot(title="sse-tui"), flags=re.DOTALL)
    return svg.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")


async def _picture(spec: SessionSpec) -> str:
    app = SseTuiApp(spec)
    async with app.run_test(size=SIZE) as pilot:
        for _ in range(int(LIMIT_S / STEP_S)):
            await pilot.pause(STEP_S)
            if len(app.session.rows) and not app.session.behind:
                break
        await pilot.pause(STEP_S)
        return svg_of(app)


def main() -> None:
    """The process of `sse_tui.tui.picture_process`."""
    parent = Parent(read_command)
    command = parent.commands().get()
    try:
        parent.send(Drawn(picture_of(Path(command.path), dialect=command.dialect)))
    except SseTuiError as error:
        parent.send(DrawFailed(ErrorMessage.of(error)))


if __name__ == "__main__":
    main()

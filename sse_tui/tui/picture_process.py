"""A picture drawn in another process, for an app that runs: two apps in one process would share their output."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import msgspec

from sse_tui.errors import SseTuiError
from sse_tui.processes.child import Child
from sse_tui.processes.messages import ErrorMessage, reader


class Draw(msgspec.Struct, tag="draw", frozen=True):
    """The one command: draw the app on the recording at `path`."""

    path: str
    dialect: str | None


class Drawn(msgspec.Struct, tag="drawn", frozen=True):
    """The picture."""

    svg: str


class DrawFailed(msgspec.Struct, tag="failed", frozen=True):
    """The recording could not be shown."""

    error: ErrorMessage


Report: TypeAlias = Drawn | DrawFailed

read_command: Callable[[bytes], Draw] = reader(Draw)
read_report: Callable[[bytes], Report] = reader(Report)


async def draw_apart(recording: Path, dialect: str | None, limit_s: float) -> str:
    """The SVG of the app on a recording. Raises the error that it met, or `TimeoutError`."""
    async with asyncio.timeout(limit_s):
        child = await Child.start("sse_tui.tui.picture", reports=read_report)
        try:
            child.send(Draw(str(recording), dialect))
            async for report in child.reports():
                if isinstance(report, DrawFailed):
                    raise report.error.error()
                return report.svg
            raise SseTuiError(
                "picture-failed", f"The process that draws the picture {await child.exit_text()}."
            )
        finally:
            await child.end()

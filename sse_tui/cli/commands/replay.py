"""``sse-tui replay``: a recording, served again."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sse_tui.cli import narration
from sse_tui.cli.output import Output
from sse_tui.errors import ConnectError, RecordingError, UsageError
from sse_tui.text.wording import many

if TYPE_CHECKING:
    from sse_tui.offline.replay import Script


@click.command("replay")
@click.argument("source", metavar="FILE", type=click.Path(dir_okay=False))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="PORT",
    help="Port to listen on; 0 picks a free one.",
)
@click.option(
    "--speed",
    type=float,
    default=1.0,
    show_default=True,
    metavar="X",
    help="Playback speed; 0 means no delays.",
)
def command(source: str, port: int, speed: float) -> int:
    """Serve a recording over HTTP on 127.0.0.1.

    Sends the same status, headers and bytes at the recorded pace, and ends or resets the connection as in the
    recording. A request with Last-Event-ID gets what follows that event. Prints the URL, and a line on stderr for each
    request. Stop it with ctrl+c.
    """
    if not 0 <= speed < float("inf"):
        raise UsageError(
            "bad-speed", f"Invalid --speed {speed}.", "1 is the recorded pace; 0 means no delays."
        )
    from sse_tui.cli.running import run

    return run(_serve(_script(Path(source)), port, speed))


def _script(path: Path) -> Script:
    from sse_tui.offline.export import read_tape
    from sse_tui.offline.opening import open_path
    from sse_tui.offline.replay import Script

    with narration.Status(f"reading {path.name}"):
        opened = open_path(path)
        script = Script(read_tape(opened.header, opened))
    for note in opened.notes:
        narration.warn(note)
    if not script.connections:
        raise RecordingError("nothing-to-replay", f"{path} holds no response to replay.")
    return script


async def _serve(script: Script, port: int, speed: float) -> int:
    import asyncio

    from sse_tui.offline.replay import ReplayServer

    server = ReplayServer(script, port=port, speed=speed, log=lambda line: narration.say(f"sse-tui: {line}"))
    async with contextlib.AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(server)
        except OSError as error:
            raise ConnectError(
                "port-taken", f"Cannot listen on port {port}: {error.strerror}.", "Choose another --port."
            ) from error
        Output().line(server.url)
        connections = many(len(script.connections), "recorded connection")
        narration.say(f"sse-tui: serving {connections} (ctrl+c to stop)")
        await asyncio.Event().wait()
    return 0

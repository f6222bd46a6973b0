"""``sse-tui open``: a recording, a raw stream or another tool's capture, in the TUI or printed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from sse_tui.cli import narration
from sse_tui.cli.options import (
    config_option,
    dialect_option,
    ignore_content_option,
    ignore_option,
    json_option,
    load_config,
)
from sse_tui.errors import RecordingError, UsageError


@click.command("open")
@click.argument("source", metavar="FILE|-")
@json_option(help="Print one JSON object per line instead of opening the view.")
@click.option("--text", "as_text", is_flag=True, help="Print the text instead of opening the view.")
@dialect_option
@ignore_option
@ignore_content_option
@config_option
def command(
    source: str,
    as_json: bool,
    as_text: bool,
    stream_dialect: str | None,
    ignore: tuple[str, ...],
    ignore_content: tuple[str, ...],
) -> int:
    """View or print a recording or a raw stream.

    FILE is a recording, a raw event stream, or a capture of another tool: curl -i, curl -v, HAR, a VCR cassette, a log
    with times, rows copied from DevTools. - is stdin.
    """
    if as_json and as_text:
        raise UsageError("two-forms", "--json and --text cannot be combined.")
    from sse_tui.cli.reading import open_source, read_source

    given = {"ignore": ignore, "ignore_content": ignore_content}
    if as_json or as_text:
        return read_source(source, "json" if as_json else "text", stream_dialect, given=given)
    from sse_tui.cli.launch import launch, require_terminal
    from sse_tui.cli.specs import open_spec
    from sse_tui.cli.spooling import spooled
    from sse_tui.offline.opening import is_recording, spool

    loaded = load_config(given)
    # The TUI follows a recording's file, so anything else is first turned into one, in a temporary folder.
    try:
        recording = source != "-" and is_recording(Path(source))
    except OSError as error:
        raise RecordingError("cannot-open", f"Cannot open {Path(source)}: {error.strerror}.") from error
    require_terminal()
    if recording:
        return launch(open_spec(loaded, stream_dialect, Path(source)))
    with tempfile.TemporaryDirectory(prefix="sse-tui-") as folder:
        if source == "-":
            path = Path(folder) / "stdin.sse.jsonl"
            with spooled(path):
                return launch(open_spec(loaded, stream_dialect, path))
        path = Path(folder) / f"{Path(source).name}.sse.jsonl"
        with narration.Status(f"reading {source}"):
            spool(open_source(source), path)
        return launch(open_spec(loaded, stream_dialect, path))

"""``sse-tui export``: a recording in the form of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sse_tui.cli.options import config_option, load_config
from sse_tui.cli.output import Output, to_json
from sse_tui.config import Loaded
from sse_tui.errors import UsageError

FORMATS = ("har", "sse", "curl", "pytest", "md")


@click.command("export")
@click.argument("source", metavar="FILE|-")
@click.option("--to", "form", type=click.Choice(FORMATS), required=True, help="Form to export to.")
@click.option(
    "--conn", type=int, metavar="N", help="Connection to export; for sse and curl the last by default."
)
@click.option(
    "-o", "--output", "output", type=click.Path(dir_okay=False), metavar="FILE", help="Write to FILE."
)
@click.option(
    "--dialect",
    "stream_dialect",
    metavar="NAME",
    help="What the payloads mean, for md; default: told by the stream.",
)
@config_option
def command(
    source: str, form: str, conn: int | None, output: str | None, config: str | None, **given: Any
) -> int:
    """Export a recording.

    har opens in the network panel of Chrome and Firefox, and keeps the time of every read for sse-tui. sse is the
    body of one connection, byte for byte without its content coding. curl is its request. pytest is a test that runs
    without sse-tui. md is the report for an issue tracker. FILE may be whatever sse-tui opens; - is stdin. Secrets are
    taken out, those of other tools' captures too.
    """
    if form == "md":
        if conn is not None:
            raise UsageError("conn-with-md", "--conn is not for md, which tells of all connections.")
        from sse_tui.cli.commands.report import read_report
        from sse_tui.offline.report import markdown

        report = read_report(source, [], load_config(config), given)
        data = report.without_secrets(markdown.render(report)).encode("utf-8", "replace")
    else:
        data = _exported(source, form, conn, load_config(config))
    if output is not None:
        from sse_tui.cli.writing import write_file

        write_file(Path(output), data)
    else:
        Output().raw(data)
    return 0


def _exported(source: str, form: str, number: int | None, loaded: Loaded) -> bytes:
    from sse_tui.cli import narration
    from sse_tui.cli.reading import open_source
    from sse_tui.cli.sources import stdin
    from sse_tui.offline.export import read_tape
    from sse_tui.recording import Redactor

    opened = open_source(stdin() if source == "-" else Path(source))
    # What another tool captured has its secrets still.
    redaction = loaded.config.recording
    redactor = Redactor(redaction.redact_headers, redaction.redact_patterns)
    tape = read_tape(opened.header, map(redactor.record, opened))
    for note in opened.notes:
        narration.warn(note)
    if form == "har":
        from sse_tui.offline.export.har_file import har

        if number is not None:
            tape.connections = {number: tape.connection(number)}
        return to_json(har(tape)).encode("utf-8", "replace") + b"\n"
    if form == "pytest":
        from sse_tui.offline.export.pytest_file import pytest_file

        chosen = [tape.connection(number)] if number is not None else list(tape.connections.values())
        return pytest_file(chosen).encode()
    if form == "curl":
        from sse_tui.offline.export.curl_command import curl_command

        if number is None:
            # The first request of the last turn: a later one only goes on with it.
            asked = [one for one in tape.connections.values() if one.request is not None]
            last = asked[-1].turn if asked else 0
            number = next((one.number for one in asked if one.turn == last), None)
        return curl_command(tape.connection(number)).encode("utf-8", "replace")
    return b"".join(data for _, data in tape.connection(number).decoded())

"""``sse-tui export``: a recording in the format of another tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sse_tui.cli.exits import Exit
from sse_tui.cli.options import config_option, dialect_option, load_config, output_option
from sse_tui.errors import UsageError
from sse_tui.text.json_line import to_json
from sse_tui.text.safety import encodable

if TYPE_CHECKING:
    from sse_tui.offline.export import Tape

FORMATS = ("har", "sse", "curl", "pytest", "md")


@click.command("export")
@click.argument("source", metavar="FILE|-")
@click.option("--to", "form", type=click.Choice(FORMATS), required=True, help="Output format.")
@click.option(
    "--conn", type=int, metavar="N", help="Connection to export. Default: all; for sse and curl the last."
)
@output_option
@dialect_option
@config_option
def command(
    source: str,
    form: str,
    conn: int | None,
    output: str | None,
    stream_dialect: str | None,
) -> int:
    """Export a recording to another format.

    har opens in the network panel of Chrome and Firefox, and keeps the time of every read for sse-tui. sse is the
    body of one connection, byte for byte, with its content coding removed. curl is the request as a curl command.
    pytest is a test that runs without sse-tui. md is a report for an issue tracker. FILE may be anything that sse-tui
    opens; - is stdin. Secrets are masked, also those in captures of other tools.
    """
    from sse_tui.cli.writing import write_result

    if form == "md":
        if conn is not None:
            raise UsageError(
                "conn-with-md", "--conn cannot be combined with --to md, which covers all connections."
            )
        from sse_tui.cli.commands.report import read_report
        from sse_tui.cli.ending import ended
        from sse_tui.offline.report.forms import render

        report = read_report(source, [], stream_dialect)
        write_result(encodable(render(report, "md")).encode(), output)
        return ended(report.findings)
    write_result(_exported(source, form, conn), output)
    return Exit.OK


def _exported(source: str, form: str, number: int | None) -> bytes:
    from sse_tui.cli import narration
    from sse_tui.cli.reading import open_source
    from sse_tui.offline.export import read_tape
    from sse_tui.recording import Redactor

    opened = open_source(source)
    # Captures of other tools still hold their secrets.
    redaction = load_config().config.recording
    redactor = Redactor(redaction.redact_headers, redaction.redact_patterns)
    tape = read_tape(opened.header, map(redactor.record, opened))
    for note in opened.notes:
        narration.warn(note)
    exported = _in_form(tape, form, number)
    for conn in tape.connections.values():
        if conn.damage:
            narration.warn(f"The body of connection {conn.number} is not exported to its end: {conn.damage}.")
    return exported


def _in_form(tape: Tape, form: str, number: int | None) -> bytes:
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
            # The first request of the last turn: later ones only resume it.
            asked = [one for one in tape.connections.values() if one.request is not None]
            last = asked[-1].turn if asked else 0
            number = next((one.number for one in asked if one.turn == last), None)
        return curl_command(tape.connection(number)).encode("utf-8", "replace")
    return b"".join(data for _, data in tape.connection(number).decoded())

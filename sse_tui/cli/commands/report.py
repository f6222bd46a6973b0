"""``sse-tui report``: what a stream holds, what is wrong with it, and whether it meets expectations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sse_tui.cli.exits import Exit
from sse_tui.cli.options import (
    config_option,
    dialect_option,
    ignore_content_option,
    ignore_option,
    load_config,
    output_option,
)
from sse_tui.text.safety import encodable

if TYPE_CHECKING:
    from sse_tui.offline.report import Expectation, Report
    from sse_tui.offline.report.forms import Format

FORMATS = ("text", "json", "md", "html", "junit")


@click.command("report")
@click.argument("source", metavar="FILE|-")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Output format."
)
@click.option(
    "--expect",
    multiple=True,
    metavar="LIST",
    help="Expectations, for example 'ttft<500ms, itl.p99<200ms, complete'; may be repeated.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "never"]),
    default="error",
    show_default=True,
    help="Exit with code 1 if a finding is at least this severe.",
)
@output_option
@dialect_option
@ignore_option
@ignore_content_option
@config_option
def command(
    source: str,
    form: Format,
    expect: tuple[str, ...],
    fail_on: str,
    output: str | None,
    stream_dialect: str | None,
    ignore: tuple[str, ...],
    ignore_content: tuple[str, ...],
) -> int:
    """Report on a stream: its content, problems and timing.

    FILE is a recording, a raw event stream, or a capture of another tool: curl -i, curl -v, HAR, a VCR cassette, a log
    with times, rows copied from DevTools. - is stdin. Exit code 1 if an expectation fails or a finding is an error.
    """
    from sse_tui.cli.ending import ended
    from sse_tui.cli.writing import write_result
    from sse_tui.offline.report import parse_expectations
    from sse_tui.offline.report.forms import render

    expectations = [one for text in expect for one in parse_expectations(text)]
    given = {"ignore": ignore, "ignore_content": ignore_content}
    report = read_report(source, expectations, stream_dialect, given)
    write_result(encodable(render(report, form, fail_on)).encode(), output)
    return ended(report.findings) or (Exit.FAILED if report.failed(fail_on) else Exit.OK)


def read_report(
    source: str, expectations: list[Expectation], dialect: str | None, given: Mapping[str, Any] | None = None
) -> Report:
    """Read `source` to its end, with the limits, objectives and secrets of the configuration."""
    import msgspec

    from sse_tui.cli import narration
    from sse_tui.cli.reading import open_source
    from sse_tui.metrics import Bounds
    from sse_tui.offline.report import report_of
    from sse_tui.recording import Redactor

    config = load_config(given).config
    recording = config.recording
    name = "standard input" if source == "-" else Path(source).name
    opened = open_source(source)
    with narration.Status(f"reading {name}"):
        report = report_of(
            opened.header,
            opened,
            name,
            dialect=dialect,
            expectations=expectations,
            slo=Bounds(**msgspec.structs.asdict(config.slo)),
            redactor=Redactor(recording.redact_headers, recording.redact_patterns),
            max_event_bytes=recording.max_event_bytes,
            rules=config.rules,
            ignored=config.ignored_content,
        )
        report.damage = opened.notes
        return report

"""``sse-tui report``: what a stream holds, what is wrong with it, and whether it meets expectations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sse_tui.cli.exits import Exit
from sse_tui.cli.options import config_option, dialect_option, load_config, output_option
from sse_tui.cli.output import Output

if TYPE_CHECKING:
    from sse_tui.config import Loaded
    from sse_tui.offline.report import Expectation, Report

FORMATS = ("text", "json", "md", "html", "junit")


@click.command("report")
@click.argument("source", metavar="FILE|-")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Output format."
)
@click.option(
    "--expect",
    "expect",
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
@config_option
def command(
    source: str,
    form: str,
    expect: tuple[str, ...],
    fail_on: str,
    output: str | None,
    stream_dialect: str | None,
    config: str | None,
) -> int:
    """Report on a stream: its content, problems and timing.

    FILE is a recording, a raw event stream, or a capture of another tool: curl -i, curl -v, HAR, a VCR cassette, a log
    with times, rows copied from DevTools. - is stdin. Exit code 1 if an expectation fails or a finding is an error.
    """
    from sse_tui.offline.report import parse_expectations

    expectations = [one for text in expect for one in parse_expectations(text)]
    loaded = load_config(config)
    report = read_report(source, expectations, loaded, stream_dialect)
    text = _render(report, form, fail_on)
    if output is not None:
        from sse_tui.cli.writing import write_file

        write_file(Path(output), text.encode("utf-8", "replace"))
    else:
        Output().text(text)
    return Exit.FAILED if report.failed(fail_on) else Exit.OK


def read_report(source: str, expectations: list[Expectation], loaded: Loaded, dialect: str | None) -> Report:
    """Read `source` to its end."""
    import msgspec

    from sse_tui.analysis.analysis import Analysis
    from sse_tui.cli import narration
    from sse_tui.cli.reading import open_source
    from sse_tui.metrics import Bounds
    from sse_tui.offline.report import ReportBuilder
    from sse_tui.recording import Redactor

    opened = open_source(source)
    analysis = Analysis(
        opened.header, dialect=dialect, max_event_bytes=loaded.config.recording.max_event_bytes
    )
    redaction = loaded.config.recording
    builder = ReportBuilder(analysis, Redactor(redaction.redact_headers, redaction.redact_patterns))
    name = "standard input" if source == "-" else Path(source).name
    with narration.Status(f"reading {name}"):
        for record in opened:
            builder.feed(record)
    bounds = Bounds(**msgspec.structs.asdict(loaded.config.slo))
    return builder.report(name, expectations, opened.notes, bounds)


def _render(report: Report, form: str, fail_on: str) -> str:
    if form == "json":
        from sse_tui.cli.output import to_json
        from sse_tui.offline.report import report_json

        return to_json(report_json.render(report)) + "\n"
    return report.without_secrets(_for_people(report, form, fail_on))


def _for_people(report: Report, form: str, fail_on: str) -> str:
    if form == "md":
        from sse_tui.offline.report import markdown

        return markdown.render(report)
    if form == "html":
        from sse_tui.offline.report import html

        return html.render(report)
    if form == "junit":
        from sse_tui.offline.report import junit

        return junit.render(report, fail_on)
    from sse_tui.offline.report import plain

    return plain.render(report)

"""``sse-tui lens``: what popular clients would make of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from sse_tui.cli import narration
from sse_tui.cli.options import dialect_option, json_option
from sse_tui.cli.output import Output
from sse_tui.text.json_line import to_json
from sse_tui.text.safety import terminal
from sse_tui.text.wording import many

if TYPE_CHECKING:
    from sse_tui.diagnosis.clients.lens import ClientResult
    from sse_tui.offline.clients import ClientComparison

_SHOWN = 60


@click.command("lens")
@click.argument("source", metavar="FILE|-")
@json_option(help="Print one JSON object per connection.")
@dialect_option
def command(source: str, as_json: bool, stream_dialect: str | None) -> int:
    """Show what popular clients would make of a stream.

    Shows for each connection how it ended, and for each client the number of events, the exception it raises, and the
    text it loses. The clients are the HTML standard, httpx-sse, and the openai and anthropic SDKs; the output names
    their versions.
    """
    from sse_tui.cli.reading import open_source
    from sse_tui.offline.clients import compare_clients, comparison_json

    found = compare_clients(open_source(source), stream_dialect)
    out = Output()
    if not found:
        narration.say(f"{source}: no connection has a body")
    for comparison in found:
        if as_json:
            out.line(to_json(comparison_json(comparison)))
        else:
            for line in _lines(comparison):
                out.line(line)
    return 0


def _lines(comparison: ClientComparison) -> Iterator[str]:
    from sse_tui.diagnosis.clients.ends import WORDS

    beginning = ", only its beginning" if comparison.cut else ""
    yield f"connection {comparison.conn} ({WORDS[comparison.end]}{beginning})"
    width = max(len(_name(result)) for result in comparison.results)
    for result in comparison.results:
        how = f"raises {result.raised.name}" if result.raised is not None else "returns normally"
        events = "event " if len(result.events) == 1 else "events"
        yield f"  {_name(result):{width}}  {len(result.events):6} {events}  {how}"
        if result.raised is not None and result.raised.message:
            yield f"  {'':{width}}  {terminal.line(result.raised.message[:_SHOWN])}"
        if result.lost:
            lost = terminal.line(repr(result.lost[:_SHOWN]))
            yield f"  {'':{width}}  loses {many(len(result.lost), 'character')}: {lost}"
        if result.pitfalls:
            yield f"  {'':{width}}  {result.pitfalls[0]}"


def _name(result: ClientResult) -> str:
    return f"{result.client.name} {result.client.version}"

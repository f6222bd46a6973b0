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

    Shows for each connection and client the number of events, the exception it raises, and the text it loses. The
    clients are the HTML standard, httpx-sse, and the openai and anthropic SDKs; the output names their versions.
    """
    from sse_tui.cli.reading import open_source
    from sse_tui.offline.clients import compare_clients, comparison_json

    found = compare_clients(open_source(source), stream_dialect)
    out = Output()
    if not found:
        narration.say(f"{source}: no connection has a body")
    for look in found:
        if as_json:
            out.line(to_json(comparison_json(look)))
        else:
            for line in _lines(look):
                out.line(line)
    return 0


def _lines(look: ClientComparison) -> Iterator[str]:
    yield f"connection {look.conn}{' (only its beginning)' if look.cut else ''}"
    width = max(len(_name(outcome)) for outcome in look.results)
    for outcome in look.results:
        how = f"raises {outcome.raised.name}" if outcome.raised is not None else "returns normally"
        events = "event " if len(outcome.events) == 1 else "events"
        yield f"  {_name(outcome):{width}}  {len(outcome.events):6} {events}  {how}"
        if outcome.raised is not None and outcome.raised.message:
            yield f"  {'':{width}}  {terminal.line(outcome.raised.message[:_SHOWN])}"
        if outcome.lost:
            lost = terminal.line(repr(outcome.lost[:_SHOWN]))
            yield f"  {'':{width}}  loses {many(len(outcome.lost), 'character')}: {lost}"
        if outcome.pitfalls:
            yield f"  {'':{width}}  {outcome.pitfalls[0]}"


def _name(outcome: ClientResult) -> str:
    return f"{outcome.client.name} {outcome.client.version}"

"""``sse-tui lens``: what named clients would have made of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sse_tui.cli import narration
from sse_tui.cli.output import Output, to_json
from sse_tui.cli.specs import dialect_of
from sse_tui.text.safety import terminal

if TYPE_CHECKING:
    from sse_tui.diagnosis.clients.lens import ClientResult
    from sse_tui.offline.clients import Look

_SHOWN = 60


@click.command("lens")
@click.argument("source", metavar="FILE|-")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a connection.")
@click.option(
    "--dialect", "stream_dialect", metavar="NAME", help="What the payloads mean; default: told by the stream."
)
def command(source: str, as_json: bool, **given: Any) -> int:
    """Show what named clients would have made of a stream.

    For each connection and client: the events it gets, the exception it raises and the text that it loses. The clients
    are the standard, httpx-sse, and the openai and anthropic SDKs, in the versions that are named.
    """
    from sse_tui.cli.reading import open_source
    from sse_tui.cli.sources import stdin
    from sse_tui.offline.clients import look_json, looks

    found = looks(open_source(stdin() if source == "-" else Path(source)), dialect_of(given))
    out = Output()
    if not found:
        narration.say(f"{source}: no connection brought a body")
    for look in found:
        if as_json:
            out.line(to_json(look_json(look)))
        else:
            for line in _lines(look):
                out.line(line)
    return 0


def _lines(look: Look) -> Iterator[str]:
    yield f"connection {look.conn}{' (its beginning)' if look.cut else ''}"
    width = max(len(_name(outcome)) for outcome in look.outcomes)
    for outcome in look.outcomes:
        how = f"raises {outcome.raised.name}" if outcome.raised is not None else "returns normally"
        yield f"  {_name(outcome):{width}}  {len(outcome.events):6} events  {how}"
        if outcome.raised is not None and outcome.raised.message:
            yield f"  {'':{width}}  {terminal.line(outcome.raised.message[:_SHOWN])}"
        if outcome.lost:
            lost = terminal.line(repr(outcome.lost[:_SHOWN]))
            yield f"  {'':{width}}  loses {len(outcome.lost):,} characters: {lost}"
        if outcome.pitfalls:
            yield f"  {'':{width}}  {outcome.pitfalls[0]}"


def _name(outcome: ClientResult) -> str:
    return f"{outcome.client.name} {outcome.client.version}"

"""``sse-tui tail``: prints any event stream as text, as JSON lines, or raw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from sse_tui.cli import narration
from sse_tui.cli.curl_options import request_options
from sse_tui.cli.options import json_option
from sse_tui.cli.output import Output
from sse_tui.errors import UsageError

if TYPE_CHECKING:
    from sse_tui.analysis.entry import Entry
    from sse_tui.recording.records import Record
    from sse_tui.session.headless import Headless


@click.command("tail")
@click.argument("source", required=False, metavar="URL|FILE|-")
@json_option(help="Print one JSON object per line for everything that happens.")
@click.option("--raw", is_flag=True, help="Print the body's bytes unchanged.")
@click.option("--max-events", type=click.IntRange(min=1), metavar="N", help="Stop after N events.")
@request_options
def command(source: str | None, as_json: bool, raw: bool, max_events: int | None, **given: Any) -> int:
    """Print an event stream as it arrives.

    Prints the answer's text if the dialect is known, otherwise one line per event; of several choices the first
    streams, and the others follow it. The source is a URL, with curl's options, or a recording, a raw event stream, or
    stdin.
    """
    from sse_tui.cli.reading import is_url, read_source

    if as_json and raw:
        raise UsageError("two-forms", "--json and --raw cannot be combined.")
    if raw and max_events is not None:
        raise UsageError(
            "two-forms", "--raw and --max-events cannot be combined: --raw does not count events."
        )
    if source is None and not given["pasted"]:
        raise UsageError(
            "no-source", "There is nothing to read.", "Give a URL, a file, - for stdin, or --curl."
        )
    form = "json" if as_json else "raw" if raw else "text"
    if source is None or is_url(source):
        return _live(source, form, max_events, given)
    _refuse_request_options(source)
    return read_source(source, form, given["stream_dialect"], given=given, max_events=max_events)


def _refuse_request_options(source: str) -> None:
    """Raises `UsageError` if an option was given that applies only to a request."""
    context = click.get_current_context()
    applicable = {"source", "as_json", "raw", "max_events", "stream_dialect", "config", "no_record"}
    applicable |= {"ignore", "ignore_content"}
    for option in context.command.params:
        name = option.name or ""
        if name not in applicable and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(
                "not-a-request", f"{option.opts[-1]} needs a URL; reading {source} sends no request."
            )


def _live(url: str | None, form: str, max_events: int | None, given: dict[str, Any]) -> int:
    from sse_tui.cli.running import run
    from sse_tui.cli.specs import inspect_spec, recording_path

    spec = inspect_spec(url, given)
    path = recording_path(spec, given, default=False)
    from sse_tui.session.headless import Headless

    session = Headless(spec, path)
    narration.mask_with(session.without_secrets)
    return run(_tail(session, form, max_events))


async def _tail(session: Headless, form: str, max_events: int | None) -> int:
    from sse_tui.cli.ending import ended, tell_worst
    from sse_tui.cli.following import follow
    from sse_tui.cli.repeats import RefusalNotice, not_repeated
    from sse_tui.cli.views import limited, raw_view, view
    from sse_tui.session.requests import inspect_turn

    out, notice = Output(), RefusalNotice()
    turn = inspect_turn(session.spec)
    async with session:
        if form == "raw":
            show_raw = raw_view(out)

            def record_seen(record: Record) -> None:
                notice.see(record)
                show_raw(record)

            whole = await follow(session.records(), record_seen, out, session.stop)
        else:
            shown = view(form, session.analysis, out)
            show = limited(shown.show, session.analysis, max_events)

            def entry_seen(entry: Entry) -> bool:
                notice.see(entry.record)
                return show(entry)

            try:
                whole = await follow(session.inspect(), entry_seen, out, session.stop)
                if whole:
                    shown.finish()
            finally:
                if not out.abandoned():
                    out.end_line()
        problem = session.problem if whole else None
    if whole and problem is None and session.analysis.turn is not None:
        said = not_repeated(session.analysis.turn, session.recorder.stop_reason, turn.policy.kind)
        if said:
            narration.say(f"sse-tui: {said}")
    tell_worst(session.analysis.findings, problem)
    return ended(session.analysis.findings, problem)

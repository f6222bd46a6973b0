"""``sse-tui ask``: one prompt, the answer to stdout as it streams."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from sse_tui.cli import narration
from sse_tui.cli.options import chat_options, json_option
from sse_tui.cli.output import Output
from sse_tui.errors import UsageError

if TYPE_CHECKING:
    from sse_tui.analysis.entry import Entry
    from sse_tui.dialects.base import Message
    from sse_tui.server.status import EndpointStatus
    from sse_tui.session.headless import Headless


@click.command("ask")
@click.argument("prompt", required=False)
@json_option(help="Print one JSON object: text, usage, clocks, gaps and more.")
@click.option("--metrics", is_flag=True, help="Print the timing to stderr after the answer.")
@chat_options
def command(prompt: str | None, as_json: bool, metrics: bool, **given: Any) -> int:
    """Send one prompt and print the answer.

    The prompt is read from stdin if PROMPT is -, or if it is left out and stdin is not a terminal.
    """
    from sse_tui.cli.running import run
    from sse_tui.cli.specs import chat_spec, recording_path

    text = _prompt(prompt)
    spec = chat_spec(given)
    path = recording_path(spec, given, default=True)
    from sse_tui.dialects.base import Message
    from sse_tui.session.headless import Headless

    system = [Message("system", spec.profile.system)] if spec.profile.system else []
    messages = [*system, Message("user", text)]
    return run(_ask(Headless(spec, path), messages, as_json=as_json, metrics=metrics))


def _prompt(given: str | None) -> str:
    if given is not None and given != "-":
        if not given.strip():
            raise UsageError("no-prompt", "The prompt is empty.")
        return given
    if sys.stdin is None or (given is None and sys.stdin.isatty()):
        raise UsageError("no-prompt", "There is no prompt.", "Pass it as an argument or on stdin.")
    text = sys.stdin.buffer.read().decode("utf-8", "replace").strip()
    if not text:
        raise UsageError("no-prompt", "The prompt on stdin is empty.")
    return text


async def _ask(session: Headless, messages: list[Message], *, as_json: bool, metrics: bool) -> int:
    from sse_tui.cli.ending import ended
    from sse_tui.cli.following import follow
    from sse_tui.cli.views import narrate, text_of

    out = Output()
    with narration.Status() as status:

        def show(entry: Entry) -> None:
            status.clear()
            narrate(entry, out)
            if not as_json and not entry.repeat:
                out.text(text_of(entry))

        async with session:
            try:
                entries = session.ask(messages, lambda said: _loading(status, said))
                await follow(entries, show, out, session.stop)
            finally:
                if not out.abandoned():
                    out.end_line()
            _finish(session, out, as_json=as_json, metrics=metrics)
            problem = session.problem
    return ended(session.analysis.findings, problem)


def _loading(shown: narration.Status, status: EndpointStatus) -> None:
    if status.state == "ready":
        shown.clear()
    elif status.state == "downloading" and status.total:
        shown.update(f"downloading {status.model} {narration.bar(status.done, status.total)}")
    elif status.state != "failed":
        shown.update(f"{status.state} {status.model}")


def _finish(session: Headless, out: Output, *, as_json: bool, metrics: bool) -> None:
    turn = session.analysis.turn
    if turn is None:
        return
    if as_json:
        from sse_tui.analysis.jsonform import result_json

        out.json(result_json(session.analysis, turn))
    elif turn.answer.refusal:
        narration.say(f"sse-tui: the model refused: {turn.answer.refusal}")
    if metrics:
        from sse_tui.cli.metrics_table import metric_rows

        narration.table(("metric", "value"), metric_rows(session.analysis, turn))

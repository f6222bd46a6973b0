"""``sse-tui ask``: one prompt, the answer to stdout as it streams."""

from __future__ import annotations

import contextlib
import select
import sys
from typing import TYPE_CHECKING, Any

import click

from sse_tui.cli import narration
from sse_tui.cli.options import chat_options, json_option
from sse_tui.cli.output import Output
from sse_tui.errors import SseTuiError, UsageError

if TYPE_CHECKING:
    from sse_tui.analysis.analysis import Analysis
    from sse_tui.analysis.entry import Entry
    from sse_tui.dialects.base import Message
    from sse_tui.server.status import EndpointStatus
    from sse_tui.session.headless import Headless

# How long stdin may be silent before stderr says that it is being read.
PATIENCE_S = 2.0


@click.command("ask")
@click.argument("prompt", required=False)
@json_option(help="Print one JSON object: text, usage, clocks, gaps and more.")
@click.option("--metrics", is_flag=True, help="Print the timing to stderr after the answer.")
@chat_options
def command(prompt: str | None, as_json: bool, metrics: bool, **given: Any) -> int:
    """Send one prompt and print the answer.

    Of several choices the first streams, and the others follow it.

    If stdin is not a terminal, it is read to its end and follows PROMPT after a blank line; it is the whole prompt if
    PROMPT is - or left out. Redirect it (< /dev/null) where a script's own stdin is not meant.
    """
    from sse_tui.cli.running import run

    out = Output()
    try:
        session, messages = _session(prompt, given)
    except SseTuiError as error:
        if as_json:
            _print_result(out, None, error)
        raise
    return run(_ask(session, messages, out, as_json=as_json, metrics=metrics))


def _session(prompt: str | None, given: dict[str, Any]) -> tuple[Headless, list[Message]]:
    from sse_tui.cli.specs import chat_spec, recording_path

    text = _prompt(prompt)
    spec = chat_spec(given)
    path = recording_path(spec, given, default=True)
    from sse_tui.dialects.base import Message
    from sse_tui.session.headless import Headless

    system = [Message("system", spec.profile.system)] if spec.profile.system else []
    session = Headless(spec, path)
    narration.mask_with(session.without_secrets)
    return session, [*system, Message("user", text)]


def _prompt(given: str | None) -> str:
    """The argument and stdin, whichever there are, with a blank line between them."""
    argument = "" if given is None or given == "-" else given
    if given is not None and not given.strip():
        raise UsageError("no-prompt", "The prompt is empty.")
    if sys.stdin is None or (given != "-" and sys.stdin.isatty()):
        if not argument:
            raise UsageError("no-prompt", "There is no prompt.", "Pass it as an argument or on stdin.")
        return argument
    piped = _stdin()
    if not argument and not piped:
        raise UsageError("no-prompt", "The prompt on stdin is empty.")
    return "\n\n".join(part for part in (argument, piped) if part)


def _stdin() -> str:
    """All of stdin as text, "" if it is blank."""
    # Not every stdin can be waited for: on Windows only a socket.
    with contextlib.suppress(OSError, ValueError):
        if not select.select([sys.stdin], [], [], PATIENCE_S)[0]:
            narration.say("sse-tui: reading stdin to its end (redirect it, < /dev/null, if it is not meant)")
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    return text.strip("\r\n") if text.strip() else ""


async def _ask(
    session: Headless, messages: list[Message], out: Output, *, as_json: bool, metrics: bool
) -> int:
    import asyncio

    from sse_tui.cli.answer_text import AnswerText
    from sse_tui.cli.ending import ended, tell_worst
    from sse_tui.cli.following import follow
    from sse_tui.cli.views import narrate

    text = AnswerText(out)
    with narration.Status() as status:

        def show(entry: Entry) -> None:
            status.clear()
            narrate(entry, out)
            if not as_json and not entry.repeat:
                text.add(entry)

        async with session:
            try:
                entries = session.ask(messages, lambda said: _loading(status, said))
                await follow(entries, show, out, session.stop)
                if not as_json and session.analysis.turn is not None:
                    text.finish(session.analysis.turn)
            except (SseTuiError, asyncio.CancelledError) as error:
                if as_json and not out.abandoned():
                    signalled = SseTuiError("interrupted", "A signal ended the run.")
                    _print_result(
                        out, session.analysis, error if isinstance(error, SseTuiError) else signalled
                    )
                raise
            finally:
                if not out.abandoned():
                    out.end_line()
            problem = session.problem
            if as_json:
                _print_result(out, session.analysis, problem)
            _narrate_result(session, as_json=as_json, metrics=metrics)
    tell_worst(session.analysis.findings, problem)
    return ended(session.analysis.findings, problem)


def _loading(shown: narration.Status, status: EndpointStatus) -> None:
    if status.state == "ready":
        shown.clear()
    elif status.state == "downloading" and status.total:
        shown.update(f"downloading {status.model} {narration.bar(status.done, status.total)}")
    elif status.state != "failed":
        shown.update(f"{status.state} {status.model}")


def _print_result(out: Output, analysis: Analysis | None, problem: SseTuiError | None) -> None:
    """The one JSON object of a run; without an analysis that of a run that could not begin."""
    from sse_tui.analysis.analysis import Analysis
    from sse_tui.analysis.jsonform import result_json
    from sse_tui.analysis.turn import Turn
    from sse_tui.recording.records import Header

    read = analysis or Analysis(Header(clock="none"))
    out.json(result_json(read, read.turn or Turn(0), problem))


def _narrate_result(session: Headless, *, as_json: bool, metrics: bool) -> None:
    turn = session.analysis.turn
    if turn is None:
        return
    if turn.answer.refusal and not as_json:
        narration.say(f"sse-tui: the model refused: {turn.answer.refusal}")
    if metrics:
        from sse_tui.cli.metrics_table import metric_rows

        narration.table(("metric", "value"), metric_rows(session.analysis, turn))

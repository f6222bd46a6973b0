"""``sse-tui doctor``: checks that everything the program needs works on this machine."""

from __future__ import annotations

import click

from sse_tui.cli import narration
from sse_tui.cli.exits import Exit
from sse_tui.cli.options import config_option, json_option
from sse_tui.cli.output import Output

_MARKS = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}


@click.command("doctor")
@json_option(help="Print one JSON object per line.")
@config_option
def command(as_json: bool) -> int:
    """Check that everything works on this machine.

    Checks the terminal, the configuration, the model, llama.cpp, the clock, and that a stream that was cut resumes.
    Exit code 1 if a check fails.
    """
    from sse_tui.cli.doctor_checks import checks, result_of

    out = Output()
    failed = False
    for name, check in checks():
        with narration.Status(f"checking {name} ..."):
            found = result_of(check)
        failed |= found.state == "fail"
        if as_json:
            out.json({"check": name, **found._asdict()})
        else:
            out.line(f"{_MARKS[found.state]}  {name:<14} {found.detail}")
            if found.hint:
                out.line(f"{'':20} {found.hint}")
    return Exit.FAILED if failed else Exit.OK

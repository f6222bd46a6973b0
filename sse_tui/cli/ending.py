"""How a headless run ends: its exit code, from the stream's problem and from rules that failed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sse_tui.cli import narration
from sse_tui.cli.exits import Exit
from sse_tui.errors import SseTuiError

if TYPE_CHECKING:
    from sse_tui.diagnosis import Finding


def ended(findings: Iterable[Finding], problem: SseTuiError | None = None) -> Exit:
    """The exit code of a run with these findings, whose stream had that problem, which is raised.

    A rule of the diagnosis that failed is a bug of our own and comes first: after it no verdict is to be trusted.
    Every headless command that runs the rules ends with this.
    """
    failed = [finding for finding in findings if finding.rule == "internal"]
    for finding in failed:
        narration.error(f"internal: {finding.message}")
    if problem is None:
        return Exit.INTERNAL if failed else Exit.OK
    if not failed:
        raise problem
    narration.error(problem)
    return Exit.INTERNAL

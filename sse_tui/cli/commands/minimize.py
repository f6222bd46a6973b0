"""``sse-tui minimize``: the smallest recording that still triggers a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sse_tui.cli import narration
from sse_tui.cli.exits import Exit
from sse_tui.cli.options import dialect_option, output_option

if TYPE_CHECKING:
    from sse_tui.recording.records import Header, Record


@click.command("minimize")
@click.argument("source", metavar="FILE|-")
@click.option("--rule", required=True, metavar="ID", help="Rule that must still be triggered.")
@output_option
@click.option(
    "--tries",
    type=click.IntRange(min=1),
    default=5_000,
    show_default=True,
    metavar="N",
    help="Maximum number of tries.",
)
@dialect_option
def command(source: str, rule: str, output: str | None, tries: int, stream_dialect: str | None) -> int:
    """Shrink a recording to the least that triggers a rule.

    Removes connections, events, fields and bytes as long as the rule is still triggered. The result has the form of the
    input: a recording, or the bytes of a raw event stream. Exit code 1 if the rule finds nothing in FILE.
    """
    from sse_tui.cli.ending import ended
    from sse_tui.cli.reading import open_source
    from sse_tui.cli.writing import write_result
    from sse_tui.diagnosis import checked_rule
    from sse_tui.offline.minimize import minimize
    from sse_tui.offline.reproduction import findings_of, still_found

    checked_rule(rule)
    opened = open_source(source)
    records = list(opened)
    findings = findings_of(records, opened.header, stream_dialect)
    holds = still_found(rule, opened.header, records, stream_dialect)
    if holds is None:
        found = sorted({finding.rule for finding in findings})
        narration.say(f"{source}: {rule} finds nothing here; triggered: {', '.join(found) or 'no rule'}")
        return ended(findings) or Exit.FAILED
    with narration.Status(f"reading {source}") as status:
        minimal = minimize(
            records,
            holds,
            tries=tries,
            progress=lambda level, n, left: status.update(f"{level}: {left:,} bytes left after {n:,} tries"),
        )
    write_result(_encoded(opened.header, records, minimal.records), output)
    more = "; --tries allows more attempts" if minimal.exhausted else ""
    narration.say(
        f"{minimal.bytes:,} of {minimal.was:,} bytes in {len(minimal.records)} of {len(records)} records, "
        f"after {minimal.tries:,} {'try' if minimal.tries == 1 else 'tries'}{more}"
    )
    return ended(findings)


def _encoded(header: Header, was: list[Record], minimal: list[Record]) -> bytes:
    """A recording; or only the bytes, if the input held nothing else and their times do not matter."""
    from sse_tui.recording.record_lines import encode_line
    from sse_tui.recording.records import Chunk

    reads = [record.data for record in minimal if isinstance(record, Chunk)]
    bare = all(record.kind in ("chunk", "close", "end") for record in was)
    if bare and (header.clock == "none" or len(reads) < 2):
        return b"".join(reads)
    return b"".join(encode_line(item) for item in (header, *minimal))

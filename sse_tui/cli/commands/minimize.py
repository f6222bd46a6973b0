"""``sse-tui minimize``: the least recording that still gives a finding."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sse_tui.cli import narration
from sse_tui.cli.exits import Exit
from sse_tui.cli.output import Output
from sse_tui.cli.specs import dialect_of

if TYPE_CHECKING:
    from sse_tui.recording.records import Header, Record


@click.command("minimize")
@click.argument("source", metavar="FILE|-")
@click.option("--rule", required=True, metavar="ID", help="The rule whose finding must stay.")
@click.option(
    "-o", "--output", "output", type=click.Path(dir_okay=False), metavar="FILE", help="Write to FILE."
)
@click.option("--tries", type=click.IntRange(min=1), default=5_000, show_default=True, help="Tries at most.")
@click.option(
    "--dialect", "stream_dialect", metavar="NAME", help="What the payloads mean; default: told by the stream."
)
def command(source: str, rule: str, output: str | None, tries: int, **given: Any) -> int:
    """Shrink a recording to the least that still gives a finding.

    Takes away connections, events, fields and bytes as long as the rule still fires. A recording gives a recording, a
    raw event stream gives its bytes. Exit code 1 when the rule finds nothing in FILE.
    """
    from sse_tui.cli.reading import open_source
    from sse_tui.cli.sources import stdin
    from sse_tui.offline.minimize import minimize
    from sse_tui.offline.reproduction import checked_rule, findings_of, still_found

    checked_rule(rule)
    opened = open_source(stdin() if source == "-" else Path(source))
    records = list(opened)
    dialect = dialect_of(given)
    holds = still_found(rule, opened.header, records, dialect)
    if holds is None:
        found = sorted({finding.rule for finding in findings_of(records, opened.header, dialect)})
        narration.say(f"{source}: no finding of {rule}; found: {', '.join(found) or 'nothing'}")
        return Exit.FAILED
    with narration.Status(f"reading {source}") as status:
        minimal = minimize(
            records,
            holds,
            tries=tries,
            progress=lambda level, n, left: status.update(f"{level}: {left:,} bytes left after {n:,} tries"),
        )
    _write(_encoded(opened.header, records, minimal.records), output)
    more = "; more tries may find less" if minimal.exhausted else ""
    narration.say(
        f"{minimal.bytes:,} of {minimal.was:,} bytes in {len(minimal.records)} of {len(records)} records, "
        f"after {minimal.tries:,} tries{more}"
    )
    return Exit.OK


def _encoded(header: Header, was: list[Record], minimal: list[Record]) -> bytes:
    """A recording; or the bytes alone, where there was nothing else to begin with and their times do not matter."""
    from sse_tui.recording.record_lines import encode_line
    from sse_tui.recording.records import Chunk

    reads = [record.data for record in minimal if isinstance(record, Chunk)]
    bare = all(record.kind in ("chunk", "close", "end") for record in was)
    if bare and (header.clock == "none" or len(reads) < 2):
        return b"".join(reads)
    return b"".join(encode_line(item) for item in (header, *minimal))


def _write(data: bytes, output: str | None) -> None:
    if output is None:
        Output().raw(data)
        return
    from sse_tui.cli.writing import write_file

    write_file(Path(output), data)

"""The rule about reads that end where a client that decodes each by itself breaks."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, Occurrence, rule
from sse_tui.recording.records import Close
from sse_tui.text.wording import many


@rule(
    "info",
    CLOSE,
    advice="In the client, decode with an incremental decoder, and keep what follows the last line end for the next "
    "read. In the server, write whole events.",
    reference="aisix#111; quarkusio/quarkus#37625; HTML standard 9.2.6",
)
def split_character(_: Close, facts: Facts) -> Occurrence | None:
    """A read ended inside a character: clients that decode each read by itself show U+FFFD or raise an exception."""
    split = facts.conn.scanner.split_characters
    if not split or not facts.timed:  # without times the reads are those of the file, not of the stream
        return None
    return Occurrence(
        f"{many(split, 'read')} of {facts.conn.reads:,} ended inside a character: clients that decode each read by "
        "itself break here.",
        evidence={"reads": split},
    )

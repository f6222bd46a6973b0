"""The rule about times that say more of the capturing machine than of the server."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import LATE_READ, Occurrence, rule
from sse_tui.text.wording import many


@rule(
    "info",
    LATE_READ,
    advice="Do not read anything into the times of these events: capture again on a machine that is less busy.",
    reference="Linux net/ipv4/tcp_input.c, tcp_try_coalesce",
)
def late_read(_: None, facts: Facts) -> Occurrence:
    """Bytes waited in the socket while the capturing process did not run."""
    conn = facts.conn
    longest = conn.longest_wait / 1e9
    message = (
        f"{many(conn.late_reads, 'read')} came late, by up to {longest:.1f} s: the process that captured the stream "
        "did not run. Events that came meanwhile share the time of the last one."
    )
    evidence = {"reads": conn.late_reads, "longest_s": round(longest, 3)}
    return Occurrence(message, evidence=evidence, amend=conn.late_reads > 1)

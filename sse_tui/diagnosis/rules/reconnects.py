"""Rules about when a client asks again, and when it must not."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Occurrence
from sse_tui.diagnosis.registry import also, rule
from sse_tui.diagnosis.view import EntryView
from sse_tui.recording.records import Reconnect, Request, Response
from sse_tui.resume.reconnect import retry_after_ms

A_MINUTE = 6  # reconnects within a minute that are a storm
_SAFE = ("GET", "HEAD", "OPTIONS")
_TOKENS = ("last-event-id", "idempotency-key", "x-idempotency-key", "x-conversation-id")
_AGAIN = (408, 409, 425, 429)


@rule(
    "unsafe-retry",
    "error",
    "request",
    advice="Resume with a Last-Event-ID, send an Idempotency-Key, or let the user decide (policy resend).",
    reference="Azure/fetch-event-source#54; Azure/azure-sdk-for-net#62430",
)
def unsafe_retry(entry: EntryView, facts: Facts) -> Occurrence | None:
    """A reconnect sends a request again that is not safe to repeat, without a token to resume by."""
    request = entry.record
    if not isinstance(request, Request) or len(facts.turn.conns) < 2 or request.method.upper() in _SAFE:
        return None
    if any(facts.conn.request_header(name) for name in _TOKENS):
        return None
    ended = facts.turn.view.dialect.ended or facts.turn.view.dialect.complete is True
    why = "although the stream had ended" if ended else "without a Last-Event-ID or an Idempotency-Key"
    return Occurrence(
        f"The {request.method} was sent again as connection {facts.conn.number}, {why}: the work is done, "
        "and paid, twice.",
        "info" if facts.turn.policy.startswith("resend") and not ended else "error",  # the user asked for it
        evidence={"method": request.method, "after_end": ended},
    )


@rule(
    "lost-resume-token",
    "error",
    "request",
    advice="Send the id of the last event that was dispatched, of whichever connection.",
    reference="modelcontextprotocol/typescript-sdk#2499; EventSource/eventsource#27",
)
def lost_resume_token(entry: EntryView, facts: Facts) -> Occurrence | None:
    """A reconnect without the last event id, or with an old one."""
    turn = facts.turn
    if not isinstance(entry.record, Request) or len(turn.conns) < 2 or not turn.last_id:
        return None
    sent = facts.conn.request_header("last-event-id")
    if sent is not None and _same(sent, turn.last_id):
        return None
    what = "was not sent" if not sent else f"was sent as {sent[:40]!r}"
    return Occurrence(
        f"The last event id was {turn.last_id[:40]!r}, but Last-Event-ID {what}: events are lost or come "
        "again.",
        evidence={"committed": turn.last_id[:200], "sent": sent},
    )


def _same(sent: str, committed: str) -> bool:
    """Headers are read as Latin-1 by many, ids are UTF-8."""
    if sent == committed or sent == "[redacted]":
        return True
    return committed.encode("utf-8", "replace").decode("latin-1") == sent


@rule(
    "status-stop-vs-retry",
    "warning",
    "reconnect",
    advice="Stop at 204 and at 4xx; ask again after 429 and 5xx, and not before Retry-After.",
    reference="cpp-mcp#4; EventSource/eventsource#14; HTML standard 9.2.3",
)
def status_stop_vs_retry(entry: EntryView, facts: Facts) -> Occurrence | None:
    """A status that says stop was retried, or the time the server asked for was not waited."""
    record, response = entry.record, facts.conn.response
    if not isinstance(record, Reconnect) or response is None:
        return None
    status = response.status
    evidence = {"status": status, "delay_ms": record.delay_ms}
    if status == 204 or (400 <= status < 500 and status not in _AGAIN):
        said = "there is nothing more" if status == 204 else "another attempt will fail the same way"
        return Occurrence(f"The status {status} says that {said}, and it was retried.", evidence=evidence)
    given = facts.conn.response_header("retry-after")
    asked = retry_after_ms(given, 0.0) if given and given.strip().isdigit() else None
    if asked is not None and record.delay_ms < asked:
        return Occurrence(
            f"The server asked to wait {asked / 1000:g} s (Retry-After), the reconnect comes after "
            f"{record.delay_ms:.0f} ms.",
            evidence={**evidence, "retry_after_ms": asked},
        )
    return None


@also("status-stop-vs-retry", "over")
def not_retried(entry: EntryView, facts: Facts) -> Occurrence | None:
    """A status that asks for another attempt was not retried."""
    response = facts.conn.response
    if not isinstance(response, Response) or not (response.status == 429 or response.status >= 500):
        return None
    if facts.turn.last_reconnect_conn == facts.conn.number:
        return None
    given = facts.conn.response_header("retry-after")
    wait = f" in {given} s" if given else ""
    return Occurrence(
        f"The status {response.status} asks for another attempt{wait}, and there was none.",
        "info",
        evidence={"status": response.status, "retry_after": given},
    )


@rule(
    "reconnect-storm",
    "warning",
    "reconnect",
    advice="Back off exponentially with jitter, up to a limit of attempts, and honour retry.",
    reference="bigskysoftware/htmx-extensions#192; launchdarkly/rust-eventsource-client#135",
)
def reconnect_storm(entry: EntryView, facts: Facts) -> Occurrence | None:
    """Many reconnects a minute, or always after the same delay."""
    record = entry.record
    if entry.t is None or not isinstance(record, Reconnect):
        return None
    times = facts.session.reconnect_times
    del times[:-64]
    recent = 1 + sum(entry.t - t <= 60_000_000_000 for t in times)
    if recent <= A_MINUTE:
        return None
    delays = [*facts.turn.delays_ms[-A_MINUTE:], record.delay_ms]
    jitter = len(set(delays)) > 1
    return Occurrence(
        f"{recent} reconnects within a minute, the last after {record.delay_ms:.0f} "
        f"ms{'' if jitter else ', always the same delay without jitter'}.",
        evidence={"within_a_minute": recent, "delays_ms": delays, "jitter": jitter},
    )

"""Rules about when a client should reconnect, and when it must not."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import OVER, RECONNECT, REQUEST, Occurrence, also, rule
from sse_tui.recording.records import Reconnect, Request
from sse_tui.resume.policy import STORM, STORM_WINDOW_MS
from sse_tui.resume.reconnect import retry_after_ms

_SAFE = ("GET", "HEAD", "OPTIONS")
_TOKENS = ("last-event-id", "idempotency-key", "x-idempotency-key", "x-conversation-id")
_REDIRECTS = (301, 302, 303, 307, 308)
_AGAIN = (408, 409, 425, 429)


@rule(
    "error",
    REQUEST,
    advice="Resume with Last-Event-ID or send an Idempotency-Key; use --reconnect always only if repeating is safe.",
    reference="Azure/fetch-event-source#54; Azure/azure-sdk-for-net#62430",
)
def unsafe_retry(request: Request, facts: Facts) -> Occurrence | None:
    """A reconnect repeats a request that is not safe to repeat, with nothing to resume from."""
    if len(facts.turn.conns) < 2 or request.method.upper() in _SAFE:
        return None
    if any(facts.conn.request_header(name) for name in _TOKENS):
        return None
    before = facts.turn.conns[-2].response
    if before is not None and before.status in _REDIRECTS:
        return None  # sent on, not again: the server that redirects has not done the work
    ended = facts.turn.view.dialect.ended or facts.turn.view.dialect.complete is True
    why = "although the stream had ended" if ended else "without Last-Event-ID or Idempotency-Key"
    return Occurrence(
        f"The {request.method} was sent again as connection {facts.conn.number}, {why}: the work is done, and paid "
        "for, twice.",
        "info" if facts.turn.policy.startswith("always") and not ended else "error",  # the user asked for it
        evidence={"method": request.method, "after_end": ended},
    )


@rule(
    "error",
    REQUEST,
    advice="In Last-Event-ID, send the id of the last event dispatched on any connection of the stream.",
    reference="modelcontextprotocol/typescript-sdk#2499; EventSource/eventsource#27",
)
def lost_resume_token(_: Request, facts: Facts) -> Occurrence | None:
    """A reconnect without the last event ID, or with an old one."""
    turn = facts.turn
    if len(turn.conns) < 2 or not turn.last_id:
        return None
    sent = facts.conn.request_header("last-event-id")
    if sent is not None and _same(sent, turn.last_id):
        return None
    what = "was not sent" if not sent else f"was sent as {sent[:40]!r}"
    return Occurrence(
        f"The last event ID was {turn.last_id[:40]!r}, but Last-Event-ID {what}: events are lost or repeated.",
        evidence={"committed": turn.last_id[:200], "sent": sent},
    )


def _same(sent: str, committed: str) -> bool:
    """Whether they are the same id: ids are UTF-8, but many read headers as Latin-1."""
    if sent == committed or sent == "[redacted]":
        return True
    return committed.encode("utf-8", "replace").decode("latin-1") == sent


@rule(
    "warning",
    RECONNECT,
    advice="Stop after 204 and 4xx; retry after 429 and 5xx, and wait as long as Retry-After says.",
    reference="cpp-mcp#4; EventSource/eventsource#14; HTML standard 9.2.3",
)
def status_stop_vs_retry(reconnect: Reconnect, facts: Facts) -> Occurrence | None:
    """A status that means stop was retried, or the wait was shorter than the server asked for."""
    response = facts.conn.response
    if response is None:
        return None
    status = response.status
    evidence = {"status": status, "delay_ms": reconnect.delay_ms}
    if status == 204 or (400 <= status < 500 and status not in _AGAIN):
        meaning = "there is nothing more" if status == 204 else "another attempt will fail the same way"
        return Occurrence(f"Status {status} means that {meaning}, but it was retried.", evidence=evidence)
    given = facts.conn.response_header("retry-after")
    asked = retry_after_ms(given, 0.0) if given and given.strip().isdigit() else None
    if asked is not None and reconnect.delay_ms < asked:
        return Occurrence(
            f"The server asked for a wait of {asked / 1000:g} s (Retry-After), but the reconnect comes after "
            f"{reconnect.delay_ms:.0f} ms.",
            evidence={**evidence, "retry_after_ms": asked},
        )
    return None


@also("status-stop-vs-retry", OVER)
def not_retried(_: None, facts: Facts) -> Occurrence | None:
    """A status that calls for a retry was not retried."""
    response = facts.conn.response
    if response is None or (response.status != 429 and response.status < 500):
        return None
    if facts.turn.last_reconnect_conn == facts.conn.number:
        return None
    given = facts.conn.response_header("retry-after")
    wait = f" after {given[:40]}{' s' if given.strip().isdigit() else ''}" if given else ""
    return Occurrence(
        f"Status {response.status} calls for a retry{wait}, but there was none.",
        "info",
        evidence={"status": response.status, "retry_after": given},
    )


@rule(
    "warning",
    RECONNECT,
    advice="Back off exponentially with jitter, limit the number of attempts, and honour the retry field.",
    reference="bigskysoftware/htmx-extensions#192; launchdarkly/rust-eventsource-client#135",
)
def reconnect_storm(reconnect: Reconnect, facts: Facts) -> Occurrence | None:
    """Many reconnects within a minute."""
    now = facts.entry.t
    if now is None:
        return None
    times = facts.session.reconnect_times
    del times[:-64]
    recent = 1 + sum(now - t <= STORM_WINDOW_MS * 1e6 for t in times)
    if recent <= STORM:
        return None
    delays = [*facts.turn.delays_ms[-STORM:], reconnect.delay_ms]
    jitter = len(set(delays)) > 1
    return Occurrence(
        f"There were {recent} reconnects within a minute, the last after {reconnect.delay_ms:.0f} ms"
        f"{'' if jitter else ', always with the same delay and no jitter'}.",
        evidence={"within_a_minute": recent, "delays_ms": delays, "jitter": jitter},
    )

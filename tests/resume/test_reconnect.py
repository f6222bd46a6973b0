"""Conversations: an attempt ended like this, and then that is decided. Time is what the test says."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import pytest

from sse_tui.resume import AttemptResult, GiveUp, Policy, Reconnector, TryAgain
from sse_tui.resume.reconnect import Decision, retry_after_ms

POLICY = Policy(base_ms=1000, max_attempts=3, max_total_s=60)


@dataclass(frozen=True)
class Again:
    """Another attempt is decided on; None of the other fields is not looked at."""

    ms: tuple[float, float] = (0, 1e9)
    attempt: int | None = None
    after: str | None = None
    note: str | None = None
    by_get: bool | None = None


@dataclass(frozen=True)
class Over:
    """No other attempt is made; `why` is looked for in the reason."""

    why: str


def conversation(*lines: AttemptResult | Again | Over, policy: Policy = POLICY, method: str = "GET") -> None:
    """Each result is followed by what is decided on it."""
    reconnector = Reconnector(policy, random.Random(0))
    decision: Decision | None = None
    for number, line in enumerate(lines):
        if isinstance(line, AttemptResult):
            assert decision is None, f"line {number}: the decision before was not looked at"
            decision = reconnector.decide(replace(line, method=method))
            continue
        assert decision is not None
        if isinstance(line, Over):
            assert isinstance(decision, GiveUp), f"line {number}: {decision}"
            assert line.why in decision.reason
        else:
            assert isinstance(decision, TryAgain), f"line {number}: {decision}"
            assert line.ms[0] <= decision.delay_ms <= line.ms[1], f"line {number}: {decision}"
            assert line.attempt in (None, decision.attempt)
            assert line.after in (None, decision.last_event_id)
            assert line.by_get in (None, decision.by_get)
            assert line.note in (None, decision.note) or (line.note and line.note in decision.note)
        decision = None
    assert decision is None


def broke(
    kind: str = "incomplete", id: str = "1", progress: int = 1, now_ms: float = 0, **more: object
) -> AttemptResult:
    """An open stream broke off after five seconds."""
    result = AttemptResult(kind, now_ms, id, progress=progress, lived_ms=5000)
    return replace(result, **more)  # type: ignore[arg-type]


def answered(status: int, id: str = "", now_ms: float = 0, retry_after: str | None = None) -> AttemptResult:
    return AttemptResult("status", now_ms, id, status=status, retry_after=retry_after)


def unreachable(id: str = "1", now_ms: float = 0) -> AttemptResult:
    return AttemptResult("no-connection", now_ms, id)


@pytest.mark.parametrize("kind", ["eof", "incomplete", "reset", "timeout", "fault", "error"])
def test_a_body_that_broke_off_is_resumed(kind: str) -> None:
    conversation(broke(kind, "41"), Again((1000, 1250), attempt=1, after="41"))


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (broke("stopped"), "stopped by the user"),
        (broke("ended"), "the stream said that it had ended"),
        (broke("status", status=204), "204"),
        (broke("status", status=205), "answered 205"),
        (broke("status", status=404), "answered 404"),
        (broke("status", status=410), "answered 410"),
        (broke("status", status=409), "answered 409"),
        (broke("wrong-type", status=200), "not an event stream"),
        (broke("fatal"), "fail the same way"),
    ],
)
def test_what_stops_whatever_was_before(result: AttemptResult, reason: str) -> None:
    conversation(broke(), Again(), result, Over(reason))


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_busy_servers_are_asked_again_once_the_stream_was_open(status: int) -> None:
    conversation(answered(status, "1"), Over("never open"))
    conversation(broke(), Again(), answered(status, "1"), Again(attempt=2))


def test_a_first_answer_with_retry_after_is_waited_for() -> None:
    conversation(answered(503, retry_after="7"), Again((7000, 7000)))


def test_retry_after_never_shortens_the_wait() -> None:
    conversation(answered(503, retry_after="0"), Again((1000, 1250)))


def test_a_policy_may_leave_a_busy_server_alone() -> None:
    lines = answered(429, retry_after="7"), Over("only an explicit --reconnect waits")
    conversation(*lines, policy=replace(POLICY, wait_when_busy=False))
    later = broke(), Again(), answered(429, "1", retry_after="7"), Again((7000, 7000))
    conversation(*later, policy=replace(POLICY, wait_when_busy=False))


def test_retry_after_beyond_the_limit_stops() -> None:
    conversation(
        answered(503, retry_after="3600"), Over("the server asks to wait 3600 s, over the limit of 60 s")
    )


def test_retry_after_counts_with_the_time_lost_before() -> None:
    conversation(
        broke(now_ms=1000),
        Again(),
        answered(503, "1", now_ms=31_000, retry_after="30"),
        Again(),
        answered(503, "1", now_ms=31_001, retry_after="30"),
        Over("the server asks to wait 30 s"),
    )


def test_no_connection_at_first_stops_at_once_and_later_does_not() -> None:
    conversation(unreachable(id=""), Over("the stream was never open"))
    conversation(broke(), Again(), unreachable(), Again(attempt=2))


def test_policy_never() -> None:
    conversation(broke(), Over("the reconnect policy is never"), policy=Policy(kind="never"))


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_only_a_get_goes_on_without_an_id(method: str) -> None:
    conversation(broke(id=""), Over("nothing to resume from"), method=method)
    conversation(broke(id="", had_ids=True), Again(), method="GET")


@pytest.mark.parametrize("method", ["POST", "PATCH", "REPORT"])
def test_another_method_is_repeated_only_to_a_server_that_resumes(method: str) -> None:
    conversation(broke(), Over("has not shown that it resumes"), method=method)
    conversation(broke(resumes_by="repeat"), Again(by_get=False), method=method)
    conversation(broke(), Again(by_get=False), method=method, policy=replace(POLICY, kind="resend"))
    conversation(broke(id=""), Over("nothing"), method=method, policy=replace(POLICY, kind="resend"))
    conversation(broke(id=""), Again(by_get=False), method=method, policy=replace(POLICY, kind="always"))


@pytest.mark.parametrize("kind", ["last-event-id", "resend", "always"])
def test_a_protocol_that_resumes_by_get_does_so(kind: str) -> None:
    policy = replace(POLICY, kind=kind)
    conversation(broke(resumes_by="get"), Again(after="1", by_get=True), method="POST", policy=policy)
    conversation(broke(resumes_by="get"), Again(after="1", by_get=False), policy=policy)


def test_what_may_cost_another_answer_is_bounded_whatever_progress_it_makes() -> None:
    lines = [line for n in range(3) for line in (broke(id=str(n)), Again(attempt=1))]
    for kind in ("resend", "always"):
        conversation(
            *lines,
            broke(id="3"),
            Over("the limit of 3 reconnects for one request, --max-reconnects, is reached"),
            policy=replace(POLICY, kind=kind),
            method="POST",
        )
    free = [line for n in range(50) for line in (broke(id=str(n), resumes_by="get"), Again())]
    conversation(*free, method="POST")


def test_the_reconnects_of_one_request_are_bounded() -> None:
    lines = [line for n in range(1000) for line in (broke(id=str(n), now_ms=n * 1e6), Again(attempt=1))]
    conversation(*lines, broke(id="x", now_ms=1e10), Over("the limit of 1,000 reconnects"))
    conversation(broke(), Over("the limit of 0 reconnects"), policy=replace(POLICY, max_reconnects=0))
    conversation(
        broke(),
        Again(),
        broke(),
        Over("the limit of 1 reconnect for"),
        policy=replace(POLICY, max_reconnects=1),
    )


def test_a_stream_that_has_neither_ids_nor_a_reconnection_time_is_asked_for_once() -> None:
    neither = "nothing to resume from: the stream has neither IDs nor a reconnection time"
    conversation(broke(id=""), Over(neither))
    conversation(broke(id="", retry_ms=5), Again())
    for kind in ("eof", "incomplete", "reset", "timeout", "error"):
        conversation(broke(kind, id="", progress=0), Over(neither))
    conversation(broke("fault", id="", progress=0), Again())
    conversation(broke("eof", id="", progress=0, retry_ms=5), Again())
    conversation(broke(id=""), Again(), policy=Policy(kind="always"))


def test_attempts_without_progress_are_limited() -> None:
    conversation(
        broke(),
        Again(attempt=1),
        unreachable(),
        Again(attempt=2),
        unreachable(),
        Again(attempt=3),
        unreachable(),
        Over("no progress in 3 attempts"),
    )


def test_one_attempt_is_not_1_attempts() -> None:
    lines = broke(), Again(), unreachable(), Over("no progress in 1 attempt")
    conversation(*lines, policy=replace(POLICY, max_attempts=1))
    with pytest.raises(AssertionError):
        conversation(*lines[:3], Over("1 attempts"), policy=replace(POLICY, max_attempts=1))


def test_progress_starts_the_count_again() -> None:
    conversation(*(line for n in range(20) for line in (broke(id=str(n)), Again(attempt=1))))


def test_the_same_id_again_is_no_progress() -> None:
    """A server that replays from the start and breaks off at the same event, again and again."""
    conversation(
        broke(id="5"),
        Again(attempt=1),
        broke(id="5"),
        Again(attempt=2),
        broke(id="5"),
        Again(attempt=3),
        broke(id="5"),
        Over("no progress"),
    )


def test_a_stream_without_ids_may_be_polled_for_ever() -> None:
    poll = broke("eof", "", retry_ms=2000, lived_ms=10)
    conversation(*(line for _ in range(50) for line in (poll, Again((2000, 2500)))))


def test_retry_zero_in_a_tight_loop_is_slowed_and_then_stopped() -> None:
    storm = broke("eof", "", retry_ms=0, lived_ms=3)
    conversation(
        storm,
        Again((100, 125)),
        storm,
        Again((100, 125)),
        storm,
        Again((100, 125)),
        storm,
        Over("no progress"),
    )


def test_retry_zero_with_new_ids_is_slowed_down_before_it_is_a_storm() -> None:
    """However much each connection brings: 265 requests in 10 seconds are too many."""
    reconnector = Reconnector(POLICY, random.Random(0))
    now, asked = 0.0, 0
    while now < 10_000:
        decision = reconnector.decide(broke("eof", str(asked), now_ms=now, retry_ms=0, lived_ms=3))
        assert isinstance(decision, TryAgain)
        assert decision.delay_ms >= (100 if asked < 6 else 1000)
        now += decision.delay_ms + 3
        asked += 1
        slowed = "slowed down after 6 reconnects within a minute" in decision.note
        assert slowed == (asked > 6)
    assert asked < 20


def test_retry_zero_with_long_connections_is_honoured() -> None:
    polls = (broke("eof", "", now_ms=n * 20_000, retry_ms=0, lived_ms=20_000) for n in range(50))
    conversation(*(line for poll in polls for line in (poll, Again((100, 125)))))


def test_an_id_alone_is_no_progress() -> None:
    """An MCP server begins each connection with an event that has a new ID and no data."""
    primed = [line for n in range(1, 4) for line in (broke("eof", f"p{n}", progress=0), Again(attempt=n))]
    conversation(*primed, broke("eof", "p4", progress=0), Over("no progress in 3 attempts"))


def test_the_time_without_progress_is_limited() -> None:
    conversation(
        broke(),
        Again(),
        unreachable(now_ms=30_000),
        Again(),
        unreachable(now_ms=59_999),
        Over("no progress within 60 s"),
        policy=replace(POLICY, max_attempts=100),
    )


def test_a_long_retry_of_the_servers_is_waited_for() -> None:
    conversation(broke(retry_ms=300_000), Again((300_000, 1e9), note=""))


def test_a_retry_beyond_reason_is_limited_and_said_so() -> None:
    huge = broke(retry_ms=2**53 - 1, retry_digits="9" * 30)
    conversation(huge, Again((3_600_000, 4_500_000), note=f"retry: {'9' * 30} was limited to 3600000 ms"))


def test_the_wait_grows_with_failures() -> None:
    reconnector = Reconnector(replace(POLICY, max_attempts=10, max_total_s=1e6), random.Random(7))
    reconnector.decide(broke())
    decisions = [reconnector.decide(unreachable()) for _ in range(8)]
    delays = [decision.delay_ms for decision in decisions if isinstance(decision, TryAgain)]
    assert len(delays) == 8
    assert max(delays) > 5000
    assert max(delays) <= 37_500
    assert len(set(delays)) == len(delays)


@pytest.mark.parametrize(
    ("value", "ms"),
    [
        (None, None),
        ("0", 0),
        ("120", 120_000),
        (" 5 ", 5000),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("", None),
        ("soon", None),
        ("9" * 40, 10**12),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 37_000),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 37_000),
        ("Sun Nov  6 08:49:37 1994", 37_000),
        ("Sun, 06 Nov 1994 08:48:00 GMT", 0),
        ("Sun, 06 Nov 1994 09:49:37 +0100", 37_000),
        ("Sun, 99 Nov 1994 08:49:37 GMT", None),
    ],
)
def test_retry_after(value: str | None, ms: float | None) -> None:
    assert retry_after_ms(value, wall_s=784_111_740.0) == ms

"""Playbooks: what ended, and what is decided. Time is what the test says."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from sse_tui.resume import AttemptResult, GiveUp, Policy, Reconnector, TryAgain, retry_after_ms

POLICY = Policy(base_ms=1000, max_attempts=3, max_total_s=60)


def machine(policy: Policy = POLICY, method: str = "GET") -> Reconnector:
    return Reconnector(policy, method, random.Random(0))


def got(
    kind: str = "incomplete", id: str = "1", events: int = 1, now_ms: float = 0, **more: object
) -> AttemptResult:
    return replace(AttemptResult(kind, now_ms, id, events=events, lived_ms=5000), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["eof", "incomplete", "reset", "timeout", "fault", "error"])
def test_a_body_that_broke_off_is_resumed(kind: str) -> None:
    decision = machine().decide(got(kind, "41"))
    assert isinstance(decision, TryAgain)
    assert (decision.last_event_id, decision.attempt) == ("41", 1)
    assert 1000 <= decision.delay_ms <= 1500


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (got("stopped"), "stopped by the user"),
        (got("ended"), "the stream had ended"),
        (got("status", status=204), "204"),
        (got("status", status=205), "answered 205"),
        (got("status", status=404), "answered 404"),
        (got("status", status=410), "answered 410"),
        (got("status", status=409), "answered 409"),
        (got("wrong-type", status=200), "not an event stream"),
        (got("fatal"), "fail the same way"),
    ],
)
def test_what_stops_whatever_was_before(outcome: AttemptResult, reason: str) -> None:
    reconnector = machine()
    assert isinstance(reconnector.decide(got()), TryAgain)
    decision = reconnector.decide(outcome)
    assert isinstance(decision, GiveUp)
    assert reason in decision.reason


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_busy_servers_are_asked_again_once_the_stream_was_open(status: int) -> None:
    busy = AttemptResult("status", 0, "1", status=status)
    assert isinstance(machine().decide(busy), GiveUp)
    reconnector = machine()
    reconnector.decide(got())
    assert isinstance(reconnector.decide(busy), TryAgain)


def test_a_first_answer_with_retry_after_is_waited_for() -> None:
    decision = machine().decide(AttemptResult("status", 0, status=503, retry_after="7"))
    assert isinstance(decision, TryAgain)
    assert decision.delay_ms == 7000


def test_retry_after_never_shortens_the_wait() -> None:
    decision = machine().decide(AttemptResult("status", 0, status=503, retry_after="0"))
    assert isinstance(decision, TryAgain)
    assert decision.delay_ms >= 1000


def test_retry_after_beyond_the_limit_stops() -> None:
    decision = machine().decide(AttemptResult("status", 0, status=503, retry_after="3600"))
    assert decision == GiveUp("the server asks to wait 3600 s, over the limit of 60 s")


def test_retry_after_counts_with_the_time_lost_before() -> None:
    reconnector = machine()
    reconnector.decide(got(now_ms=1000))
    busy = AttemptResult("status", 31_000, "1", status=503, retry_after="30")
    assert isinstance(reconnector.decide(busy), TryAgain)
    assert isinstance(reconnector.decide(replace(busy, now_ms=31_001)), GiveUp)


def test_no_connection_at_first_stops_at_once_and_later_does_not() -> None:
    assert machine().decide(AttemptResult("no-connection", 0)) == GiveUp("the stream was never open")
    reconnector = machine()
    reconnector.decide(got())
    assert isinstance(reconnector.decide(AttemptResult("no-connection", 0, "1")), TryAgain)


def test_policy_never() -> None:
    decision = machine(Policy(kind="never")).decide(got())
    assert decision == GiveUp("the reconnect policy is never")


@pytest.mark.parametrize("method", ["POST", "post", "PUT", "PATCH"])
def test_only_a_get_goes_on_without_an_id(method: str) -> None:
    decision = machine(method=method).decide(got(id=""))
    assert isinstance(decision, GiveUp)
    assert "nothing to resume from" in decision.reason
    assert isinstance(machine(method=method).decide(got(id="1")), TryAgain)
    assert isinstance(machine(method="get").decide(replace(got(id=""), had_ids=True)), TryAgain)


def test_a_stream_that_has_neither_ids_nor_a_reconnection_time_is_asked_for_once() -> None:
    decision = machine().decide(got(id=""))
    assert decision == GiveUp("nothing to resume from: the stream has neither IDs nor a reconnection time")
    assert isinstance(machine().decide(replace(got(id=""), retry_ms=5)), TryAgain)
    assert isinstance(machine().decide(replace(got(id=""), events=0)), TryAgain)
    assert isinstance(machine(Policy(kind="always")).decide(got(id="")), TryAgain)


def test_attempts_without_progress_are_limited() -> None:
    reconnector = machine()
    lost = AttemptResult("no-connection", 0, "1")
    attempts = [reconnector.decide(got()), *(reconnector.decide(lost) for _ in range(2))]
    assert [decision.attempt for decision in attempts if isinstance(decision, TryAgain)] == [1, 2, 3]
    assert reconnector.decide(lost) == GiveUp("no progress in 3 attempts")


def test_progress_starts_the_count_again() -> None:
    reconnector = machine()
    for n in range(20):
        decision = reconnector.decide(got(id=str(n)))
        assert isinstance(decision, TryAgain)
        assert decision.attempt == 1


def test_the_same_id_again_is_no_progress() -> None:
    """A server that replays from the start and breaks off at the same place, again and again."""
    reconnector = machine()
    decisions = [reconnector.decide(got(id="5")) for _ in range(4)]
    assert isinstance(decisions[-1], GiveUp)


def test_a_stream_without_ids_may_be_polled_for_ever() -> None:
    reconnector = machine()
    for _ in range(50):
        decision = reconnector.decide(got("eof", "", retry_ms=2000, lived_ms=10))
        assert isinstance(decision, TryAgain)
        assert 2000 <= decision.delay_ms <= 3000


def test_retry_zero_in_a_tight_loop_is_slowed_and_then_stopped() -> None:
    reconnector = machine()
    storm = got("eof", "", retry_ms=0, lived_ms=3)
    decisions = [reconnector.decide(storm) for _ in range(4)]
    delays = [decision.delay_ms for decision in decisions if isinstance(decision, TryAgain)]
    assert delays[0] <= 50
    assert all(delay >= 100 for delay in delays[1:])
    assert isinstance(decisions[3], GiveUp)


def test_retry_zero_with_long_connections_is_honoured() -> None:
    reconnector = machine()
    for _ in range(50):
        decision = reconnector.decide(got("eof", "", retry_ms=0, lived_ms=20_000))
        assert isinstance(decision, TryAgain)
        assert decision.delay_ms <= 50


def test_the_time_without_progress_is_limited() -> None:
    reconnector = machine(replace(POLICY, max_attempts=100))
    lost = AttemptResult("no-connection", 0, "1")
    reconnector.decide(got())
    assert isinstance(reconnector.decide(replace(lost, now_ms=30_000)), TryAgain)
    assert reconnector.decide(replace(lost, now_ms=59_999)) == GiveUp("no progress within 60 s")


def test_a_long_retry_of_the_servers_is_waited_for() -> None:
    decision = machine().decide(got(retry_ms=300_000))
    assert isinstance(decision, TryAgain)
    assert decision.delay_ms >= 300_000
    assert decision.note == ""


def test_a_retry_beyond_reason_is_limited_and_said_so() -> None:
    decision = machine().decide(got(retry_ms=10**10))
    assert isinstance(decision, TryAgain)
    assert decision.delay_ms == 3_600_000
    assert "was limited to 3600000 ms" in decision.note


def test_the_wait_grows_with_failures() -> None:
    reconnector = Reconnector(replace(POLICY, max_attempts=10, max_total_s=1e6), "GET", random.Random(7))
    reconnector.decide(got())
    lost = AttemptResult("no-connection", 0, "1")
    delays = [d.delay_ms for d in (reconnector.decide(lost) for _ in range(8)) if isinstance(d, TryAgain)]
    assert max(delays) > 5000
    assert max(delays) <= 30_000
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

from __future__ import annotations

from sse_tui.metrics import ClockBuilder, Clocks

MS = 1_000_000


def started(at: int = 0) -> ClockBuilder:
    """A request whose first byte was written at `at` ms, after 6 ms of connecting."""
    builder = ClockBuilder()
    builder.phase("dns", (at - 5) * MS, 1 * MS)
    builder.phase("tcp", (at - 3) * MS, 2 * MS)
    builder.phase("tls", at * MS, 3 * MS)
    builder.phase("sent", (at + 1) * MS, 1 * MS)
    return builder


def test_nothing_happened() -> None:
    assert ClockBuilder().clocks() == Clocks()
    assert Clocks().connect is None
    assert Clocks().thinking is None


def test_every_clock_counts_from_the_first_byte_of_the_request() -> None:
    builder = started(at=1_000)
    builder.phase("headers", 1_100 * MS, 99 * MS)
    builder.phase("first_byte", 1_150 * MS, 50 * MS)
    builder.event(1_150 * MS)
    builder.event(1_200 * MS)
    builder.token(1_200 * MS, visible=False)
    builder.token(1_300 * MS, visible=True)
    builder.token(1_400 * MS, visible=True)
    builder.end(1_500 * MS)
    clocks = builder.clocks()
    assert clocks == Clocks(1, 2, 3, 1, 100, 150, 150, 200, 300, 400, 500)
    assert clocks.connect == 6
    assert clocks.thinking == 100


def test_a_role_chunk_stops_the_first_chunk_clock_and_no_other() -> None:
    builder = started()
    builder.event(10 * MS)
    builder.event(3_010 * MS)
    builder.token(3_010 * MS)
    clocks = builder.clocks()
    assert (clocks.ttfc, clocks.ttft, clocks.ttfo) == (10, 3_010, 3_010)


def test_reasoning_stops_ttft_and_not_ttfo() -> None:
    builder = started()
    for t in range(100, 200):
        builder.event(t * MS)
        builder.token(t * MS, visible=False)
    builder.token(250 * MS, visible=True)
    clocks = builder.clocks()
    assert (clocks.ttft, clocks.ttfo, clocks.e2e) == (100, 250, 250)


def test_only_reasoning_leaves_no_first_output() -> None:
    builder = started()
    builder.token(5 * MS, visible=False)
    assert builder.clocks().ttfo is None


def test_the_usage_chunk_and_the_sentinel_come_after_the_end_to_end_time() -> None:
    builder = started()
    builder.token(200 * MS)
    builder.event(900 * MS)
    builder.end(901 * MS)
    clocks = builder.clocks()
    assert (clocks.e2e, clocks.stream_end) == (200, 901)


def test_a_reconnect_does_not_move_the_start_but_the_end() -> None:
    builder = started()
    builder.end(100 * MS)
    builder.phase("sent", 500 * MS, 1 * MS)
    builder.token(600 * MS)
    builder.end(700 * MS)
    clocks = builder.clocks()
    assert (clocks.ttft, clocks.stream_end, clocks.sent) == (600, 700, 1)


def test_without_a_sent_phase_the_nearest_thing_is_the_start() -> None:
    only_tls = ClockBuilder()
    only_tls.started(0)
    only_tls.phase("tls", 30 * MS, 20 * MS)
    only_tls.token(100 * MS)
    assert only_tls.clocks().ttft == 70

    only_request = ClockBuilder()
    only_request.started(10 * MS)
    only_request.token(100 * MS)
    assert only_request.clocks().ttft == 90

    nothing = ClockBuilder()
    nothing.token(100 * MS)
    assert nothing.clocks().ttft is None


def test_times_that_mean_nothing_give_no_clocks() -> None:
    builder = started()
    builder.token(0)
    builder.timed = False
    assert builder.clocks() == Clocks()

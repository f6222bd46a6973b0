"""Plans applied to streams: no sockets, no time but what the test says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.eventstream import Event, Parser
from sse_tui.faults import Fired, Forward, Injector, Step, parse_plan
from sse_tui.faults.injector import Parsed
from sse_tui.limits import MAX_EVENT_BYTES
from sse_tui.transport.body_parser import BodyParser

S = 1_000_000_000
STREAM = (
    b"\xef\xbb\xbfid: 1\ndata: one\n\n: ping\n\ndata: two\ndata: more\n\nid: 3\n\n"
    b"data: three\r\n\r\nevent: x\rdata: four\r\r"
)
ENDS = [item.end for item in Parser().feed(STREAM) if isinstance(item, Event)]


def kind(step: Step) -> str:
    return step.fault.action if isinstance(step, Fired) else "forward"


class Connection:
    """One connection that an injector watches, with its own reading of the body."""

    def __init__(self, plan: str | Injector = "", limit: int = MAX_EVENT_BYTES) -> None:
        self.injector = plan if isinstance(plan, Injector) else Injector(parse_plan(plan) if plan else None)
        self._parser = BodyParser((), limit, "")

    def feed(self, data: bytes, t: int = 0) -> list[Step]:
        return self.injector.feed(data, t, self._parser.parse)

    def play(self, data: bytes, size: int) -> tuple[bytes, list[Step]]:
        """Feed in pieces until the connection is closed; what was forwarded, and the steps that were not.

        What is forwarded always comes with just the items that a client makes of it.
        """
        got, client = b"", Parser()
        others: list[Step] = []
        for at in range(0, len(data), size):
            for step in self.feed(data[at : at + size]):
                if isinstance(step, Forward):
                    got += step.data
                    assert list(step.items) == client.feed(step.data)
                else:
                    others.append(step)
            if others and kind(others[-1]) in ("cut", "reset"):
                break
        return got, others


def play(plan: str | Injector, data: bytes, size: int) -> tuple[bytes, list[Step]]:
    return Connection(plan).play(data, size)


def test_the_stream_of_these_tests_has_four_events() -> None:
    assert len(ENDS) == 4


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_event_n_is_exact_in_every_chunking(n: int, size: int) -> None:
    got, steps = play(f"cut@event={n}", STREAM, size)
    assert got == STREAM[: ENDS[n - 1]]
    (cut,) = steps
    assert isinstance(cut, Fired)
    assert cut.fault.action == "cut"
    assert cut.at == f"byte {ENDS[n - 1]}, event {n}"
    if size == 1000:
        left = len(STREAM) - ENDS[n - 1]
        assert cut.did.endswith(f"; discarded {left} bytes already received" if left else str(ENDS[n - 1]))


@given(st.integers(1, len(STREAM)), st.integers(1, 30))
def test_bytes_n_is_exact_in_every_chunking(n: int, size: int) -> None:
    got, steps = play(f"reset@bytes={n}", STREAM, size)
    assert got == STREAM[:n]
    (reset,) = steps
    assert isinstance(reset, Fired)
    assert reset.fault.action == "reset"
    assert reset.at == f"byte {n}, event {sum(end <= n for end in ENDS)}"


@given(st.integers(1, 30), st.lists(st.sampled_from(["event=2", "bytes=20", 'text="three"']), max_size=3))
def test_stalls_lose_nothing(size: int, triggers: list[str]) -> None:
    got, steps = play(";".join(f"stall=1s@{trigger}" for trigger in triggers), STREAM, size)
    assert got == STREAM
    assert len(steps) == len(triggers)


def test_text_is_looked_for_in_the_data_of_an_event() -> None:
    stream = b": word\n\nevent: word\ndata: no\n\ndata: wo\ndata: rd\n\ndata: a word\n\nrest"
    got, _ = play('cut@text="word"', stream, 1000)
    assert got == stream[:-4]
    got, _ = play(r'cut@text="wo\nrd"', stream, 5)
    assert got.endswith(b"rd\n\n")


def test_a_fault_at_the_end_of_a_read_drops_nothing() -> None:
    forward, cut = Connection("cut@event=1").feed(b"data: x\n\n")
    assert isinstance(forward, Forward)
    assert forward.data == b"data: x\n\n"
    assert isinstance(cut, Fired)
    assert cut.fault.action == "cut"
    assert cut.did == "closed the connection after body byte 9"


def test_what_was_done_is_said() -> None:
    connection = Connection("stall=1.5s@event=1;cut@event=2")
    _, stall, _, cut = connection.feed(b"data: x\n\ndata: y\n\ndata: z\n\n")
    assert isinstance(stall, Fired)
    assert stall.fault.action == "stall"
    assert (stall.fault.duration_ms, stall.did) == (1500, "stopped reading for 1.5 s after body byte 9")
    assert isinstance(cut, Fired)
    assert cut.fault.action == "cut"
    assert cut.did == "closed the connection after body byte 18; discarded 9 bytes already received"
    assert str(cut.fault) == "cut@event=2"


def test_faults_at_one_place_keep_their_order() -> None:
    steps = Connection('stall=1s@event=1;stall=2s@bytes=9;cut@text="x"').feed(b"data: x\n\n")
    assert [kind(step) for step in steps] == ["forward", "stall", "stall", "cut"]
    assert [step.fault.duration_ms for step in steps if isinstance(step, Fired)] == [1000, 2000, 0]


def test_faults_fire_by_place_not_by_order_of_writing() -> None:
    got, steps = play("cut@event=2;stall=1s@event=1", STREAM, 1000)
    assert [kind(step) for step in steps] == ["stall", "cut"]
    assert got == STREAM[: ENDS[1]]


def test_each_fires_once_and_what_is_left_waits_for_the_next_connection() -> None:
    injector = Injector(parse_plan("cut@event=2;cut@event=2;reset@event=1"))
    assert play(injector, STREAM, 9)[0] == STREAM[: ENDS[0]]
    injector.open(0)
    assert play(injector, STREAM, 9)[0] == STREAM[: ENDS[1]]
    injector.open(0)
    assert play(injector, STREAM, 9)[0] == STREAM[: ENDS[1]]
    injector.open(0)
    assert play(injector, STREAM, 9) == (STREAM, [])


def test_a_plan_armed_in_the_middle_counts_from_the_beginning_of_the_connection() -> None:
    connection = Connection()
    connection.feed(STREAM[: ENDS[0] + 3])
    connection.injector.arm(parse_plan("cut@event=2"), 0)
    forward, cut = connection.feed(STREAM[ENDS[0] + 3 :])
    assert isinstance(forward, Forward)
    assert forward.data == STREAM[ENDS[0] + 3 : ENDS[1]]
    assert isinstance(cut, Fired)
    assert cut.fault.action == "cut"


def test_an_event_that_has_passed_does_not_fire_on_this_connection() -> None:
    connection = Connection()
    connection.feed(STREAM)
    connection.injector.arm(parse_plan("cut@event=2;cut@bytes=5"), 0)
    assert [kind(step) for step in connection.feed(b"data: x\n\n")] == ["forward"]
    for position in (5, ENDS[1]):  # but on the next two
        connection.injector.open(0)
        assert play(connection.injector, STREAM, 1000)[0] == STREAM[:position]


def test_now_fires_at_once() -> None:
    connection = Connection()
    connection.feed(b"data: x\n\nda")
    injector = connection.injector
    assert injector.due(5) == []
    injector.arm(parse_plan("cut@now"), 5)
    assert injector.next_deadline == 5
    (cut,) = injector.due(5)
    assert isinstance(cut, Fired)
    assert cut.fault.action == "cut"
    assert (cut.at, cut.did) == ("byte 11, event 1", "closed the connection after body byte 11")
    assert injector.next_deadline is None


def test_now_before_the_next_bytes_discards_them() -> None:
    (reset,) = Connection("reset@now").feed(b"data: x\n\n")
    assert isinstance(reset, Fired)
    assert reset.fault.action == "reset"
    assert reset.at == "byte 0, event 0"
    assert reset.did == "reset the connection before the first body byte; discarded 9 bytes already received"


def test_time_counts_from_the_opening() -> None:
    injector = Injector(parse_plan("cut@time=2s"), 0)
    injector.open(10 * S)
    assert injector.next_deadline == 12 * S
    assert injector.due(12 * S - 1) == []
    assert [kind(step) for step in injector.due(12 * S)] == ["cut"]


def test_time_armed_live_counts_from_then() -> None:
    injector = Injector()
    injector.open(10 * S)
    injector.arm(parse_plan("stall=1s@time=2s"), 20 * S)
    assert injector.next_deadline == 22 * S


def test_a_fault_that_falls_due_between_reads_comes_before_them() -> None:
    steps = Connection("stall=1s@time=1s").feed(b"data: x\n\n", S)
    assert [kind(step) for step in steps] == ["stall", "forward"]


def test_bytes_held_back_by_a_stall_count_as_not_received() -> None:
    connection = Connection("stall=1s@event=1")
    connection.feed(b"data: x\n\ndata: y\n\n")
    connection.injector.arm(parse_plan("cut@now"), 0)
    (cut,) = connection.injector.due(0, held=9)
    assert isinstance(cut, Fired)
    assert cut.fault.action == "cut"
    assert cut.at == "byte 9, event 1"
    assert cut.did == "closed the connection after body byte 9; discarded 9 bytes already received"


def test_bytes_behind_a_cut_do_not_count_as_held_back_by_a_stall_before_it() -> None:
    connection = Connection("stall=1s@event=1;cut@event=2")
    steps = connection.feed(b"data: x\n\ndata: y\n\ndata: z\n\n")
    assert [kind(step) for step in steps] == ["forward", "stall", "forward", "cut"]
    connection.injector.arm(parse_plan("cut@now"), 0)
    (cut,) = connection.injector.due(0, held=9)
    assert isinstance(cut, Fired)
    assert cut.at == "byte 9, event 1"


def test_one_byte_is_not_1_bytes() -> None:
    _, cut = Connection("cut@bytes=9").feed(b"data: x\n\n:")
    assert isinstance(cut, Fired)
    assert cut.fault.action == "cut"
    assert cut.did == "closed the connection after body byte 9; discarded 1 byte already received"


def test_an_event_too_large_stops_the_counting_and_no_bytes() -> None:
    connection = Connection("cut@event=2;cut@bytes=500", limit=100)
    data = b"data: x\n\ndata: " + b"x" * 300
    (forward,) = connection.feed(data)
    assert isinstance(forward, Forward)
    assert forward.data == data
    assert [type(item) for item in forward.items] == [Event]
    assert forward.error is not None
    assert forward.error.code == "event-too-large"
    got = b"".join(step.data for step in connection.feed(b"\n\n" + b"y" * 500) if isinstance(step, Forward))
    assert len(got) == 500 - len(data)


def test_the_error_in_a_read_comes_with_the_bytes_that_have_it() -> None:
    large = b"data: " + b"x" * 300
    first, stall, second = Connection("stall=1s@event=1", limit=100).feed(b"data: x\n\n" + large)
    assert isinstance(first, Forward)
    assert isinstance(second, Forward)
    assert isinstance(stall, Fired)
    assert stall.fault.action == "stall"
    assert (first.error, second.data) == (None, large)
    assert second.error is not None
    first, cut = Connection("cut@event=1", limit=100).feed(b"data: x\n\n" + large)
    assert isinstance(first, Forward)
    assert isinstance(cut, Fired)
    assert cut.fault.action == "cut"
    assert first.error is None


def test_events_of_a_coded_body_are_counted_read_by_read() -> None:
    parser = Parser()

    def parse(data: bytes) -> Parsed:
        return Parsed(parser.feed(data.replace(b"~", b"data: x\n\n")))

    injector = Injector(parse_plan("cut@event=2"))
    injector.open(0, coded=True)
    (forward,) = injector.feed(b"~", 0, parse)
    assert isinstance(forward, Forward)
    assert (forward.data, len(forward.items)) == (b"~", 1)
    forward, cut = injector.feed(b"~~", 0, parse)
    assert isinstance(forward, Forward)
    assert (forward.data, len(forward.items)) == (b"~~", 2)
    assert isinstance(cut, Fired)
    assert cut.fault.action == "cut"
    assert (cut.at, cut.did) == ("byte 3, event 3", "closed the connection after body byte 3")


def test_a_fault_at_a_byte_of_a_coded_body_leaves_the_rest_unread() -> None:
    parser = Parser()

    def parse(data: bytes) -> Parsed:
        return Parsed(parser.feed(data.replace(b"~", b"data: x\n\n")))

    injector = Injector(parse_plan("reset@bytes=2"))
    injector.open(0, coded=True)
    forward, reset = injector.feed(b"~~~", 0, parse)
    assert isinstance(forward, Forward)
    assert (forward.data, len(forward.items)) == (b"~~", 2)
    assert isinstance(reset, Fired)
    assert reset.fault.action == "reset"
    assert reset.at == "byte 2, event 2"


def test_before_a_body_only_a_cut_or_reset_for_now_is_due() -> None:
    injector = Injector(parse_plan("stall=1s@now;cut@event=1;cut@time=5s"), 10)
    assert injector.closing(10) is None
    injector.arm(parse_plan("reset@now"), 20)
    assert injector.closing(19) is None
    reset = injector.closing(20)
    assert isinstance(reset, Fired)
    assert reset.fault.action == "reset"
    assert reset.at == "byte 0, event 0"
    assert reset.did == "reset the connection before the first body byte"
    assert injector.closing(20) is None
    steps = Connection(injector).feed(b"data: x\n\n", 20)  # the others are still armed
    assert [kind(step) for step in steps] == ["stall", "forward", "cut"]
    injector.open(30)
    assert injector.next_deadline == 30 + 5 * S


def test_no_empty_pieces() -> None:
    steps = Connection("stall=1s@event=1;stall=1s@now").feed(b"data: x\n\n")
    assert [kind(step) for step in steps] == ["stall", "forward", "stall"]

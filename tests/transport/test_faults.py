"""Faults on live connections: what the client sees, and what the server sees."""

from __future__ import annotations

import asyncio
import time

import pytest

from sse_tui.errors import ConnectError
from sse_tui.faults import parse_plan
from sse_tui.recording.records import Chunk, Close, Fault, Request
from sse_tui.transport import Driver, Timeouts
from tests.transport.playbook import Asks, Closes, Ends, Fires, Gets, Waits, conversation
from tests.transport.turns import QUICK, Marked, run
from tests.transport.wire import CHUNKED, HOLD, OK, Sleep, chunked, chunks, wire

EVENTS = [b"id: %d\ndata: event %d\n\n" % (n, n) for n in range(1, 6)]
DONE = b"data: [DONE]\n\n"


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("n", [1, 3, 5])
async def test_cut_after_an_event_is_exact_to_the_byte(n: int, together: bool) -> None:
    whole = b"".join(EVENTS)
    pieces = [whole] if together else [whole[i : i + 7] for i in range(0, len(whole), 7)]
    got, rest = b"".join(EVENTS[:n]), b"".join(EVENTS[n:]) + DONE
    at, left = len(got), len(whole) - len(got)
    discarded = f"; discarded {left} bytes already received" if together and left else ""
    ran, server = await conversation(
        Asks(),
        CHUNKED,
        chunks(*pieces),
        HOLD,
        Gets(got),
        Fires(
            f"cut@event={n}",
            f"byte {at}, event {n}",
            f"closed the connection after body byte {at}{discarded}",
        ),
        Closes("fault"),
        Waits(str(n)),
        Asks(str(n)),
        chunked(rest),
        Gets(rest),
        Closes("eof"),
        Ends("complete"),
        plan=f"cut@event={n}",
        policy=QUICK,
        dialect=Marked(),
    )
    assert server.seen[0].ended in ("fin", "rst")  # unread bytes turn a close into a reset
    assert ran.of(Fault)[0].at == f"byte {at}, event {n}"


@pytest.mark.parametrize(
    ("action", "ended", "did"),
    [("cut", "fin", "closed the connection"), ("reset", "rst", "reset the connection")],
)
async def test_a_cut_sends_a_fin_and_a_reset_a_rst(action: str, ended: str, did: str) -> None:
    ran, server = await conversation(
        Asks(),
        CHUNKED,
        chunks(EVENTS[0]),
        HOLD,
        Fires(f"{action}@event=1", did=f"{did} after body byte"),
        Closes("fault", f"{did} after body byte"),
        Ends("truncated", "truncated-stream"),
        plan=f"{action}@event=1",
    )
    assert server.seen[0].ended == ended
    assert ran.of(Close)[0].detail == ran.of(Fault)[0].did


async def test_without_a_policy_a_cut_leaves_a_truncated_stream() -> None:
    await conversation(
        Asks(),
        chunked(*EVENTS),
        Gets(EVENTS[0][:10]),
        Fires("cut@bytes=10"),
        Closes("fault"),
        Ends("truncated", "truncated-stream"),
        plan="cut@bytes=10",
    )


@pytest.mark.parametrize(("action", "ended"), [("cut", "fin"), ("reset", "rst")])
async def test_a_fault_armed_now_acts_while_nothing_comes(action: str, ended: str) -> None:
    def on(driver: Driver, record: object) -> None:
        if isinstance(record, Chunk):
            asyncio.get_running_loop().call_later(0.02, driver.arm, parse_plan(f"{action}@now"))

    began = time.monotonic()
    ran, server = await conversation(
        Asks(),
        CHUNKED,
        chunks(EVENTS[0]),
        HOLD,
        Fires(f"{action}@now"),
        Closes("fault"),
        Ends("truncated", "truncated-stream"),
        on=on,
    )
    assert time.monotonic() - began < 1
    assert server.seen[0].ended == ended
    assert ran.of(Fault)[0].at == f"byte {len(EVENTS[0])}, event 1"


@pytest.mark.parametrize(("action", "ended"), [("cut", "fin"), ("reset", "rst")])
async def test_a_fault_armed_now_acts_before_an_answer(action: str, ended: str) -> None:
    def on(driver: Driver, record: object) -> None:
        if isinstance(record, Request) and record.conn == 1:
            plan = parse_plan(f"stall=1s@bytes=1;{action}@now")
            asyncio.get_running_loop().call_later(0.02, driver.arm, plan)

    ran, server = await conversation(
        Asks(),
        HOLD,
        Fires(f"{action}@now", did="before the first body byte"),
        Closes("fault"),
        Waits(),
        Asks(),
        chunked(EVENTS[0], DONE),
        Fires("stall=1s@bytes=1"),
        Closes("eof"),
        Ends("complete"),
        on=on,
        policy=QUICK,
        dialect=Marked(),
    )
    assert server.seen[0].ended == ended
    assert ran.of(Fault)[0].at == "byte 0, event 0"


async def test_a_cut_before_there_is_a_connection_says_so() -> None:
    async def never(*_: object, **__: object) -> object:
        await asyncio.sleep(10)
        return []

    def on(driver: Driver, record: object) -> None:
        if isinstance(record, Request):
            driver.arm(parse_plan("reset@now"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.get_running_loop(), "getaddrinfo", never)
        ran = await run("http://host.invalid/", on=on)
    assert ran.of(Fault)[0].did == "gave up the attempt before there was a connection"
    assert ran.outcome == "failed"
    assert isinstance(ran.driver.error, ConnectError)
    assert "reset@now" in ran.driver.error.message


async def test_an_event_armed_live_counts_over_the_running_connection() -> None:
    def on(driver: Driver, record: object) -> None:
        if isinstance(record, Chunk) and record.data == EVENTS[1]:
            driver.arm(parse_plan("cut@event=4"))

    await conversation(
        Asks(),
        CHUNKED,
        *[step for event in EVENTS for step in (chunks(event), Sleep(0.02))],
        HOLD,
        Gets(b"".join(EVENTS[:4])),
        Fires("cut@event=4"),
        Closes("fault"),
        Ends("truncated", "truncated-stream"),
        on=on,
    )


async def test_a_time_fault_fires_without_bytes() -> None:
    began = time.monotonic()
    await conversation(
        Asks(),
        CHUNKED,
        chunks(EVENTS[0]),
        HOLD,
        Gets(EVENTS[0]),
        Fires("cut@time=50ms"),
        Closes("fault"),
        Ends("truncated", "truncated-stream"),
        plan="cut@time=50ms",
    )
    assert 0.05 <= time.monotonic() - began < 1


async def test_each_fault_fires_once_over_the_connections() -> None:
    await conversation(
        Asks(),
        chunked(*EVENTS),
        Gets(EVENTS[0]),
        Fires("cut@event=1"),
        Closes("fault"),
        Waits("1"),
        Asks("1"),
        chunked(*EVENTS[1:]),
        Gets(b"".join(EVENTS[1:3])),
        Fires('reset@text="event 3"'),
        Closes("fault"),
        Waits("3"),
        Asks("3"),
        chunked(*EVENTS[3:], DONE),
        Gets(b"".join(EVENTS[3:]) + DONE),
        Closes("eof"),
        Ends("complete"),
        plan='cut@event=1;reset@text="event 3"',
        policy=QUICK,
        dialect=Marked(),
    )


async def test_a_cut_right_after_the_end_marker_is_not_resumed() -> None:
    await conversation(
        Asks(),
        chunked(EVENTS[0], DONE),
        Fires("cut@event=2"),
        Closes("fault"),
        Ends("complete"),
        plan="cut@event=2",
        policy=QUICK,
        dialect=Marked(),
    )


async def test_a_stall_holds_back_bytes_and_restamps_them() -> None:
    async with wire([CHUNKED, chunks(*EVENTS[:2]), Sleep(0.03), chunks(EVENTS[2]), HOLD]) as server:

        def on(driver: Driver, record: object) -> None:
            if isinstance(record, Chunk) and record.data == EVENTS[2]:
                driver.stop()

        ran = await run(server.url, plan="stall=150ms@event=1", virtual=False, on=on)
    first, second, third = ran.of(Chunk)
    assert [first.data, second.data, third.data] == EVENTS[:3]
    fault = ran.of(Fault)[0]
    assert fault.did == f"stopped reading for 0.15 s after body byte {len(EVENTS[0])}"
    assert first.clock is None
    assert (second.clock, third.clock) == ("fault", "fault")
    assert second.t >= fault.t + 150_000_000
    assert third.t >= second.t


async def test_a_stall_is_real_backpressure() -> None:
    filler = b"data: " + b"x" * 65_000 + b"\n\n"
    async with wire([CHUNKED, chunks(EVENTS[0]), Sleep(0.02), *[chunks(filler)] * 400, HOLD]) as server:
        sent: list[int] = []

        def on(driver: Driver, record: object) -> None:
            if isinstance(record, Fault):
                asyncio.get_running_loop().call_later(0.2, lambda: sent.append(server.seen[0].sent))
                asyncio.get_running_loop().call_later(0.25, driver.stop)

        await run(server.url, plan="stall=60s@event=1", virtual=False, on=on)
    assert sent[0] < 400 * 65_000 * 0.9


async def test_a_stall_does_not_count_as_idle() -> None:
    await conversation(
        Asks(),
        CHUNKED,
        chunks(EVENTS[0]),
        Sleep(0.15),
        chunks(EVENTS[1]) + b"0\r\n\r\n",
        Fires("stall=120ms@event=1"),
        Closes("eof"),
        Ends("ended"),
        plan="stall=120ms@event=1",
        virtual=False,
        timeouts=Timeouts(first_byte=1, idle=0.1),
    )


async def test_a_cut_during_a_stall_discards_what_it_held() -> None:
    def on(driver: Driver, record: object) -> None:
        if isinstance(record, Fault) and "stopped" in record.did:
            asyncio.get_running_loop().call_later(0.02, driver.arm, parse_plan("cut@now"))

    got, held = b"".join(EVENTS[:2]), len(b"".join(EVENTS[2:]))
    did = f"closed the connection after body byte {len(got)}; discarded {held} bytes already received"
    ran, _ = await conversation(
        Asks(),
        CHUNKED,
        chunks(*EVENTS),
        HOLD,
        Gets(got),
        Fires("stall=60s@event=2"),
        Fires("cut@now", f"byte {len(got)}, event 2", did),
        Closes("fault", did),
        Ends("truncated", "truncated-stream"),
        plan="stall=60s@event=2",
        virtual=False,
        on=on,
    )
    assert (ran.of(Fault)[1].at, ran.of(Fault)[1].did) == (f"byte {len(got)}, event 2", did)


async def test_arming_for_later_does_not_change_a_stall() -> None:
    async with wire([CHUNKED, chunks(*EVENTS), b"0\r\n\r\n"]) as server:

        def on(driver: Driver, record: object) -> None:
            if isinstance(record, Fault):
                asyncio.get_running_loop().call_later(0.02, driver.arm, parse_plan("cut@event=99"))

        ran = await run(server.url, plan="stall=100ms@event=1", virtual=False, on=on)
    first, second = ran.of(Chunk)
    assert 95_000_000 < second.t - ran.of(Fault)[0].t < 800_000_000
    assert first.data + second.data == b"".join(EVENTS)


async def test_stop_during_a_stall() -> None:
    def on(driver: Driver, record: object) -> None:
        if isinstance(record, Fault):
            asyncio.get_running_loop().call_later(0.02, driver.stop)

    await conversation(
        Asks(),
        CHUNKED,
        chunks(*EVENTS),
        HOLD,
        Fires("stall=60s@event=1"),
        Closes("client"),
        Ends("stopped"),
        plan="stall=60s@event=1",
        virtual=False,
        on=on,
    )


async def test_a_cut_inside_an_event_loses_only_that_event() -> None:
    at = len(EVENTS[0]) + 10
    rest = b"".join(EVENTS[1:]) + DONE
    await conversation(
        Asks(),
        chunked(*EVENTS),
        Gets(b"".join(EVENTS)[:at]),
        Fires(f"cut@bytes={at}"),
        Closes("fault"),
        Waits("1"),
        Asks("1"),
        chunked(rest),
        Gets(rest),
        Closes("eof"),
        Ends("complete"),
        plan=f"cut@bytes={at}",
        policy=QUICK,
        dialect=Marked(),
    )


async def test_a_body_that_ends_before_the_fault_leaves_it_armed() -> None:
    await conversation(
        Asks(),
        OK + b"\r\n" + EVENTS[0],
        Gets(EVENTS[0]),
        Closes("eof"),
        Waits("1"),
        Asks("1"),
        chunked(*EVENTS[1:], DONE),
        Gets(b"".join(EVENTS[1:3])),
        Fires("cut@event=2"),
        Closes("fault"),
        Waits("3"),
        Asks("3"),
        chunked(DONE),
        Gets(DONE),
        Closes("eof"),
        Ends("complete"),
        plan="cut@event=2",
        policy=QUICK,
        dialect=Marked(),
    )

"""What all parts of one turn share: its clock, its limits, whether it is to stop, and the head of its records."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from sse_tui.faults import Fired
from sse_tui.recording.records import Close, CloseReason, Fault, Record, chunk
from sse_tui.transport.clock import SessionClock
from sse_tui.transport.http.origins import OriginCookies
from sse_tui.transport.http.tcp import Read
from sse_tui.transport.stream_request import Timeouts
from sse_tui.transport.waiting import Waiter, Woken


class TurnState:
    """One request of a user with all the connections that serve it. `conn` is the number of the current one.

    `next_conn` gives the number of the next. The total time counts from `began`.
    """

    def __init__(
        self,
        number: int,
        clock: SessionClock,
        timeouts: Timeouts,
        next_conn: Callable[[], int],
        sleep: Callable[[float], Awaitable[object]],
    ) -> None:
        self.number = number
        self.clock = clock
        self.timeouts = timeouts
        self.waiter = Waiter()
        self.stopped = False
        self.conn = 0
        self.began = clock.now()
        self.cookies = OriginCookies()
        self.next_conn = next_conn
        self._sleep = sleep

    def stop(self) -> None:
        """End the turn, whatever it is waiting for."""
        self.stopped = True
        self.waiter.wake()

    @property
    def deadline(self) -> int | None:
        """When the total time is over."""
        total = self.timeouts.total
        return None if total is None else self.began + int(total * 1e9)

    def until(self, deadline: int | None) -> float | None:
        """Seconds from now to `deadline`, never negative; None for none."""
        return None if deadline is None else max(0.0, (deadline - self.clock.now()) / 1e9)

    async def pause(self, seconds: float) -> None:
        """Sleep. Raises Woken when something needs attention, TimeoutError when the total time is over."""
        if self.stopped:
            raise Woken
        await self.waiter.wait(self._sleep(max(0.0, seconds)), self.until(self.deadline))

    def chunk(self, read: Read, data: bytes) -> Record:
        """The record for `data`, which came with `read`."""
        marked = read.clock if read.clock != self.clock.source else None
        return chunk(read.t, data, turn=self.number, conn=self.conn, clock=marked, waited=read.waited)

    def fault(self, fired: Fired) -> Fault:
        """The record for a fault that fired now."""
        return Fault(
            t=self.clock.now(),
            turn=self.number,
            conn=self.conn,
            plan=str(fired.fault),
            at=fired.at,
            did=fired.did,
        )

    def close(self, reason: CloseReason, detail: str, code: str = "", irregular: Sequence[str] = ()) -> Close:
        """The record for the end of the current connection; `code` is that of the error that ended it."""
        return Close(
            t=self.clock.now(),
            turn=self.number,
            conn=self.conn,
            reason=reason,
            detail=detail,
            code=code,
            irregular=list(irregular),
        )

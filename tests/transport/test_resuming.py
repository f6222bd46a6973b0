"""Any faults, any segments: a server that can resume loses nothing, and the verdict says so."""

from __future__ import annotations

import asyncio
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.eventstream import Event, Parser
from sse_tui.recording.records import Chunk, Fault, Reconnect, Request, Response
from sse_tui.resume import Continuity, Policy
from tests.transport.turns import Marked, run
from tests.transport.wire import CHUNKED, chunks

COUNT = 12
EVENTS = [f"id: s-{n}\ndata: word{n} é\n\n".encode() for n in range(1, COUNT)]
EVENTS.append(f"id: s-{COUNT}\ndata: [DONE]\n\n".encode())


class Resumable:
    """Sends what follows the last event ID, in random segments; `overlap` events come again."""

    def __init__(self, seed: int, overlap: int) -> None:
        self._random = random.Random(seed)
        self._overlap = overlap

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            _, found, rest = head.lower().partition(b"last-event-id: s-")
            after = int(rest.split(b"\r\n")[0]) if found else 0
            body = b"".join(EVENTS[max(0, after - self._overlap) :])
            writer.write(CHUNKED)
            while body:
                size = self._random.randint(1, 60)
                writer.write(chunks(body[:size]))
                body = body[size:]
                if self._random.random() < 0.3:
                    await writer.drain()
                    await asyncio.sleep(0)
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


_triggers = st.one_of(
    st.integers(1, COUNT).map(lambda n: f"event={n}"),
    st.integers(1, 250).map(lambda n: f"bytes={n}"),
    st.integers(1, COUNT - 1).map(lambda n: f'text="word{n}"'),
)
_plans = st.lists(st.tuples(st.sampled_from(["cut", "reset", "stall=1ms"]), _triggers), max_size=5)


@settings(max_examples=40, deadline=None)
@given(plan=_plans, seed=st.integers(0, 999), overlap=st.sampled_from([0, 0, 0, 1, 3]))
def test_no_event_is_lost_or_repeated(plan: list[tuple[str, str]], seed: int, overlap: int) -> None:
    async def play() -> None:
        server = await asyncio.start_server(Resumable(seed, overlap), "127.0.0.1", 0)
        async with server:
            ran = await run(
                f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/",
                method="POST",
                body=b"{}",
                plan=";".join(f"{action}@{trigger}" for action, trigger in plan) or None,
                policy=Policy("resend", base_ms=0, floor_ms=0, max_attempts=10),
                dialect=Marked(),
            )
        continuity, kept, parser = Continuity(), [], Parser()
        for record in ran.records:
            if isinstance(record, Request):
                asked = dict(record.headers).get("Last-Event-ID", "")
                parser = Parser(last_event_id=asked)
            elif isinstance(record, Response):
                continuity.connected(asked)
            elif isinstance(record, Chunk):
                events = [item for item in parser.feed(record.data) if isinstance(item, Event)]
                kept += [event.data for event in events if continuity.event(event.id, event.data)]
        broken = [fault for fault in ran.of(Fault) if not fault.plan.startswith("stall")]
        if kept and kept[-1] == "[DONE]":
            assert kept == [f"word{n} é" for n in range(1, COUNT)] + ["[DONE]"]
            assert ran.outcome == "complete"
            verdict = continuity.verdict()
            if ran.of(Reconnect):
                assert verdict is not None
                assert verdict.kind == ("lossless" if not verdict.n else "repeated")
                assert overlap or verdict.kind == "lossless"
        else:  # cut before the first id: a POST is not sent again
            assert kept == []
            assert ran.outcome == "truncated"
            assert len(broken) == 1

    asyncio.run(play())

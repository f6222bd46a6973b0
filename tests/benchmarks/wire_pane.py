"""The wire pane at a million rows: how fast they come, what they cost, whether the screen holds still.

    python -m tests.benchmarks.wire_pane [--rows 1000000] [--tokens]

A recording of that many events is written, then opened by the app on a screen of 120 by 36 without a terminal. Printed
are the rows a second of the whole way (file, parser, dialect, table, pane), those of the pane alone, the memory over
that of the same app on a recording of one row, and the longest time that the event loop was held up. With --tokens
the events are chat tokens, whose text is kept as the answer, too; else they are events that are only shown.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from sse_tui.config import Config, Ui
from sse_tui.eventstream import encode
from sse_tui.recording import Redactor, Writer
from sse_tui.recording.records import Close, End, Header, Phase, Record, Request, Response, chunk
from sse_tui.session.spec import SessionSpec
from sse_tui.tui.app import SseTuiApp

EVENTS_A_READ = 10
PAGE = 4096


def payload(number: int, tokens: bool) -> str:
    """An event's data: a chat chunk of a small server, or a measurement."""
    if tokens:
        choice = {"index": 0, "delta": {"content": f" w{number % 1000}"}}
        return json.dumps({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})
    return json.dumps({"sensor": number % 64, "value": number * 7 % 1000, "unit": "mV"})


def write(path: Path, rows: int, tokens: bool) -> None:
    """A recording of one connection with this many events, some to a read, a millisecond from read to read."""
    at: dict[str, Any] = {"turn": 1, "conn": 1}
    kind = [("content-type", "text/event-stream")]
    dialect = "openai-chat" if tokens else "generic"
    with Writer(path, Header(clock="read"), Redactor()) as writer:
        writer.write(
            Request(t=0, method="GET", url="http://127.0.0.1/stream", headers=[], dialect=dialect, **at)
        )
        writer.write(Phase(t=1, name="headers", dt=1, **at))
        writer.write(Response(t=1, status=200, http_version="HTTP/1.1", headers=kind, **at))
        batch: list[Record] = []
        for first in range(0, rows, EVENTS_A_READ):
            numbers = range(first, min(rows, first + EVENTS_A_READ))
            data = b"".join(encode(data=payload(number, tokens), id=str(number)) for number in numbers)
            batch.append(chunk(first * 100_000, data, turn=1, conn=1))
            if len(batch) == 1000:
                writer.write_many(batch)
                batch.clear()
        writer.write_many(
            [*batch, Close(t=rows * 100_000, reason="eof", **at), End(t=rows * 100_000, reason="quit")]
        )


def memory_mb() -> float:
    """Memory that this process holds now."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / 2**20


class Watch:
    """How long the event loop was held up, and how long the pane worked."""

    def __init__(self) -> None:
        self.longest_ms = 0.0
        self.pane_s = 0.0

    async def hold(self) -> None:
        while True:
            start = time.perf_counter()
            await asyncio.sleep(0.005)
            self.longest_ms = max(self.longest_ms, (time.perf_counter() - start - 0.005) * 1000)


async def opened(path: Path, watch: Watch) -> tuple[float, float, int]:
    """Open the file; seconds, memory in MB, rows."""
    app = SseTuiApp(SessionSpec(mode="open", path=path, config=Config(ui=Ui(theme="sse-dark"))))
    async with app.run_test(size=(120, 36)):
        timed(app.workspace.wire.log_view, watch)
        holder = asyncio.ensure_future(watch.hold())
        start = time.perf_counter()
        while app.session.analysis.end is None or app.workspace.wire.log_view.visible_rows.seen < len(
            app.session.rows
        ):
            await asyncio.sleep(0.01)
        took = time.perf_counter() - start
        await asyncio.sleep(0.5)
        holder.cancel()
        return took, memory_mb(), len(app.session.rows)


def timed(pane: object, watch: Watch) -> None:
    """Count the time that the pane's own taking in of rows takes."""
    sync = pane.sync  # type: ignore[attr-defined]

    def counted() -> None:
        start = time.perf_counter()
        sync()
        watch.pane_s += time.perf_counter() - start

    pane.sync = counted  # type: ignore[attr-defined]


def main() -> None:
    """Write, open, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--tokens", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        one, many = Path(folder) / "one.sse.jsonl", Path(folder) / "many.sse.jsonl"
        write(one, 1, options.tokens)
        write(many, options.rows, options.tokens)
        print(f"file      {many.stat().st_size / 2**20:10,.0f} MB")
        _, base, _ = asyncio.run(opened(one, Watch()))
        watch = Watch()
        took, full, rows = asyncio.run(opened(many, watch))
    print(f"rows      {rows:10,}")
    print(f"whole way {rows / took:10,.0f} rows/s   ({took:.1f} s)")
    print(f"pane      {rows / watch.pane_s:10,.0f} rows/s   ({watch.pane_s:.2f} s)")
    print(f"memory    {full - base:10.1f} MB over the {base:.0f} MB of the app with one row")
    print(f"held up   {watch.longest_ms:10.0f} ms at the longest")


if __name__ == "__main__":
    main()

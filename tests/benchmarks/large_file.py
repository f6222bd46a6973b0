"""Opening a large recording: ``python -m tests.benchmarks.large_file [MEGABYTES]``, 1,000 without a number.

A recording of one long answer, an event a read, is written to the temporary folder and opened in the TUI, in a process
of its own without a terminal: seconds from its start until the end of the file is on screen, until all of it is read,
and the most memory it took (VmHWM). There is no peer that opens such a file.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sse_tui.recording.record_lines import encode_line
from sse_tui.recording.records import Close, End, Header, Record, chunk

TARGET_S = 2.0
TARGET_MB = 150.0
STEP_S = 0.02
READING_S = 600.0


def write(path: Path, size: int) -> int:
    """Write the recording; how many events it holds."""
    from tests.benchmarks.analysis import events, records

    blocks = events()
    begin = records(blocks)[:2]
    count = t = 0
    at: dict[str, Any] = {"turn": 1, "conn": 1}

    def line(data: bytes) -> bytes:
        nonlocal t, count
        t += 10_000_000
        count += 1
        return encode_line(chunk(t, data, **at))

    with path.open("wb") as file:
        file.write(encode_line(Header(clock="kernel")) + b"".join(map(encode_line, begin)))
        while file.tell() < size:
            file.write(b"".join(map(line, blocks[1:-3])))
        file.write(b"".join(map(line, blocks[-3:])))
        ends: list[Record] = [Close(t=t, reason="eof", **at), End(t=t, reason="done")]
        file.write(b"".join(map(encode_line, ends)))
    return count


def memory_mb() -> float:
    """The most memory that this process has taken."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


async def view(path: Path) -> None:
    """The child: open it, and tell when what is on screen."""
    from sse_tui.session.spec import SessionSpec
    from sse_tui.tui.app import SseTuiApp

    app = SseTuiApp(SessionSpec(mode="open", path=path))
    async with app.run_test(size=(120, 36)) as pilot:
        while "done" not in _screen(app)[-200:]:
            await pilot.pause(STEP_S)
        print("end", time.time(), memory_mb(), flush=True)
        end = time.monotonic() + READING_S
        while (app.session.behind or not len(app.session.rows)) and time.monotonic() < end:
            await pilot.pause(STEP_S)
        print("all", time.time(), memory_mb(), flush=True)
        os._exit(0)


def _screen(app: object) -> str:
    end = app.workspace.wire.end  # type: ignore[attr-defined]
    return str(end.render()) if end.display and end.size.height else ""


def main(arguments: list[str]) -> int:
    """Print both times and both sizes; 0 when the targets are reached."""
    if arguments[:1] == ["--child"]:
        asyncio.run(view(Path(arguments[1])))
    megabytes = int(arguments[0]) if arguments else 1000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.sse.jsonl"
        count = write(path, megabytes * 10**6)
        begin = time.time()
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.large_file", "--child", str(path)],
            env=os.environ | {"SSE_TUI_STATE_DIR": folder},
            stdout=subprocess.PIPE,
            text=True,
        )
    said = {line.split()[0]: [float(word) for word in line.split()[1:]] for line in done.stdout.splitlines()}
    if set(said) != {"end", "all"}:
        print("the view failed")
        return 1
    (end, first_mb), (all_, most_mb) = said["end"], said["all"]
    print(f"{megabytes:,} MB, {count:,} events")
    print(f"  its end on screen after {end - begin:6.2f} s, {first_mb:6.1f} MB   (target {TARGET_S:g} s)")
    print(f"  all of it read after    {all_ - begin:6.2f} s, {most_mb:6.1f} MB   (target {TARGET_MB:g} MB)")
    return int(end - begin > TARGET_S or most_mb > TARGET_MB)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

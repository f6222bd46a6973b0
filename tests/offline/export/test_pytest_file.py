"""The exported test: it passes without sse-tui, fails when the stream changes, and runs nothing that was recorded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from sse_tui.offline.export import read_tape
from sse_tui.offline.export.pytest_file import pytest_file
from sse_tui.recording import open_any
from sse_tui.recording.records import Close, End, Header, Record, Request, Response, chunk

RECORDINGS = Path(__file__).parents[2] / "data/recordings"
EVIL = '"""\nimport os; os.system("x")\n\\N{BELL} {0} %s \u2028'
BLOCK = 'import sys; sys.modules["sse_tui"] = None; import pytest; sys.exit(pytest.main(sys.argv[1:]))'


def run(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run it where sse-tui cannot be imported."""
    path = folder / "test_exported.py"
    path.write_text(text)
    args = [str(path), "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), "-c", "/dev/null"]
    return subprocess.run(
        [sys.executable, "-c", BLOCK, *args], capture_output=True, text=True, timeout=60, check=False
    )


def exported(records: list[Record]) -> str:
    return pytest_file(list(read_tape(Header(), records).connections.values()))


def session(body: list[bytes], *, status: int = 200, reason: str = "eof") -> list[Record]:
    at: dict[str, Any] = {"turn": 1, "conn": 1}
    headers = [("Content-Type", "text/event-stream"), ("X-Evil", EVIL), (EVIL, "x"), ("X-Snow", "\u2603")]
    return [
        Request(t=0, method="POST", url="http://h/" + EVIL, headers=[], **at),
        Response(t=0, status=status, http_version="HTTP/1.1", headers=headers, **at),
        *(chunk(0, data, **at) for data in body),
        Close(t=0, reason=reason, **at),
        End(t=0, reason="done"),
    ]


BODY = [
    b"\xef\xbb\xbfid: 1\r\nevent: a\r\ndata: x\r\n",
    b"\r\n: c\ndata: y\rdata\r\r",
    EVIL.encode() + b"\xff\n\ndata: tail",
]


def test_recordings_pass(tmp_path: Path) -> None:
    paths = sorted(RECORDINGS.glob("*.jsonl"))
    assert len(paths) >= 2
    for path in paths:
        text = exported(list(open_any(path)))
        assert "import sse_tui" not in text
        done = run(text, tmp_path)
        assert done.returncode == 0, done.stdout


def test_odd_bytes_line_ends_and_harm_pass(tmp_path: Path) -> None:
    text = exported(session(BODY))
    assert text.isascii()
    done = run(text, tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_cut_stream_is_served_cut(tmp_path: Path) -> None:
    text = exported(session(BODY, reason="incomplete"))
    assert "'whole': False" in text
    assert run(text, tmp_path).returncode == 0


def test_no_content(tmp_path: Path) -> None:
    assert run(exported(session([], status=204)), tmp_path).returncode == 0


def test_it_can_fail(tmp_path: Path) -> None:
    text = exported(session([b"data: x\n\n"])).replace("('message', 'x', '')", "('message', 'z', '')")
    done = run(text, tmp_path)
    assert done.returncode == 1
    assert "1 failed" in done.stdout

"""Every reported bug whose input is bytes: ``printf ... | sse-tui report -`` gives what the standard says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

ROW = re.compile(r"^\| (\d+) \|.*\| (`[^|]*?`[^|]*) \| ([^|]*) \|$", re.MULTILINE)
ESCAPE = re.compile(rb"\\x([0-9A-Fa-f]{2})|\\([nr0])")
SAID = re.compile(r"(\d+) events?(?:: (.*?))?(?:; tail dropped)?(?:; retry=(\d+))?$")


class Case(NamedTuple):
    number: int
    data: bytes
    result: str


def cases(text: str) -> list[Case]:
    """The rows with a byte input; read boundaries mean nothing in a pipe."""
    section = text[text.index("## 3. Reported bugs") : text.index("## 4. Diagnostics")]
    rows = [Case(int(number), given(said), result.strip()) for number, said, result in ROW.findall(section)]
    return [row for row in rows if "*wire*" not in row.result]


def given(said: str) -> bytes:
    """The bytes that an input cell writes down: code in backticks, and long runs as ``+70 000 × x+``."""
    text = re.sub(r"`\+([\d ]+) × (.)\+`", lambda run: run[2] * int(run[1].replace(" ", "")), said.strip())
    text = text.strip("`").replace(" ¦ ", "")
    text = re.sub(r"<U\+([0-9A-F]{4})>", lambda code: chr(int(code[1], 16)), text)
    plain = {b"n": b"\n", b"r": b"\r", b"0": b"\0"}
    return ESCAPE.sub(
        lambda found: bytes([int(found[1], 16)]) if found[1] else plain[found[2]], text.encode()
    )


def report(case: Case) -> dict[str, Any]:
    command = [sys.executable, "-m", "sse_tui", "report", "-", "--format", "json"]
    done = subprocess.run(command, input=case.data, capture_output=True, timeout=60)
    assert done.returncode in (0, 1), done.stderr.decode()
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_each_gives_the_result_of_the_standard(shared: Path) -> None:
    rows = cases((shared / "protocol.md").read_text("utf-8"))
    assert len(rows) >= 45
    with ThreadPoolExecutor(2) as pool:
        for row, result in zip(rows, pool.map(report, rows), strict=True):
            said = SAID.search(row.result)
            assert said is not None, row
            assert result["events"] == int(said[1]), row
            assert result["discarded_tail"] == ("tail dropped" in row.result), row
            if said[3]:
                assert result["retry"] == [int(said[3])], row

"""Every reported bug whose input is bytes: ``printf ... | sse-tui report -`` gives what the standard says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest

from tests.samples import DATA, protocol

ROW = re.compile(r"^\| (\d+) \|.*\| (`[^|]*?`[^|]*) \| ([^|]*) \|$", re.MULTILINE)
ESCAPE = re.compile(rb"\\x([0-9A-Fa-f]{2})|\\([nr0])")
SAID = re.compile(r"(\d+) events?(?:: (.*?))?(?:; tail dropped)?(?:; retry=(\d+))?$")


class Case(NamedTuple):
    name: str
    data: bytes
    events: int
    discarded_tail: bool
    retry: list[int]


def own_cases() -> list[Case]:
    """Those of tests/data: `hex` instead of `input` where it is not UTF-8; `pad` is how many z make up a ``{pad}``."""
    rows = json.loads((DATA / "reported_bugs.json").read_text("utf-8"))
    return [
        Case(
            row["report"],
            bytes.fromhex(row["hex"])
            if "hex" in row
            else row["input"].replace("{pad}", row.get("pad", 0) * "z").encode(),
            row["events"],
            row["discarded_tail"],
            row["retry"],
        )
        for row in rows
    ]


def cases(text: str) -> list[Case]:
    """The rows with a byte input; read boundaries mean nothing in a pipe."""
    section = text[text.index("## 3. Reported bugs") : text.index("## 4. Diagnostics")]
    found = []
    for number, said, result in ROW.findall(section):
        if "*wire*" in result:
            continue
        count = SAID.search(result.strip())
        assert count is not None, result
        retry = [int(count[3])] if count[3] else []
        found.append(Case(f"row {number}", given(said), int(count[1]), "tail dropped" in result, retry))
    return found


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


def every_case() -> list[Any]:
    """Those of tests/data, and those of the notes on the protocol where they are there."""
    text, own = protocol(), own_cases()
    assert len(own) >= 40
    more = cases(text) if text is not None else own[:0]
    assert text is None or len(more) >= 45
    return [pytest.param(rows, id=name) for name, rows in (("data", own), ("protocol", more)) if rows]


@pytest.mark.parametrize("rows", every_case())
def test_each_gives_the_result_of_the_standard(rows: list[Case]) -> None:
    with ThreadPoolExecutor(2) as pool:
        for row, result in zip(rows, pool.map(report, rows), strict=True):
            assert (result["events"], result["discarded_tail"]) == (row.events, row.discarded_tail), row
            assert result["retry"] == row.retry, row

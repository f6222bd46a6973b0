"""Reading events in one line, and the table of recorded streams by dialect, printed after the run."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from sse_tui.dialects import Answer, Dialect, create
from sse_tui.dialects.base import Delta, Meta
from sse_tui.eventstream import Event

RIGHT = pytest.StashKey[dict[str, tuple[int, int]]]()


@pytest.fixture
def right_by_dialect(pytestconfig: pytest.Config) -> dict[str, tuple[int, int]]:
    """Where a test notes how many recorded streams of a dialect came out right, and of how many."""
    return pytestconfig.stash.setdefault(RIGHT, {})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    table = config.stash.get(RIGHT, {})
    if not table:
        return
    terminalreporter.section("recorded streams read as indexed, dialect detected")
    for dialect, (right, total) in sorted(table.items(), key=lambda row: (-row[1][1], row[0])):
        terminalreporter.write_line(f"{dialect:22} {right:4} of {total:4}")
    right, total = (sum(counts) for counts in zip(*table.values(), strict=True))
    terminalreporter.write_line(f"{'all':22} {right:4} of {total:4}")


class Reading(NamedTuple):
    """One response read to its end: the reader, what it amounted to, and the deltas of each event."""

    dialect: Dialect
    answer: Answer
    deltas: list[list[Delta]]

    @property
    def all(self) -> list[Delta]:
        return [delta for deltas in self.deltas for delta in deltas]

    def metas(self, name: str) -> list[Any]:
        return [delta.value for delta in self.all if isinstance(delta, Meta) and delta.name == name]

    def of(self, kind: type) -> list[Any]:
        return [delta for delta in self.all if isinstance(delta, kind)]


Read = Callable[..., Reading]


@pytest.fixture(scope="session")
def read() -> Read:
    """Reads events in a dialect: each is an object (its event is named after its type, if it has one), or text,
    or a pair of the event's name and either."""

    def run(name: str, *events: Any) -> Reading:
        dialect, answer, deltas = create(name), Answer(), []
        for given in events:
            kind, data = given if isinstance(given, tuple) else (None, given)
            if kind is None:
                kind = data.get("type", "message") if isinstance(data, dict) else "message"
            text = data if isinstance(data, str) else json.dumps(data)
            deltas.append(list(dialect.read(Event(str(kind), text, "", 0, 0))))
            for delta in deltas[-1]:
                answer.add(delta)
        return Reading(dialect, answer, deltas)

    return run

"""The table of recorded streams by dialect, printed after the run."""

from __future__ import annotations

import pytest

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

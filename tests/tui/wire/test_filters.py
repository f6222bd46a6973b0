from __future__ import annotations

import pytest

from sse_tui.tui.wire.filters import FILTERS, VisibleRows
from sse_tui.wirelog.rows import LABELS

CODES = bytes(
    LABELS.index(label) for label in ["request", "token", "comment", "token", "fault", "token", "tail"]
)


def use(name: str, codes: bytes = CODES) -> VisibleRows:
    rows = VisibleRows()
    rows.use(next(chosen for chosen in FILTERS if chosen.name == name), codes)
    return rows


@pytest.mark.parametrize(
    ("name", "rows"),
    [("all", range(7)), ("tokens", [1, 3, 5]), ("no comments", [0, 1, 3, 4, 5, 6]), ("connection", [0, 2, 4, 6]),
     ("problems", [4, 6])],
)  # fmt: skip
def test_a_filter_shows_its_rows(name: str, rows: list[int]) -> None:
    visible = use(name)
    assert [visible.row(place) for place in range(len(visible))] == list(rows)


def test_rows_added_later_pass_the_same_filter() -> None:
    whole, parts = use("tokens"), use("tokens", CODES[:2])
    parts.extend(CODES[2:4])
    parts.extend(CODES[4:])
    assert [parts.row(n) for n in range(len(parts))] == [whole.row(n) for n in range(len(whole))]
    assert parts.seen == len(CODES)


def test_a_hidden_row_has_the_position_of_the_next_shown_one() -> None:
    visible = use("tokens")
    assert [visible.position(row) for row in range(7)] == [0, 0, 1, 1, 2, 2, 3]
    assert use("all").position(4) == 4

"""What the app looks like on a recording with fixed times.

After a wanted change: ``pytest tests/tui --snapshot-update``, and look at every one that changed.
"""

from __future__ import annotations

from typing import Any

import pytest

WIDE, SMALL = (120, 36), (80, 24)


@pytest.mark.parametrize(
    ("name", "size", "keys"),
    [
        ("resumed", WIDE, []),
        ("resumed", WIDE, ["home", *["down"] * 3, "3", "right", "right"]),
        ("resumed", WIDE, ["f1"]),
        ("resumed", SMALL, ["1"]),
        ("resumed", SMALL, ["2"]),
        ("resumed", SMALL, ["2", "home", *["down"] * 3, "3"]),
        ("hostile", WIDE, []),
    ],
    ids=["wide", "selected", "help", "small-answer", "small-wire", "small-detail", "hostile"],
)
def test_snapshot(
    snap_compare: Any, opened: Any, until: Any, name: str, size: tuple[int, int], keys: list[str]
) -> None:
    app = opened(name)

    async def settle(pilot: Any) -> None:
        await until(lambda: app.session.analysis.end is not None and not app.session.behind)
        await until(lambda: len(app.workspace.wire.log_view.visible_rows) == len(app.session.rows))
        await until(lambda: app.workspace.detail.row is not None)
        await pilot.press(*keys)
        await pilot.pause(0.5)

    assert snap_compare(app, terminal_size=size, run_before=settle)

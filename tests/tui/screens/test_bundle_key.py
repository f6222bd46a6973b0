"""The bug bundle by one key and enter, and the objectives in the strip."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from sse_tui.config import SloSection
from sse_tui.tui.bars.metrics_strip import MetricsStrip
from tests.tui.conftest import Opened, Until, notices

WIDE = (120, 36)


async def ready(app: Any, pilot: Any, until: Until) -> None:
    await until(lambda: app.session.analysis.end is not None and not app.session.behind)
    await pilot.pause()


async def test_b_and_enter_make_a_bundle_with_a_picture(
    opened: Any, until: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    app = opened("resumed")
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(app, pilot, until)
        await pilot.press("b", "enter")
        await until(lambda: ".zip\n" in notices(app), 90)
        (path,) = tmp_path.glob("*.zip")
        assert str(path) in notices(app)
        names = {Path(name).name for name in zipfile.ZipFile(path).namelist()}
        assert {"recording.sse.jsonl", "report.md", "reproduce.sh", "versions.txt", "screenshot.svg"} <= names
        # Again: another name, nothing replaced.
        await pilot.press("b", "escape")
        assert len(app.screen_stack) == 1
        assert not app.session_keys.bug_bundle.running


async def test_what_stops_a_bundle_is_said_and_leaves_nothing(
    opened: Any, until: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    app = opened("resumed")
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(app, pilot, until)
        await pilot.press("b")
        app.screen.query_one("Input").value = str(tmp_path / "no" / "such" / "folder.zip")
        await pilot.press("enter")
        await until(lambda: "Cannot" in notices(app), 60)
        assert list(tmp_path.iterdir()) == [tmp_path / "state"] or not list(tmp_path.iterdir())
        assert not app.session_keys.bug_bundle.running


async def test_no_picture_is_no_reason_for_no_bundle(
    opened: Any, until: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sse_tui.tui.screens.bug_bundle.PICTURE_S", 0.001)
    app = opened("hostile")
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(app, pilot, until)
        await pilot.press("f9", "enter")
        await until(lambda: ".zip\n" in notices(app), 60)
        assert "no picture" in notices(app)


async def test_objectives_stand_in_the_strip_and_in_the_metrics(opened: Opened, until: Until) -> None:
    app = opened(
        "resumed", slo=SloSection(ttft_p50_ms=10_000, ttft_p99_ms=10_000, tpot_ms=1_000, tbt_p99_ms=1)
    )
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        await until(lambda: "SLO FAIL 5/6" in app.query_one(MetricsStrip).render().plain)
        await pilot.press("f5")
        table = app.screen.query_one("#overlay Static")
        lines = [line.text for line in table.render_lines(table.region.reset_offset)]
        (line,) = (line for line in lines if "SLO TBT" in line)
        assert "✗ fail: < 1.0 ms" in line
        assert sum("✓ pass" in line for line in lines) == 5

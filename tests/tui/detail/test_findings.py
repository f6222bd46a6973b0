"""Findings on screen: the badge, the list, the marks, and the way from each to its row and bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sse_tui.tui.app import SseTuiApp
from sse_tui.tui.bars.header import HeaderLine
from sse_tui.tui.detail.findings import SIGNS
from tests.tui.conftest import Opened, Until, selected_row

WIDE, SMALL = (120, 36), (80, 24)


def shown(widget: Any) -> str:
    return "\n".join(widget.render_line(y).text.rstrip() for y in range(widget.size.height))


async def ready(app: SseTuiApp, pilot: Any, until: Until) -> None:
    await until(lambda: app.session.analysis.end is not None and not app.session.behind)
    await until(lambda: len(app.workspace.wire.log_view.visible_rows) == len(app.session.rows))
    await pilot.pause()


def number_of(app: SseTuiApp, rule: str) -> int:
    return next(n for n, finding in enumerate(app.session.found.findings) if finding.rule == rule)


@pytest.mark.parametrize("size", [WIDE, SMALL, (60, 15)])
async def test_the_badge_counts_by_letter(opened: Opened, until: Until, size: Any) -> None:
    app = opened("hostile")
    async with app.run_test(size=size) as pilot:
        await ready(app, pilot, until)
        counts = app.session.found.counts()
        badge = " ".join(f"{SIGNS[severity]}{count}" for severity, count in counts.items() if count)
        assert badge.startswith("E")
        assert badge in app.query_one(HeaderLine).render().plain


async def test_rows_with_a_finding_carry_its_letter(opened: Opened, until: Until) -> None:
    app = opened("hostile")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        await pilot.press("2", "home")
        lines = shown(app.workspace.wire.log_view).split("\n")
        for label, letter in (("malformed", "E"), ("ignored", "W"), ("close", "E")):
            (line,) = (line for line in lines if f" {label} " in line)
            assert line[1] == letter, line


async def test_enter_goes_from_a_finding_to_its_row_and_marks_its_bytes(opened: Opened, until: Until) -> None:
    app = opened("hostile")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        await pilot.press("f7")
        for _ in range(number_of(app, "invalid-json-event")):
            await pilot.press("down")
        told = shown(app.workspace.detail.findings)
        finding = app.session.found.findings[number_of(app, "invalid-json-event")]
        assert finding.message[:20] in told
        assert finding.advice[:20] in told
        assert "bentoml/OpenLLM#864" in told
        await pilot.press("enter")
        row = app.workspace.wire.log_view.selected_row
        assert row is not None
        assert app.session.rows.label(row) == "malformed"
        assert app.workspace.detail.tabs.chosen == "hex"
        assert app.workspace.detail.match == (finding.start, finding.end)
        style = app.workspace.detail.lines.style_of("detail--match")
        marked = [
            segment.text
            for y in range(app.workspace.detail.lines.size.height)
            for segment in app.workspace.detail.lines.render_line(y)
            if segment.style and segment.style.bgcolor == style.bgcolor and segment.text.strip()
        ]
        assert "64 61 74 61" in "".join(marked)
        assert app.focused is app.workspace.detail.lines


async def test_a_finding_about_no_bytes_opens_what_it_is_about(opened: Opened, until: Until) -> None:
    app = opened("hostile")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        for rule, label, tab in (
            ("missing-anti-buffering-headers", "response", "headers"),
            ("truncated-stream", "close", "json"),
        ):
            await pilot.press("f7", "home", *["down"] * number_of(app, rule), "enter")
            assert app.session.rows.label(selected_row(app)) == label
            assert app.workspace.detail.tabs.chosen == tab


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_the_bracket_keys_go_through_all_findings_and_stop_at_the_ends(
    opened: Any, until: Any, size: Any
) -> None:
    app = opened("hostile")
    async with app.run_test(size=size) as pilot:
        await ready(app, pilot, until)
        await pilot.press("2")
        rows = []
        for _ in range(len(app.session.found)):
            await pilot.press("right_square_bracket")
            rows.append(app.workspace.wire.log_view.selected_row)
        assert rows == [app.session.found.row(n) for n in range(len(app.session.found))]
        await pilot.press("right_square_bracket")
        assert app.workspace.detail.findings.cursor == len(rows) - 1
        await pilot.press(*["left_square_bracket"] * (len(rows) + 3))
        assert app.workspace.detail.findings.cursor == 0


async def test_a_row_that_is_selected_chooses_its_finding(opened: Opened, until: Until) -> None:
    app = opened("hostile")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        await pilot.press("f7")
        labels = [app.session.rows.label(n) for n in range(len(app.session.rows))]
        app.workspace.wire.log_view.select_row(labels.index("tail"))
        wanted = number_of(app, "unterminated-tail")
        await until(lambda: app.workspace.detail.findings.cursor == wanted)


async def test_a_click_chooses_and_the_copy_is_the_whole_list(opened: Opened, until: Until) -> None:
    app = opened("hostile")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        await pilot.press("f7")
        line = app.workspace.detail.findings.line_count() - 1
        app.workspace.detail.findings.scroll_to(y=line, animate=False)
        await pilot.pause()
        top = round(app.workspace.detail.findings.scroll_y)
        await pilot.click(app.workspace.detail.findings, offset=(4, line - top))
        assert app.workspace.detail.findings.cursor == len(app.session.found) - 1
        await pilot.press("y")
        assert app.clipboard.count("\nsee ") > 3
        for finding in app.session.found.findings:
            assert finding.message in app.clipboard


async def test_without_findings_it_says_so(opened: Opened, until: Until, tmp_path: Path) -> None:
    path = tmp_path / "empty.sse.jsonl"
    path.write_text(
        '{"format":"sse-recording","version":1,"clock":"read"}\n{"t":0,"k":"end","reason":"quit"}\n'
    )
    app = opened(path)
    async with app.run_test(size=WIDE) as pilot:
        await until(lambda: app.session.analysis.end is not None)
        await pilot.press("f7", "down", "up", "enter", "end", "home", "right_square_bracket")
        assert "No findings so far." in shown(app.workspace.detail.findings)


async def test_a_message_that_is_cut_says_so(opened: Opened, until: Until) -> None:
    app = opened("hostile")
    async with app.run_test(size=SMALL) as pilot:
        await ready(app, pilot, until)
        await pilot.press("f7")
        width = app.workspace.detail.findings.content_width
        lines = [
            line
            for line in shown(app.workspace.detail.findings).split("\n")
            if line.startswith((" E", " W", " i"))
        ]
        assert any(line.endswith("…") for line in lines)
        assert all(len(line) <= width for line in lines)

"""The app on a recording, driven by keys as a user would."""

from __future__ import annotations

import asyncio
import fcntl
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.text import Text
from textual.pilot import Pilot
from textual.widget import Widget

from sse_tui.tui.app import SseTuiApp
from sse_tui.tui.bars.header import HeaderLine
from sse_tui.tui.drawing.line_view import LineView
from tests.tui.conftest import Opened, Until, notices, row_bytes, selected_row

WIDE, SMALL = (120, 36), (80, 24)


def shown(widget: LineView) -> str:
    """What a line widget shows on screen, as text."""
    return "\n".join(widget.render_line(y).text.rstrip() for y in range(widget.size.height))


def text_of(widget: Widget) -> str:
    rendered = widget.render()
    assert isinstance(rendered, Text)
    return rendered.plain


def conversation(app: SseTuiApp) -> str:
    """All of the answer pane, on screen or not."""
    return "\n".join(
        app.workspace.answer.document.line(n).text for n in range(len(app.workspace.answer.document))
    )


async def ready(app: SseTuiApp, pilot: Pilot[int], until: Until) -> None:
    await until(
        lambda: len(app.session.rows) and app.session.analysis.end is not None and not app.session.behind
    )
    await until(lambda: len(app.workspace.wire.log_view.visible_rows) == len(app.session.rows))
    await pilot.pause()


async def test_an_opened_recording_shows_the_conversation_and_the_wire(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        app.workspace.answer.scroll_to(y=0, animate=False)
        answer = shown(app.workspace.answer)
        assert "Explain SSE reconnection." in answer
        assert "What the server needs" in answer
        assert "resumed 1×, lossless" in conversation(app).replace("\n", "")
        await pilot.press("2", "home")
        wire = shown(app.workspace.wire.log_view)
        assert "role=assistant" in wire
        assert '"When"' in wire
        header = text_of(app.query_one(HeaderLine))
        assert "✓ COMPLETE" in header
        assert "200" in header


async def test_fault_and_retry_are_rows_and_the_verdict_is_told(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        labels = [app.session.rows.label(n) for n in range(len(app.session.rows))]
        app.workspace.wire.log_view.select_row(labels.index("fault"))
        await pilot.pause()
        wire = shown(app.workspace.wire.log_view)
        assert "FAULT" in wire
        assert "cut after event" in wire
        assert "RETRY 1" in wire
        assert "Last-Event-ID: s1-" in wire
        assert "✓ lossless" in text_of(app.faults.keys)


async def test_events_of_one_read_have_a_ditto_mark_and_never_a_gap_of_zero(
    opened: Opened, until: Until
) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        gaps = [app.workspace.wire.log_view.cells(n).gap for n in range(len(app.session.rows))]
        assert '"' in gaps
        assert "0.0" not in gaps


async def test_selecting_a_row_highlights_its_characters_and_shows_its_bytes(
    opened: Opened, until: Until
) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        row = next(
            n
            for n in range(len(app.session.rows))
            if '" stream"' in app.workspace.wire.log_view.cells(n).content
        )
        app.workspace.wire.log_view.select_row(row)
        await pilot.pause()
        assert app.workspace.answer.selected is not None
        turn, span = app.workspace.answer.selected
        transcript = "".join(piece.text for piece in app.session.analysis.turns[turn].transcript)
        assert transcript[slice(*span)] == " stream"
        marked = app.workspace.answer.style_of("answer--selected")
        styled = [
            segment.text
            for y in range(app.workspace.answer.size.height)
            for segment in app.workspace.answer.render_line(y)
            if segment.style and segment.style.bgcolor == marked.bgcolor
        ]
        assert "".join(styled).strip() == "stream"
        await pilot.press("3", "right", "right")
        assert app.workspace.detail.tabs.chosen == "hex"
        # Each line is an offset in eight digits, eight bytes in hex, and the same as text.
        lines = app.workspace.detail.lines.text.split("\n")
        digits = "".join(line[10:34] for line in lines)
        assert bytes.fromhex(digits.replace(" ", "")) == row_bytes(app, row)


async def test_a_click_in_the_answer_selects_the_row_that_wrote_it(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        y = next(
            y
            for y in range(app.workspace.answer.size.height)
            if "short memory" in app.workspace.answer.render_line(y).text
        )
        x = app.workspace.answer.render_line(y).text.index("memory") + 2
        await pilot.click(app.workspace.answer, offset=(x + 1, y + 1))
        await pilot.pause()
        assert app.workspace.wire.log_view.cells(selected_row(app)).content == '" memory"'
        assert not app.workspace.wire.log_view.following


async def test_left_and_right_in_the_answer_step_through_tokens(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        await pilot.press("1", "left")
        first = app.workspace.wire.log_view.cells(selected_row(app)).content
        await pilot.press("left")
        await pilot.press("right")
        assert app.workspace.wire.log_view.cells(selected_row(app)).content == first == '" open."'


async def test_scrolling_up_releases_follow_and_end_restores_it(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        assert app.workspace.wire.log_view.following
        app.workspace.wire.log_view.scroll_to(y=3, animate=False)
        await pilot.pause()
        assert not app.workspace.wire.log_view.following
        assert "paused" in app.query_one("#wire").border_title
        await pilot.press("2", "end")
        assert app.workspace.wire.log_view.following
        assert "FOLLOW" in app.query_one("#wire").border_title


async def test_the_cursor_moves_by_rows_pages_and_ends(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        last = len(app.session.rows) - 1
        await pilot.press("up", "up")
        assert app.workspace.wire.log_view.cursor == last - 2
        await pilot.press("pageup")
        assert app.workspace.wire.log_view.cursor < last - 10
        await pilot.press("home")
        assert (app.workspace.wire.log_view.cursor, round(app.workspace.wire.log_view.scroll_y)) == (0, 0)
        await pilot.press("down", "pagedown", "end")
        assert app.workspace.wire.log_view.cursor == last


async def test_the_filter_cycles_and_keeps_the_row(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        row = next(n for n in range(len(app.session.rows)) if app.session.rows.label(n) == "token") + 4
        app.workspace.wire.log_view.select_row(row)
        await pilot.press("f")
        assert {
            app.session.rows.label(app.workspace.wire.log_view.visible_rows.row(n))
            for n in range(app.workspace.wire.log_view.line_count())
        } == {"token"}
        assert app.workspace.wire.log_view.selected_row == row
        assert "tokens" in str(app.query_one("#wire").border_title)
        await pilot.press("F")
        assert app.workspace.wire.log_view.line_count() == len(app.session.rows)
        assert app.workspace.wire.log_view.selected_row == row


async def test_find_jumps_while_typing_and_n_goes_on(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        await pilot.press("home", "slash", *"comes")
        await until(
            lambda: (
                app.workspace.wire.log_view.cells(app.workspace.wire.log_view.selected_row or 0).content
                == '" comes"'
            )
        )
        await pilot.press("enter", "slash", "ctrl+a", "ctrl+k", *"ping", "enter")
        await until(
            lambda: (
                app.workspace.wire.log_view.cells(app.workspace.wire.log_view.selected_row or 0).kind
                == "comment"
            )
        )
        first = app.workspace.wire.log_view.selected_row
        await pilot.press("n")
        assert app.workspace.wire.log_view.selected_row != first
        await pilot.press("N")
        assert app.workspace.wire.log_view.selected_row == first
        await pilot.press("escape")
        assert not app.workspace.wire.find_bar.display


async def test_the_slowest_gap_is_two_keys_away(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        await pilot.press("g")
        gaps = [
            float(app.workspace.wire.log_view.cells(n).gap)
            for n in range(app.session.rows.turn_starts[-1], len(app.session.rows))
            if app.workspace.wire.log_view.cells(n).gap not in {"-", '"'} and app.session.rows.number(n)
        ]
        assert float(app.workspace.wire.log_view.cells(selected_row(app)).gap) == max(gaps)


async def test_every_pane_is_one_key_away_and_every_tab_of_the_detail(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        for key, pane in (
            ("1", "answer"),
            ("2", "wire"),
            ("3", "detail"),
            ("f2", "answer"),
            ("alt+2", "wire"),
        ):
            await pilot.press(key)
            assert app.pane_in_use() == pane
        await pilot.press("3")
        seen = []
        for _ in range(4):
            seen.append(app.workspace.detail.tabs.chosen)
            await pilot.press("right")
        assert seen == ["json", "text", "hex", "headers"]


async def test_help_and_metrics_open_over_the_app(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        await pilot.press("f1")
        assert len(app.screen_stack) == 2
        await pilot.press("escape")
        await pilot.press("f5")
        assert len(app.screen_stack) == 2
        await pilot.press("escape")
        assert len(app.screen_stack) == 1


async def test_copy_puts_the_answer_or_the_row_on_the_clipboard(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        await pilot.press("1", "y")
        assert app.clipboard.startswith("Because a proxy")
        await pilot.press("2", "home", "down", "down", "y")
        assert app.clipboard == row_bytes(app, 2).decode()


async def test_an_answer_can_be_shown_as_it_was_sent(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        await pilot.press("m")
        text = conversation(app)
        assert "## What the server needs" in text
        await pilot.press("m")
        text = conversation(app)
        assert "##" not in text


async def test_a_small_terminal_shows_one_pane_at_a_time(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=SMALL) as pilot:
        await ready(app, pilot, until)
        for key, pane in (("2", "#wire"), ("3", "#detail"), ("1", "#answer")):
            await pilot.press(key)
            visible = [
                name for name in ("#answer", "#wire", "#detail") if app.query_one(name).region.height > 0
            ]
            assert visible == [pane]
            assert app.query_one(pane).region.height >= 14
        await pilot.resize_terminal(*WIDE)
        await pilot.pause()
        assert all(app.query_one(name).region.height > 0 for name in ("#answer", "#wire", "#detail"))


async def test_nothing_from_the_wire_commands_the_terminal(opened: Opened, until: Until) -> None:
    app = opened("hostile")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        for key in ("home", "down", "down", "down", "down", "3", "right", "right", "right"):
            await pilot.press(key)
            for widget in (app.workspace.answer, app.workspace.wire.log_view, app.workspace.detail.lines):
                for y in range(widget.size.height):
                    text = widget.render_line(y).text
                    assert not any(
                        ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 or char == "\u202e" for char in text
                    )
        assert "␛]0;owned␇" in conversation(app)
        assert "✗ TRUNCATED" in text_of(app.query_one(HeaderLine))


async def test_own_keys_work_and_wrong_ones_are_told(opened: Opened, until: Until) -> None:
    app = opened("resumed", keys={"help": "ctrl+g", "no.such": "x"})
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(app, pilot, until)
        assert "no.such" in notices(app)
        await pilot.press("ctrl+g")
        assert len(app.screen_stack) == 2


async def test_an_unknown_theme_is_told_and_an_own_one_used(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        assert app.theme == "sse-dark"
        for theme in ("sse-light", "textual-light", "nord", "ansi-dark"):
            app.theme = theme
            await pilot.pause()
            assert "Because a proxy" in shown(app.workspace.answer)


async def test_a_broken_file_is_an_error_that_is_shown(opened: Opened, until: Until, tmp_path: Path) -> None:
    path = tmp_path / "broken.sse.jsonl"
    path.write_text('{"format": "something else"}\n')
    app = opened(path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(lambda: "is not a recording" in notices(app))
        await pilot.press("ctrl+q")
    assert app.return_code == 0


@pytest.mark.parametrize("keys", [["ctrl+q"], ["escape", "escape", "ctrl+c", "ctrl+q"]])
async def test_only_ctrl_q_quits(opened: Opened, until: Until, keys: list[str]) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        for key in keys[:-1]:
            await pilot.press(key)
            assert app.is_running
        await pilot.press(keys[-1])
    assert app.return_code == 0


async def test_the_palette_runs_an_action_and_a_window_keeps_its_keys(opened: Opened, until: Until) -> None:
    app = opened("resumed")
    async with app.run_test(size=WIDE) as pilot:
        await ready(app, pilot, until)
        await pilot.press("ctrl+p", *"detail", "enter")
        await until(lambda: len(app.screen_stack) == 1)
        await until(lambda: app.pane_in_use() == "detail")
        await pilot.press("f1", "f3", "ctrl+x")
        assert len(app.screen_stack) == 2
        await pilot.press("escape")
        assert app.pane_in_use() == "detail"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: b"", "✗ EMPTY"),
        (lambda data: data[:40], "✗ EMPTY"),
        (lambda data: data.split(b"\n")[0] + b"\n", "✗ EMPTY"),
        (lambda data: b"\x00\xff" * 3_000 + b"\n", "✗ UNREADABLE"),
        (lambda data: data[:5_000], "✗ UNFINISHED"),
        (lambda data: data[:3_000] + b"\0" * 4_000 + data[3_000:], "1 damaged line "),
        (lambda data: data + b'{"t":1,"k":"future"}\n', "1 unknown record "),
        (lambda data: data + 2 * b'{"t":1,"k":"future"}\n', "2 unknown records "),
    ],
    ids=["empty", "half-header", "header", "binary", "killed", "nul", "future", "futures"],
)
async def test_a_damaged_file_is_told_in_the_header(
    opened: Opened,
    until: Until,
    recordings: Path,
    tmp_path: Path,
    change: Callable[[bytes], bytes],
    said: str,
) -> None:
    path = tmp_path / "d.sse.jsonl"
    path.write_bytes(change((recordings / "resumed.sse.jsonl").read_bytes()))
    app = opened(path)
    async with app.run_test(size=WIDE) as pilot:
        await until(lambda: said in text_of(app.query_one(HeaderLine)))
        await pilot.press(
            "2", "home", "down", "3", "right", "f7", "enter", "f5", "escape", "g", "f", "1", "left"
        )
        assert app.is_running


async def test_a_file_that_someone_still_writes_is_live(
    opened: Opened, until: Until, recordings: Path, tmp_path: Path
) -> None:
    lines = (recordings / "resumed.sse.jsonl").read_bytes().splitlines(keepends=True)
    path = tmp_path / "g.sse.jsonl"
    with path.open("xb", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        app = opened(path)
        async with app.run_test(size=WIDE):
            for line in lines[:30]:
                file.write(line[:9])
                await asyncio.sleep(0.01)
                file.write(line[9:])
            await until(lambda: "● LIVE" in text_of(app.query_one(HeaderLine)))
            for line in lines[30:]:
                file.write(line)
            await until(lambda: "✓ COMPLETE" in text_of(app.query_one(HeaderLine)))


async def test_f12_saves_the_screen(
    opened: Opened, until: Until, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = opened("resumed")
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(app, pilot, until)
        await pilot.press("f12")
        await until(lambda: "Saved" in notices(app))
    (path,) = tmp_path.glob("*.svg")
    assert "COMPLETE" in path.read_text("utf-8")

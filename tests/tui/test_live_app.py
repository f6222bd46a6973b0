"""The app on a real local endpoint: processes, sockets, recording; only the model is a scripted stand-in."""

from __future__ import annotations

import os
import resource
import signal

import pytest
from textual import events

from sse_tui.config import Config, Ui
from sse_tui.session.spec import SessionSpec
from sse_tui.tui.app import SseTuiApp
from sse_tui.tui.bars.faults_bar import FaultKeys
from sse_tui.tui.bars.header import HeaderLine
from tests.children import child_running, children
from tests.tui.conftest import Opened, Until, notices, recording_path, request_body

WORDS = " ".join(f"word{n}" for n in range(60))
SIZE = (120, 36)


def live_app(*engine_args: str, **spec: object) -> SseTuiApp:
    arguments = ("--script", WORDS, "--gap-ms", "20", *engine_args)
    config = Config(ui=Ui(theme="sse-dark"))
    return SseTuiApp(
        SessionSpec(mode="chat", engine="scripted", engine_args=arguments, config=config, **spec)  # type: ignore[arg-type]
    )


def endpoint_ready(app: SseTuiApp) -> bool:
    status = app.session.status.endpoint
    return status is not None and status.state == "ready"


def turn_over(app: SseTuiApp, number: int = 1) -> bool:
    turns = app.session.analysis.turns
    return len(turns) == number and turns[-1].over and not app.session.busy


async def test_two_turns_of_a_conversation(until: Until) -> None:
    app = live_app()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"hello", "enter")
        await until(lambda: turn_over(app))
        assert app.session.analysis.turns[0].answer.text == WORDS
        assert app.session.analysis.turns[0].outcome == "complete"
        await pilot.press("up")
        assert app.prompt is not None
        assert app.prompt.text == "hello"
        await pilot.press("ctrl+j", *"again", "enter")
        await until(lambda: turn_over(app, 2))
        body = request_body(app, 1)
        assert '"assistant"' in body
        assert "hello\\nagain" in body
        clocks = app.session.analysis.turns[1].clocks.clocks()
        assert clocks.ttft is not None
        assert clocks.ttft > 0


async def test_a_cut_by_two_keys_from_the_prompt_is_resumed_without_loss(until: Until) -> None:
    # Slow enough that the stream still runs after a pilot's key press, which can take a second.
    app = live_app("--gap-ms", "80")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"hello", "enter")
        await until(lambda: app.session.analysis.turns and app.session.analysis.turns[0].events > 10)
        await pilot.press("ctrl+x", "c")
        await until(lambda: turn_over(app))
        turn = app.session.analysis.turns[0]
        assert turn.answer.text == WORDS
        assert len(turn.connections) == 2
        assert turn.verdict is not None
        assert turn.verdict.kind == "lossless"
        labels = [app.session.rows.label(n) for n in range(len(app.session.rows))]
        assert labels.count("fault") == labels.count("reconnect") == 1
        await until(lambda: "✓ lossless" in app.query_one(FaultKeys).render().plain)
        assert app.focused is app.prompt


async def test_a_fault_is_armed_and_fires_at_its_event(until: Until) -> None:
    app = live_app()
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: endpoint_ready(app))
        await pilot.press("ctrl+x", "a", *"x", "enter")
        assert app.faults.asking
        await pilot.press("backspace", *"12", "enter")
        assert not app.faults.asking
        assert app.session.armed == "cut@event=12"
        await until(lambda: "armed: cut@event=12" in app.query_one(FaultKeys).render().plain)
        await pilot.press(*"go", "enter")
        await until(lambda: turn_over(app))
        turn = app.session.analysis.turns[0]
        assert turn.connections[0].events == 12
        assert turn.answer.text == WORDS


async def test_escape_stops_the_stream_and_keeps_what_came(until: Until) -> None:
    app = live_app("--gap-ms", "50")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"hello", "enter")
        await until(lambda: app.session.analysis.turns and app.session.analysis.turns[0].events > 5)
        await pilot.press("escape")
        await until(lambda: turn_over(app))
        turn = app.session.analysis.turns[0]
        assert turn.outcome == "stopped"
        assert turn.answer.text
        assert WORDS.startswith(turn.answer.text)
        shown = "".join(
            app.workspace.answer.document.line(n).text for n in range(len(app.workspace.answer.document))
        )
        assert turn.answer.text.split()[-1] in shown
        assert app.is_running


async def test_the_recording_reopens_with_the_same_answer_and_rows(until: Until, opened: Opened) -> None:
    app = live_app()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"hello", "enter")
        await until(lambda: turn_over(app))
        await pilot.press("ctrl+r")
        path = app.session.path
        assert path is not None
        assert path.name.endswith(".kept.sse.jsonl")
        text = app.session.analysis.turns[0].answer.text
        rows = [app.workspace.wire.log_view.cells(n) for n in range(len(app.session.rows))]
    again = opened(path)
    async with again.run_test(size=SIZE):
        await until(lambda: again.session.analysis.end is not None)
        assert again.session.analysis.turns[0].answer.text == text
        assert [again.workspace.wire.log_view.cells(n) for n in range(len(rows))] == rows


async def test_no_process_is_left(until: Until) -> None:
    before = children()
    app = live_app("--gap-ms", "100")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"hello", "enter")
        await until(lambda: app.session.analysis.turns and app.session.analysis.turns[0].events > 2)
        assert len(children() - before) >= 2
        await pilot.press("ctrl+q")
    await until(lambda: children() <= before)


async def test_a_prompt_is_given_back_when_nobody_can_answer(until: Until) -> None:
    app = live_app("--no-such-option")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"hello", "enter")
        await until(lambda: app.prompt is not None and app.prompt.text == "hello")
        assert app.session.status.endpoint is not None
        assert app.session.status.endpoint.state == "failed"
        await until(lambda: any("F8 tries again" in text for _, text in app.workspace.answer.hint))
        await pilot.press("f8")
        assert app.is_running


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_the_first_paint_waits_for_nothing(size: tuple[int, int]) -> None:
    app = live_app()
    async with app.run_test(size=size):
        # Nothing was awaited: whatever the endpoint is doing, the prompt is there and has the focus.
        assert app.focused is app.prompt
        assert app.prompt is not None
        assert app.prompt.region.height > 0


async def test_a_capture_process_that_dies_is_told_and_started_again_into_the_same_recording(
    until: Until, opened: Opened
) -> None:
    app = live_app("--gap-ms", "50")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"one", "enter")
        await until(lambda: app.session.analysis.turns and app.session.analysis.turns[0].events > 5)
        os.kill(child_running("sse_tui.session.capture.process"), signal.SIGKILL)
        await until(lambda: "CAPTURE GONE: F8" in app.query_one(HeaderLine).render().plain)
        await pilot.press(*"lost", "enter")
        await until(lambda: app.prompt is not None and app.prompt.text == "lost" and not app.waiting)
        assert not app.session.busy
        path = recording_path(app)
        # What the process was about to write when it died.
        with path.open("ab") as file:
            file.write(b'{"t": 1, "k": "chu')
        await pilot.press("f8")
        await until(lambda: turn_over(app))
        assert app.session.analysis.turns[0].outcome == "truncated"
        assert app.session.path == path
        await pilot.press("enter")
        await until(lambda: turn_over(app, 2))
        second = app.session.analysis.turns[1]
        assert second.answer.text == WORDS
        assert [message.content for message in app.session.messages.values()] == ["one", "lost"]
        body = request_body(app, 1)
        assert body.count("lost") == 1
        assert second.connections[0].number == 2
        asked, broken = second.connections[0].request, app.session.analysis.turns[0].connections[0].close
        assert asked is not None
        assert broken is not None
        assert asked.t > broken.t
        rows = [app.workspace.wire.log_view.cells(n) for n in range(len(app.session.rows))]
        # The next turn is asked with all of them before it.
        await pilot.press(*"three", "enter")
        await until(lambda: turn_over(app, 3))
        third = request_body(app, 2)
        assert third.index("one") < third.index("lost") < third.index("three")
    again = opened(path)
    async with again.run_test(size=SIZE):
        await until(lambda: again.session.analysis.end is not None)
        assert again.session.damaged == 0
        assert [again.workspace.wire.log_view.cells(n) for n in range(len(rows))] == rows


async def test_an_endpoint_that_dies_is_told_and_a_prompt_waits_for_the_next_one(until: Until) -> None:
    app = live_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await pilot.press(*"one", "enter")
        await until(lambda: turn_over(app))
        os.kill(child_running("--supervised"), signal.SIGKILL)
        await until(lambda: "ENDPOINT FAILED: F8" in app.query_one(HeaderLine).render().plain)
        await until(lambda: "endpoint-gone" in notices(app))
        await pilot.press(*"two", "enter")
        await until(lambda: app.prompt is not None and app.prompt.text == "two" and not app.waiting)
        assert len(app.session.analysis.turns) == 1
        await pilot.press("f8")
        await until(lambda: endpoint_ready(app))
        await pilot.press("enter")
        await until(lambda: turn_over(app, 2))
        assert app.session.analysis.turns[1].answer.text == WORDS
        assert [message.content for message in app.session.messages.values()] == ["one", "two"]


async def test_a_paste_holds_no_controls_and_a_refused_prompt_does_not_spoil_the_next(until: Until) -> None:
    app = live_app()
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: endpoint_ready(app))
        assert app.prompt is not None
        app.post_message(events.Paste("lorem \x1b[31mipsum\r\n" * 6_000))
        await until(lambda: app.prompt is not None and app.prompt.text)
        assert "\x1b" not in app.prompt.text
        await pilot.press("enter")
        await until(lambda: turn_over(app))
        assert app.session.analysis.turns[0].outcome == "refused"
        await pilot.press(*"short", "enter")
        await until(lambda: turn_over(app, 2))
        assert app.session.analysis.turns[1].outcome == "complete"
        assert "lorem" not in request_body(app, 1)


async def test_escape_while_waiting_to_reconnect_stops_the_turn(until: Until) -> None:
    app = live_app("--gap-ms", "100")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"go", "enter")
        await until(lambda: app.session.analysis.turns and app.session.analysis.turns[0].events > 3)
        # With nobody listening every attempt fails, and the waits between them grow.
        os.kill(child_running("--supervised"), signal.SIGKILL)
        await until(lambda: app.session.analysis.turns[0].reconnecting)
        await pilot.press("escape")
        await until(lambda: not app.session.busy)
        await until(lambda: turn_over(app))
        turn = app.session.analysis.turns[0]
        assert turn.outcome in {"stopped", "truncated"}
        numbers = [conn.number for conn in turn.connections]
        assert numbers == sorted(set(numbers))
        assert "RECONNECTING" not in app.query_one(HeaderLine).render().plain


async def test_a_disk_that_is_full_is_told_and_the_conversation_goes_on_when_there_is_room(
    until: Until,
) -> None:
    app = live_app("--gap-ms", "10")
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: endpoint_ready(app))
        path = recording_path(app)
        pid = child_running("sse_tui.session.capture.process")
        # The kernel answers EFBIG to what would make the file longer than this.
        limits = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (path.stat().st_size + 12_000, limits[1]))
        await pilot.press(*"full", "enter")
        await until(lambda: app.session.error is not None)
        assert app.session.error is not None
        assert app.session.error.code == "recording-write"
        await until(lambda: "✗ BROKEN OFF" in app.query_one(HeaderLine).render().plain)
        assert "NOT REC" in app.query_one(HeaderLine).render().plain
        await pilot.press(*"lost", "enter")
        await until(lambda: not app.session.busy and not app.waiting)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)
        await pilot.press(*"again", "enter")
        await until(lambda: app.session.analysis.turns[-1].answer.text == WORDS)
        body = request_body(app, -1)
        assert body.count("full") == body.count("again") == 1
        assert "lost" not in body
        await until(lambda: "● REC" in app.query_one(HeaderLine).render().plain)

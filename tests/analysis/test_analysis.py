"""What the one reader of records makes of a session."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.entry import Entry
from sse_tui.analysis.jsonform import entry_json, result_json
from sse_tui.eventstream import Event
from sse_tui.recording.records import Close, Header, Reconnect, Request, Response, chunk
from tests.analysis.story import Story, done, finish, role, token, usage


def analyse(story: Story, clock: str = "read", **options: object) -> tuple[Analysis, list[Entry]]:
    analysis = Analysis(Header(clock=clock), **options)  # type: ignore[arg-type]
    return analysis, [entry for record in story.records for entry in analysis.feed(record)]


def plain() -> Story:
    story = Story().request(0, dialect="openai-chat").phases(0).response(100)
    story.read(110, role()).read(203, token("Hel")).read(253, token("lo") + token(" you")).read(
        353, token("!")
    )
    return story.read(360, finish() + usage(4)).read(361, done()).close(362, "eof")


def test_clocks_run_from_the_first_byte_of_the_request_and_the_role_does_not_stop_ttft() -> None:
    analysis, _ = analyse(plain())
    result = result_json(analysis, analysis.turns[0])
    clocks = result["clocks"]
    # dns 1 ms and tcp 2 ms are over before the request is written, which starts at 3 ms.
    assert clocks["dns"] == 1
    assert clocks["tcp"] == 2
    assert clocks["ttfc"] == 107
    assert clocks["ttft"] == 200
    assert clocks["e2e"] == 350


def test_events_of_one_read_have_no_gap_and_stay_out_of_the_percentiles() -> None:
    analysis, entries = analyse(plain())
    gaps = result_json(analysis, analysis.turns[0])["gaps"]
    assert gaps["n"] == 2
    assert gaps["coalesced"] == 1
    assert gaps["max"] == 100
    assert gaps["p50"] == 75
    tokens = [entry for entry in entries if entry.label == "token"]
    assert [entry.gap_ms for entry in tokens] == [93, 50, None, 100]
    assert [entry.same_read for entry in tokens] == [False, False, True, False]
    assert gaps["tokens_from"] == "usage"
    assert gaps["tpot_ms"] == 50


def test_a_complete_stream_says_everything() -> None:
    analysis, entries = analyse(plain())
    turn = analysis.turns[0]
    assert turn.outcome == "complete"
    assert turn.conclusion.problem() is None
    result = result_json(analysis, turn)
    assert result["text"] == "Hello you!"
    assert result["finish_reason"] == "stop"
    assert result["usage"] == {"input": 3, "output": 4}
    assert result["done_sentinel"] is True
    assert result["continuity"] is None
    assert [entry.number for entry in entries if entry.kind == "event"] == list(range(1, 9))


def test_an_unknown_dialect_of_a_recording_is_detected_and_named() -> None:
    story = Story().request(0, dialect="from-the-future").response(1).read(2, token("Hi")).close(3, "eof")
    analysis, _ = analyse(story)
    assert analysis.turns[0].dialect_name == "openai-chat"
    assert analysis.turns[0].answer.text == "Hi"
    (problem,) = analysis.problems
    assert "'from-the-future'" in problem


def test_every_event_knows_its_part_of_the_transcript_and_its_bytes() -> None:
    story = plain()
    analysis, entries = analyse(story)
    transcript = "".join(piece.text for piece in analysis.turns[0].transcript)
    spans = [transcript[slice(*entry.span)] for entry in entries if entry.span]
    assert spans == ["Hel", "lo", " you", "!"]
    events = [entry.item for entry in entries if isinstance(entry.item, Event)]
    assert b"".join(story.body[item.start : item.end] for item in events) == story.body


def test_a_cut_that_is_resumed_continues_the_answer_and_is_lossless() -> None:
    story = Story().request(0, dialect="openai-chat").response(10)
    story.read(20, role("s-0")).read(30, token("a", "s-1")).read(40, token("b", "s-2"))
    story.fault(41, "cut@event=3").close(41, "fault").reconnect(41, "s-2")
    story.request(241, new_turn=False, last_event_id="s-2").response(245)
    story.read(250, token("c", "s-3")).read(260, finish(id="s-4") + done("s-5")).close(261, "eof")
    analysis, entries = analyse(story)
    turn = analysis.turns[0]
    assert len(analysis.turns) == 1
    assert turn.answer.text == "abc"
    assert turn.outcome == "complete"
    result = result_json(analysis, turn)
    assert result["continuity"]["verdict"] == "lossless"
    assert [conn["last_event_id"] for conn in result["connections"]] == [None, "s-2"]
    assert [conn["close"] for conn in result["connections"]] == ["fault", "eof"]
    # The gap across the cut is the reconnect's, not the server's: it stays out of the percentiles.
    assert result["gaps"]["max"] == 10
    assert [entry.kind for entry in entries if entry.kind in ("fault", "close", "reconnect")] == [
        "fault", "close", "reconnect", "close",
    ]  # fmt: skip


def test_repeats_after_a_resume_are_marked_and_left_out_of_the_text() -> None:
    story = Story().request(0, dialect="openai-chat").response(10)
    story.read(20, token("a", "s-1") + token("b", "s-2")).close(30, "reset").reconnect(30, "s-2")
    story.request(50, new_turn=False, last_event_id="s-2").response(55)
    story.read(60, token("b", "s-2") + token("c", "s-3") + finish(id="s-4") + done("s-5")).close(70, "eof")
    analysis, entries = analyse(story)
    turn = analysis.turns[0]
    assert turn.answer.text == "abc"
    assert [entry.repeat for entry in entries if entry.kind == "event"] == [
        False,
        False,
        True,
        False,
        False,
        False,
    ]
    assert turn.verdict is not None
    assert (turn.verdict.kind, turn.verdict.n) == ("repeated", 1)


def test_a_gap_after_a_resume_is_counted() -> None:
    story = Story().request(0, dialect="openai-chat").response(10)
    story.read(20, token("a", "s-1") + token("b", "s-2")).close(30, "reset").reconnect(30, "s-2")
    story.request(50, new_turn=False, last_event_id="s-2").response(55)
    story.read(60, token("e", "s-5") + finish(id="s-6") + done("s-7")).close(70, "eof")
    analysis, _ = analyse(story)
    verdict = analysis.turns[0].verdict
    assert verdict is not None
    assert (verdict.kind, verdict.n) == ("lost", 2)


def test_a_truncated_stream_is_named_with_how_it_ended() -> None:
    story = Story().request(0, dialect="openai-chat").response(10).read(20, token("par"))
    analysis, entries = analyse(story.close(30, "incomplete", "the last chunk is missing"))
    turn = analysis.turns[0]
    assert turn.outcome == "truncated"
    problem = turn.conclusion.problem()
    assert problem is not None
    assert problem.code == "truncated-stream"
    assert "the last chunk is missing" in problem.message
    assert entries[-1].kind == "close"


def test_the_tail_is_kept_apart_and_its_id_is_not_committed() -> None:
    story = Story().request(0).response(5).read(10, b"id: 1\ndata: a\n\nid: 2\ndata: b").close(20, "eof")
    analysis, entries = analyse(story)
    turn = analysis.turns[0]
    assert turn.last_event_id == "1"
    assert turn.discarded_tail
    tail = next(entry for entry in entries if entry.kind == "tail")
    assert entry_json(tail)["text"] == "id: 2\ndata: b"
    assert entry_json(tail)["start"] == 15


def test_an_error_inside_the_stream_is_the_outcome() -> None:
    story = Story().request(0, dialect="openai-chat").response(10).read(20, token("par"))
    story.read(30, b'data: {"error":{"type":"server_error","code":500,"message":"out of memory"}}\n\n').close(
        31, "eof"
    )
    analysis, _ = analyse(story)
    problem = analysis.turns[0].conclusion.problem()
    assert analysis.turns[0].outcome == "error"
    assert problem is not None
    assert "out of memory" in problem.message


def test_bytes_without_a_clock_get_no_times_at_all() -> None:
    story = Story().read(0, token("a") + token("b")).close(0, "eof")
    analysis, entries = analyse(story, clock="none")
    result = result_json(analysis, analysis.turns[0])
    assert result["clocks"] is None
    assert result["gaps"] is None
    assert {entry_json(entry)["t_ms"] for entry in entries} == {None}
    assert result["text"] == "ab"


def test_a_compressed_body_is_read_through() -> None:
    coded = gzip.compress(token("zipped") + done())
    story = Story().request(0, dialect="openai-chat")
    story.response(5, headers=[("content-type", "text/event-stream"), ("content-encoding", "gzip")])
    for at in range(len(coded)):
        story.read(10 + at, coded[at : at + 1])
    analysis, _ = analyse(story.close(1000, "eof"))
    assert analysis.turns[0].answer.text == "zipped"
    assert analysis.turns[0].bytes == len(coded)


def test_an_oversized_event_is_a_problem_and_what_came_before_is_kept() -> None:
    story = Story().request(0, dialect="openai-chat").response(5)
    story.read(10, token("kept") + b"data: " + b"x" * 5000).read(20, b"y" * 5000)
    analysis, entries = analyse(story, max_event_bytes=4096)
    assert analysis.turns[0].answer.text == "kept"
    assert len(analysis.problems) == 1
    assert "4096" in analysis.problems[0] or "4,096" in analysis.problems[0]
    assert sum(entry.kind == "event" for entry in entries) == 1


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
def test_the_cut_of_the_reads_changes_nothing_but_the_times(size: int) -> None:
    whole = plain().body
    story = Story().request(0, dialect="openai-chat").response(1)
    for at in range(0, len(whole), size):
        story.read(2 + at, whole[at : at + size])
    analysis, entries = analyse(story.close(10_000, "eof"))
    reference, expected = analyse(plain())
    assert analysis.turns[0].answer.text == reference.turns[0].answer.text
    assert [e.item for e in entries if e.item] == [e.item for e in expected if e.item]


def test_several_turns_are_kept_apart() -> None:
    story = plain()
    story.request(1000, dialect="openai-chat").response(1010).read(1020, token("Second") + done()).close(
        1021, "eof"
    )
    analysis, _ = analyse(story)
    assert [turn.answer.text for turn in analysis.turns] == ["Hello you!", "Second"]
    assert result_json(analysis, analysis.turns[1])["clocks"]["ttft"] is not None


def test_a_turn_that_is_stopped_while_it_waits_to_reconnect_is_over() -> None:
    at: dict[str, Any] = {"turn": 1, "conn": 1}
    analysis = Analysis(Header(clock="read"))
    for record in (
        Request(t=0, method="GET", url="http://h/", headers=[], **at),
        Response(
            t=1, status=200, http_version="HTTP/1.1", headers=[("content-type", "text/event-stream")], **at
        ),
        chunk(2, b"id: 1\ndata: x\n\n", **at),
        Close(t=3, reason="fault", detail="", **at),
        Reconnect(t=4, delay_ms=500, last_event_id="1", policy="last-event-id", attempt=1, **at),
        Close(t=5, reason="client", detail="stopped while waiting to reconnect", **at),
    ):
        analysis.feed(record)
    (turn,) = analysis.turns
    assert (turn.over, turn.outcome, len(turn.connections)) == (True, "stopped", 1)


def test_a_turn_without_a_close_is_streaming_until_its_records_end_and_unfinished_afterwards() -> None:
    analysis, _ = analyse(Story().request(0, dialect="openai-chat").response(100).read(110, token("Hel")))
    (turn,) = analysis.turns
    assert turn.outcome == "streaming"
    analysis.finish()
    assert (turn.outcome, turn.outcome.complete, turn.outcome.failed) == ("unfinished", None, False)
    assert turn.conclusion.statement == "unfinished: the recording ends before the stream does"
    assert result_json(analysis, turn)["outcome"] == "unfinished"

"""Rules about time: buffering, heartbeats that are too rare, placeholders, and what looks like them and is healthy."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.recording.records import Header
from tests.analysis.story import Story
from tests.diagnosis import wires
from tests.diagnosis.telling import DONE, GOOD_HEADERS, STOP, Wire, chunk, findings, only, read, rules, text

FILTERED = chunk(content_filter_results={}) + text("ok ")
LOG = b'event: log\ndata: {"level":"info","msg":"x"}\n\n'


def bursts(
    sizes: Sequence[int],
    pause: float,
    *,
    event: bytes = text("tok "),
    reads: int = 1,
    dialect: str | None = "openai-chat",
    headers: Sequence[tuple[str, str]] = GOOD_HEADERS,
) -> Story:
    """So many events at a time, each time in this many reads within 4 ms, after a pause in ms."""
    wire, at = Wire().ask(dialect=dialect), 0.0
    wire.response(10, headers=headers)
    for size in sizes:
        at += pause
        for n in range(reads):
            wire.read(at + 4 * n / reads, event * (size // reads))
    return wire.read(at + 50, STOP + DONE).close(at + 51, "eof")


@pytest.mark.parametrize("reads", [1, 5, 20])
def test_buffering_shows_whatever_the_reads(reads: int) -> None:
    found = only(bursts([20] * 4, 2000, reads=reads), "proxy-buffering")
    assert found.severity == "warning"
    assert found.message.startswith(
        "4 of 5 times events came, several came at once (median 20, after a pause of 2.0 s)"
    )
    assert "proxy_http_version 1.1" in found.advice
    assert "X-Accel-Buffering" in found.advice


def test_the_counts_go_on_to_the_end() -> None:
    found = [f for f in findings(bursts([20] * 12, 2000, reads=5)) if f.rule == "proxy-buffering"]
    assert [f.message[:35] for f in found] == ["12 of 13 times events came, several"]


def test_it_is_said_while_the_stream_runs() -> None:
    assert "proxy-buffering" in rules(read(bursts([20] * 12, 2000, reads=5).records[:20]))


@pytest.mark.parametrize(
    "story",
    [
        bursts([6] * 20, 2000, event=LOG, dialect=None),
        bursts([60] * 10, 300),
        bursts([300] * 10, 900),
        wires.steady(60, 4),
        wires.steady(60, 40),
        bursts([1] * 20, 2000),
        bursts([3] * 20, 1000),
    ],
    ids=["a log", "a fast tick", "a faster slow tick", "a fast model", "a model", "a slow model", "threes"],
)
def test_what_only_looks_like_buffering(story: Story) -> None:
    assert not {"proxy-buffering", "fake-streaming"} & rules(story)


def test_a_filter_that_works_in_blocks_is_not_called_buffering() -> None:
    azure = [*GOOD_HEADERS, ("apim-request-id", "1")]
    found = only(bursts([7, 30, 12, 22, 9, 31], 900, headers=azure), "proxy-buffering")
    assert (found.severity, "content filter" in found.message) == ("info", True)
    found = only(bursts([8, 30, 12, 22], 900, event=FILTERED, dialect=None), "proxy-buffering")
    assert found.severity == "info" or "content filter" in found.message


def test_a_read_that_waited_on_our_side_is_no_burst() -> None:
    wire = Wire().ask(dialect="openai-chat").good(10)
    for n in range(1, 8):
        wire.read(1000.0 * n, text("a") * 10, waited=900)
    assert "proxy-buffering" not in rules(wire.read(7100, STOP + DONE).close(7101, "eof"))


def test_what_a_resumed_stream_catches_up_with_is_no_burst() -> None:
    wire = Wire().ask(dialect="openai-chat").good(10)
    at, number = 100.0, 0
    for conn in range(5):
        if conn:
            headers = [("Last-Event-ID", str(number))]
            wire.close(at, "reset").waits(at, last_event_id=str(number))
            wire.ask(at + 1000, again=True, dialect="openai-chat", headers=headers).good(at + 1010)
            at += 2500
        for _ in range(20 if conn else 0):
            number += 1
            wire.read(at, b"id: %d\n" % number + text("a"))
        for _ in range(20):
            number, at = number + 1, at + 30
            wire.read(at, b"id: %d\n" % number + text("a"))
    assert not {"proxy-buffering", "fake-streaming"} & rules(wire.read(at, STOP + DONE).close(at + 1, "eof"))


def test_only_what_came_at_the_end_was_held_to_the_end() -> None:
    wire = Wire().ask(dialect="openai-chat").good(10).read(3000, text("a") * 60)
    held = wire.read(3001, STOP + DONE).close(3002, "eof")
    assert "held back until it ended" in only(held, "proxy-buffering").message
    assert "fake-streaming" not in rules(held)
    wire = Wire().ask(dialect="openai-chat").good(10).read(3000, text("a") * 60)
    assert "proxy-buffering" not in rules(wire.read(90_000, text("b") + STOP + DONE).close(90_001, "eof"))
    wire = Wire().ask(dialect="openai-chat").good(10).read(3000, text("a") * 60)
    assert "proxy-buffering" not in rules(wire.close(3001, "client"))


def test_a_short_answer_may_come_whole() -> None:
    wire = (
        Wire()
        .ask(dialect="openai-chat")
        .good(10)
        .read(2500, text("Yes.") + STOP + chunk(choices=[]) * 3 + DONE)
    )
    assert not {"proxy-buffering", "fake-streaming"} & rules(wire.close(2501, "eof"))


def test_a_beginning_that_was_held_back() -> None:
    wire, at = Wire().ask(dialect="openai-chat").good(10).read(3000, text("a") * 30), 3000.0
    for _ in range(60):
        at += 40
        wire.read(at, text("a"))
    found = only(wire.read(at, STOP + DONE).close(at + 1, "eof"), "proxy-buffering")
    assert found.severity == "info"
    assert found.message.startswith("The first 30 events came at once, the others one by one, 40 ms apart")


def turns(*pairs: tuple[float, float]) -> Story:
    """Turns of a hundred tokens, each with its TTFT and the gap between tokens, ms."""
    wire, at = Wire(), 0.0
    for ttft, gap in pairs:
        wire.ask(at, dialect="openai-chat").good(at + 10)
        at += ttft
        for _ in range(100):
            wire.read(at, text("a"))
            at += gap
        wire.read(at, STOP + DONE).close(at + 1, "eof")
        at += 1000
    return wire


def test_a_later_start_and_a_faster_rest_than_in_other_turns() -> None:
    found = only(turns((500, 35), (600, 34), (550, 36), (3000, 11)), "proxy-buffering")
    assert (found.severity, found.turn) == ("info", 4)
    assert "proxy-buffering" not in rules(turns((500, 35), (600, 34), (550, 36), (3000, 35)))
    assert "proxy-buffering" not in rules(turns((500, 35), (600, 34), (550, 36), (500, 11)))


def test_a_fast_model_after_a_long_wait_is_only_a_note() -> None:
    wire = Wire().ask(dialect="openai-chat").good(10)
    for n in range(40):
        wire.read(2500 + 3.0 * n, text("a"))
    assert only(wire.close(2620, "eof"), "fake-streaming").severity == "info"
    assert only(wires.at_the_end(5000, 100), "fake-streaming").severity == "warning"


def beating(every: float, beat: bytes = b": hb\n\n") -> Story:
    wire = Wire().ask().good(10).read(30, b"data: a\n\n")
    for n in range(1, 6):
        wire.read(30 + every * n, beat).read(35 + every * n, b"data: a\n\n")
    return wire


@pytest.mark.parametrize("every", [14_000, 15_000, 15_900, 17_500, 20_000, 29_000])
def test_silence_with_heartbeats_is_not_idle(every: float) -> None:
    assert "idle-gap" not in rules(beating(every))


@pytest.mark.parametrize(("every", "severity"), [(30_100, "info"), (61_000, "warning")])
def test_heartbeats_that_are_too_rare(every: float, severity: str) -> None:
    found = only(beating(every), "idle-gap")
    assert (found.severity, "The heartbeat came only after" in found.message) == (severity, True)


def test_silence_without_them_is() -> None:
    assert "not even a comment" in only(beating(19_000, b"data: b\n\n"), "idle-gap").message
    assert "idle-gap" not in rules(beating(17_000, b"data: b\n\n"))


def test_a_stall_is_one_finding_with_the_last_figures() -> None:
    stalls = [f for f in findings(wires.stalled(200)) if f.rule == "keepalive-masked-stall"]
    assert [(f.severity, f.count) for f in stalls] == [("error", 1)]
    assert stalls[0].message.startswith("No progress for 200 s, while 40 heartbeats arrived")


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_a_redirect_sends_a_request_on_and_not_again(code: int) -> None:
    wire = Wire().ask(method="POST")
    wire.response(5, code, [("Location", "/v2")]).close(6, "client", "redirected")
    wire.ask(7, again=True, method="POST").good(10).read(20, b"data: a\n\n").close(30, "eof")
    assert "unsafe-retry" not in rules(wire)
    assert "unsafe-retry" in rules(wire.waits(30).ask(1030, again=True, method="POST"))


ASKED = '{"stream":true,"stream_options":{"include_usage":true}}'


def resumed(end: bytes) -> Story:
    """An answer that is cut by an injected fault and resumed."""
    wire = Wire().ask(method="POST", dialect="openai-chat", body=ASKED).good(10)
    for n in range(5):
        wire.read(100 + 30.0 * n, b"id: s-%d\n" % n + text("a"))
    wire.close(250, "fault", "cut on purpose").waits(250, 200, last_event_id="s-4")
    headers = [("Last-Event-ID", "s-4")]
    wire.ask(450, again=True, method="POST", headers=headers, body=ASKED, dialect="openai-chat").good(460)
    for n in range(5, 8):
        wire.read(500 + 30.0 * n, b"id: s-%d\n" % n + text("a"))
    return wire.read(800, end).close(801, "eof")


def test_a_resumed_turn_is_judged_as_a_whole() -> None:
    counts = {"prompt_tokens": 3, "completion_tokens": 8}
    end = b"id: s-8\n" + STOP + b"id: s-9\n" + chunk(choices=[], usage=counts) + b"id: s-10\n" + DONE
    found = findings(resumed(end))
    assert [f.rule for f in found if f.severity != "info"] == []
    assert "usage-missing" not in {f.rule for f in found}
    missing = only(resumed(b"id: s-8\n" + STOP + b"id: s-9\n" + DONE), "usage-missing")
    assert (missing.severity, missing.conn) == ("info", 2)


def test_a_cut_answer_need_not_have_counts() -> None:
    wire = Wire().ask(method="POST", dialect="openai-chat", body=ASKED).good(10)
    found = findings(wire.read(100, text("a") * 3).close(110, "reset"))
    assert {f.rule: f.severity for f in found} == {"truncated-stream": "error", "usage-missing": "info"}


WORDY = text("The quick brown fox")


def test_several_tokens_a_chunk_is_said_from_the_third_on() -> None:
    wire = Wire().ask(dialect="openai-chat").good(10).read(100, WORDY).read(200, WORDY)
    assert "chunk-not-token" not in {f.rule for f in read(wire.records).findings}
    assert "first 3 chunks" in only(wire.read(300, WORDY), "chunk-not-token").message
    running = [
        chunk({"content": "a"}, usage={"prompt_tokens": 1, "completion_tokens": 4 * n}) for n in (1, 2, 3)
    ]
    wire = Wire().ask(dialect="openai-chat").good(10)
    for n, event in enumerate(running):
        wire.read(100.0 * n, event)
    live = Analysis(Header())
    for record in wire.records:
        live.feed(record)
    said = [f.message for f in live.findings if f.rule == "chunk-not-token"]
    assert [message[:34] for message in said] == ["12 tokens have arrived in 3 token "]
    wire = Wire().ask(dialect="openai-chat").good(10)
    for n in range(12):
        wire.read(100.0 * n, text(" word"))
    assert "chunk-not-token" not in rules(wire)


def test_the_counts_replace_what_the_words_showed() -> None:
    counts = {"prompt_tokens": 1, "completion_tokens": 40}
    body = WORDY * 8 + STOP + chunk(choices=[], usage=counts) + DONE
    found = [f for f in findings(body) if f.rule == "chunk-not-token"]
    assert [f.message[:50] for f in found] == ["40 output tokens arrived in 8 token events, 5.00 p"]


PLACEHOLDERS = [
    "Thinking...",
    "Thinking…",
    " Processing… ",
    "> *Searching the web...*\n\n",
    "Please wait...",
    "思考中…",
]


@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
def test_placeholders_before_the_answer(placeholder: str) -> None:
    wire = Wire().ask(dialect="openai-chat").good(10).read(100, text(placeholder))
    found = only(wire.read(4000, text("Paris")), "placeholder-content")
    assert (found.severity, found.event, found.evidence["chunks"]) == ("warning", 1, 1)
    assert "--ignore-content" in found.advice


def test_placeholders_are_counted_to_the_end() -> None:
    wire = Wire().ask(dialect="openai-chat").good(10)
    for n in range(1, 20):
        wire.read(5000.0 * n, text(": OPENROUTER PROCESSING\n\n"))
    found = [f for f in findings(wire.read(100_000, text("Paris"))) if f.rule == "placeholder-content"]
    assert [f.message[:21] for f in found] == ["19 chunks held a plac"]


def test_the_id_of_a_chunk_may_say_it() -> None:
    keepalive = chunk({"content": ""}, id="chatcmpl-keepalive")
    found = only(keepalive + text("Paris") + STOP + DONE, "placeholder-content")
    assert (found.severity, "'chatcmpl-keepalive'" in found.message) == ("info", True)
    loud = chunk({"content": "..."}, id="chatcmpl-keepalive")
    assert only(loud + text("Paris") + STOP + DONE, "placeholder-content").severity == "warning"


@pytest.mark.parametrize(
    "body",
    [
        text("Loading...") + STOP + DONE,
        text("Paris") + text("Thinking...") + STOP + DONE,
        text("Thinking") + text("...") + text("yes") + STOP + DONE,
        text("I am thinking...") + text("yes") + STOP + DONE,
        chunk({"reasoning_content": "Thinking..."}) + text("Paris") + STOP + DONE,
        b"data: Loading...\n\ndata: x\n\n",
    ],
)
def test_an_answer_that_reads_like_one_is_none(body: bytes) -> None:
    assert "placeholder-content" not in rules(body)


# Public reports, rebuilt.


def test_a_space_instead_of_a_first_token() -> None:
    """elevenlabs/packages#1005: empty deltas every 2 s kept no watchdog quiet, a single space did, 8.6 s ahead."""
    wire = Wire().ask(dialect="openai-chat").good(10)
    for n in range(1, 4):
        wire.read(2000.0 * n, chunk({}))
    wire.read(6780, text(" ")).read(15_390, text("Good")).read(15_420, text(" morning")).close(
        15_430, "client"
    )
    found = only(wire, "placeholder-content")
    assert (found.severity, found.event) == ("info", 4)
    assert "nothing but white space" in found.message
    wire = Wire().ask(dialect="openai-chat").good(10).read(2000, text("\n\n")).read(2900, text("Good"))
    assert "placeholder-content" not in rules(wire)


def test_role_chunks_and_empty_chunks_that_postpone_a_watchdog() -> None:
    """NousResearch/hermes-agent#103571: chunks without progress reset the timer for stale streams."""
    beats = [
        chunk({"role": "assistant"}),
        chunk({}),
        text(""),
        chunk({"content": None, "tool_calls": None}),
    ]
    wire, at = Wire().ask(dialect="openai-chat").good(10).read(500, text("Let me")), 500.0
    for beat in beats * 5:
        at += 10_000
        wire.read(at, beat)
    found = only(wire, "keepalive-masked-stall")
    assert (found.severity, found.evidence["progress_idle_s"]) == ("error", 200.0)


def test_a_feed_in_the_buffer_of_a_proxy() -> None:
    """status-im/nimbus-eth2#8830: an event every 12 s, which nginx hands on when 4 KiB are full."""
    event = b"event: head\ndata: " + b"x" * 520 + b"\n\n"
    body, wire, at = event * 64, Wire().ask().good(10), 0.0
    for start in range(0, len(body), 4096):
        at += 91_000
        wire.read(at, body[start : start + 4096])
    found = only(wire, "proxy-buffering")
    assert (found.severity, "as when a buffer is full" in found.message) == ("warning", True)


def test_a_hop_that_makes_the_gaps_shorter_and_the_first_token_later() -> None:
    """confidential-dot-ai/c8s#140: TTFT 22 ms and 5.5 ms a token directly, 287 ms and 1.6 ms through nginx."""
    found = only(turns((22, 5.5), (23, 5.4), (22, 5.6), (287, 1.6)), "proxy-buffering")
    assert (found.turn, found.severity) == (4, "info")

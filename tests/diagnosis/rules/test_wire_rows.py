"""Reported bugs that need a server which misbehaves: each story gives the findings of the rules that cover it.

The numbers are those of the same list as for the bytes.
"""

from __future__ import annotations

import zlib

import msgspec
import pytest

from sse_tui.diagnosis import Finding
from tests.analysis.story import Story
from tests.diagnosis import wires
from tests.diagnosis.telling import DONE, GOOD_HEADERS, STOP, Wire, chunk, findings, only, rules, text


def gzipped() -> Story:
    """Row 73: five events a second apart come in one read when the compressor is closed."""
    wire = Wire().ask()
    wire.response(10, headers=[*GOOD_HEADERS, ("Content-Encoding", "gzip"), ("Via", "1.1 proxy")])
    packer = zlib.compressobj(wbits=31)
    body = packer.compress(b"".join(b"data: %d\n\n" % n for n in range(5))) + packer.flush()
    return wire.read(5000, body).close(5001, "eof")


def one_read_at_close() -> Story:
    """Row 74: a tunnel that passes the body on once it is complete."""
    wire = Wire().ask()
    wire.response(10, headers=[*GOOD_HEADERS, ("Server", "cloudflare"), ("CF-Ray", "1")])
    return wire.read(5000, b"".join(b"data: %d\n\n" % n for n in range(5))).close(5001, "eof")


def reset_by_http2(detail: str) -> Story:
    """Row 76: RST_STREAM or GOAWAY after an event."""
    return Wire().ask().good().read(10, b"data: a\n\n").close(20, "reset", detail)


def reader_of_512_bytes() -> Story:
    """Row 79: events of 20 bytes, 100 ms apart, and a reader that wakes for 512 bytes only."""
    wire = Wire().ask().good()
    for n in range(1, 5):
        wire.read(2500.0 * n, b"data: 0123456789ab\n\n" * 25)
    return wire.close(10_001, "client")


def asked_again_after_the_end() -> Story:
    """Row 82: a POST that is sent again after its [DONE]."""
    wire = Wire().ask(method="POST", dialect="openai-chat").good()
    wire.read(10, text("a") + STOP + DONE).close(11, "eof").waits(11)
    return wire.ask(1011, again=True, method="POST", dialect="openai-chat").good(1012)


def stale_id() -> Story:
    """Row 83: the second reconnect sends the id of the first."""
    wire = Wire().ask().good().read(10, b"id: 1\ndata: a\n\n").close(20, "reset").waits(20, last_event_id="1")
    wire.ask(1020, again=True, headers=[("Last-Event-ID", "1")]).good(1030)
    wire.read(1040, b"id: 2\ndata: b\n\n").close(1050, "reset").waits(1050, last_event_id="1")
    return wire.ask(2050, again=True, headers=[("Last-Event-ID", "1")]).good(2060)


def history_again() -> Story:
    """Row 85: no ids, and every connection starts with the same events."""
    wire = Wire()
    for n in range(2):
        at = 1000.0 * n
        wire.ask(at, again=n > 0).good(at + 1).read(at + 2, b"data: 1\n\ndata: 2\n\n")
        wire.close(at + 3, "eof").waits(at + 3)
    return wire


def suffix() -> Story:
    """Row 91: a stream that starts at number 42."""
    event = b'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":42}\n\n'
    return Wire().ask(dialect="openai-responses").good().read(10, event).close(11, "client")


def hidden_thinking() -> Story:
    """Row 97: the reasoning is counted and not shown, and the first token comes late."""
    usage = {
        "prompt_tokens": 3,
        "completion_tokens": 101,
        "completion_tokens_details": {"reasoning_tokens": 100},
    }
    wire = Wire().ask(dialect="openai-chat").good().read(20_000, text("a"))
    return wire.read(20_010, STOP + chunk(choices=[], usage=usage) + DONE).close(20_011, "eof")


def several_tokens_an_event() -> Story:
    """Row 100: four tokens in every event, 90 ms apart."""
    wire = Wire().ask(dialect="openai-chat").good()
    for n in range(12):
        wire.read(100 + 90.0 * n, text("four token"))
    usage = {"prompt_tokens": 3, "completion_tokens": 48}
    return wire.read(1300, STOP + chunk(choices=[], usage=usage) + DONE).close(1301, "eof")


def silent_server_without_usage() -> Story:
    """Row 104: usage was requested, but there is none."""
    wire = Wire().ask(
        method="POST", dialect="openai-chat", body='{"stream":true,"stream_options":{"include_usage":true}}'
    )
    return wire.good().read(10, text("a") + STOP + DONE).close(11, "eof")


ROWS: dict[str, tuple[Story, set[str]]] = {
    "70": (wires.stalled(60), {"keepalive-masked-stall", "heartbeat-form"}),
    "71": (
        Wire().ask().good().read(20_000, b": hb\n\n").read(40_000, b": hb\n\n").read(60_000, b": hb\n\n"),
        {"keepalive-masked-stall"},
    ),
    "73": (gzipped(), {"compressed-stream", "proxy-buffering"}),
    "74": (one_read_at_close(), {"proxy-buffering"}),
    "76, RST_STREAM": (reset_by_http2("RST_STREAM INTERNAL_ERROR"), {"truncated-stream"}),
    "76, GOAWAY": (reset_by_http2("GOAWAY"), {"truncated-stream"}),
    "77": (wires.cut_at(100_000, 100_000, 100_000), {"periodic-cut"}),
    "79": (reader_of_512_bytes(), {"proxy-buffering"}),
    "80": (wires.polled(b"llamacpp:requests_processing 1\n"), {"server-keeps-generating"}),
    "82": (asked_again_after_the_end(), {"unsafe-retry"}),
    "83, missing": (wires.asked_twice("GET", with_ids=True), {"lost-resume-token"}),
    "83, stale": (stale_id(), {"lost-resume-token"}),
    "85": (history_again(), {"resume-unsupported"}),
    "89": (wires.storm(10, 50), {"reconnect-storm", "retry-zero"}),
    "91": (suffix(), {"resume-gap"}),
    "94": (wires.resumed(b"id: 9\ndata: i\n\n"), {"resume-gap"}),
    "95": (wires.late_token(3000), {"ttft-on-empty-chunk"}),
    "97": (hidden_thinking(), {"thinking-hidden"}),
    "98": (wires.at_the_end(5000, 100), {"fake-streaming"}),
    "100": (several_tokens_an_event(), {"chunk-not-token"}),
    "104": (silent_server_without_usage(), {"usage-missing"}),
    "106": (wires.late_token(1000), {"ttft-on-empty-chunk"}),
}


@pytest.mark.parametrize("row", ROWS)
def test_the_story_gives_that_finding(row: str) -> None:
    story, expected = ROWS[row]
    assert expected <= rules(story)


def test_a_stall_becomes_an_error_after_two_minutes() -> None:
    assert only(wires.stalled(60), "keepalive-masked-stall").severity == "warning"
    late = only(wires.stalled(130), "keepalive-masked-stall")
    assert late.severity == "error"
    assert late.evidence["progress_idle_s"] >= 120


def test_a_cut_after_which_the_rest_came_is_only_a_note() -> None:
    cut = only(wires.resumed(b"id: 4\ndata: d\n\n"), "truncated-stream")
    assert (cut.severity, cut.conn, cut.evidence["reconnected"]) == ("info", 1, True)
    assert "nothing is missing" in cut.message


def test_a_cut_after_which_something_is_missing_stays_a_warning() -> None:
    cut = only(wires.resumed(b"id: 9\ndata: d\n\n"), "truncated-stream")
    assert (cut.severity, cut.conn) == ("warning", 1)


def test_a_cut_that_could_not_be_resumed_is_an_error_after_all() -> None:
    wire = Wire().ask(dialect="openai-chat").good().read(10, text("a")).close(20, "reset").waits(20)
    wire.ask(1020, again=True, dialect="openai-chat").close(1030, "error", "Connection refused.")
    cut = only(wire, "truncated-stream")
    assert (cut.severity, cut.conn, cut.evidence["resumed"]) == ("error", 1, False)


def test_the_message_has_the_numbers() -> None:
    gap = only(wires.resumed(b"id: 9\ndata: i\n\n"), "resume-gap")
    assert gap.evidence["missing"] == 5
    assert "5 events" in gap.message
    periodic = only(wires.cut_at(100_000, 100_000, 100_000), "periodic-cut")
    assert "Cloudflare" in periodic.message
    assert periodic.evidence["ages_s"] == [100.0, 100.0]


def test_the_answer_names_where_it_goes_on() -> None:
    wire = Wire().ask().good().read(10, wires.ABC).close(20, "reset").waits(20, last_event_id="3")
    wire.ask(1020, again=True, headers=[("Last-Event-ID", "3")])
    wire.response(1030, headers=[*GOOD_HEADERS, ("Last-Event-ID", "7")])
    gap = only(wire, "resume-gap")
    assert gap.evidence == {"asked": "3", "answered": "7"}


def test_a_misleading_end_marker_is_told() -> None:
    body = text("a") + b'data: {"error":{"message":"overloaded"}}\n\n' + DONE
    finding = only(body, "in-band-error")
    assert finding.evidence["followed_by_end_marker"] is True
    assert finding.evidence["retryable"] is True
    assert finding.evidence["token_events_before"] == 1


@pytest.mark.parametrize(
    ("status", "delay_ms", "fires"),
    [(404, 1000, True), (410, 1000, True), (503, 1000, False), (503, 10, True)],
)
def test_what_may_be_asked_again(status: int, delay_ms: float, fires: bool) -> None:
    story = wires.refused(status, retry_after="1" if status == 503 else "", delay_ms=delay_ms)
    assert ("status-stop-vs-retry" in rules(story)) is fires


def test_a_refused_stream_that_nobody_asked_for_again() -> None:
    wire = Wire().ask()
    wire.response(5, 429, [("Retry-After", "2")]).close(6, "refused")
    wire.end(10)
    finding = only(wire, "status-stop-vs-retry")
    assert finding.severity == "info"
    assert "after 2 s" in finding.message


def test_a_character_that_the_server_cut_in_two() -> None:
    halves = [b'data: {"a":"\xf0\x9f"}\n\n', b'data: {"a":"\x98\x80"}\n\n']
    found: list[Finding] = [f for f in findings(halves) if f.rule == "invalid-utf8"]
    assert [f.evidence.get("halves") for f in found] == [None, "f09f9880"]
    assert [f.raw for f in found] == [b"\xf0\x9f", b"\x98\x80"]


def test_times_that_mean_nothing_give_no_finding() -> None:
    from tests.diagnosis.telling import read

    timing = {"idle-gap", "proxy-buffering", "fake-streaming", "periodic-cut", "ttft-on-empty-chunk"}
    timing |= {"keepalive-masked-stall", "reconnect-storm"}
    for story, _ in ROWS.values():
        assert not timing & {f.rule for f in read(story.records, clock="none").findings}


def test_an_event_over_the_readers_limit_is_told() -> None:
    from sse_tui.analysis.analysis import Analysis
    from sse_tui.recording.records import Header

    analysis = Analysis(Header(), max_event_bytes=100_000)
    for record in Wire().ask().good().read(10, b"data: a\n\n" + b"data: " + 200_000 * b"x").records:
        analysis.feed(record)
    finding = only(analysis, "oversized-event")
    assert (finding.start, finding.t) == (9, 10_000_000)
    assert finding.evidence["bytes"] > 100_000


def test_the_text_of_a_refusal_is_no_stream() -> None:
    wire = Wire().ask()
    wire.response(5, 404, [("Content-Type", "application/json")])
    wire.read(6, b'{"error":{"message":"no such model"}}').close(7, "refused")
    assert rules(wire) == {"failed-request"}


def test_lines_of_json_are_named_and_not_blamed() -> None:
    line = b'{"model":"m","message":{"role":"assistant","content":"Hi"},"done":%s}\n'
    body = line % b"false" + line % b"true"
    found = findings([body])
    assert [(f.rule, f.severity) for f in found if f.rule != "usage-missing"] == [
        ("wrong-content-type", "info")
    ]
    assert "JSON lines" in found[0].message


def test_an_event_stream_without_its_field_names_is_an_error() -> None:
    lines = text("a")[6:-1] * 3
    assert only([lines], "wrong-content-type").severity == "warning"  # it may have come as JSON lines
    wire = Wire().ask().good().read(10, lines).close(20, "eof")
    assert only(wire, "wrong-content-type").severity == "error"


def test_a_page_is_a_problem_of_its_turn() -> None:
    from tests.diagnosis.telling import of_bytes

    turn = of_bytes(b"<html><body>502</body></html>\n").turn
    assert turn is not None
    problem = turn.conclusion.problem()
    assert problem is not None
    assert (problem.code, type(problem).__name__) == ("not-an-event-stream", "HttpError")


def test_what_a_server_says_is_quoted_printably() -> None:
    message = only(b'data: {"error":{"message":"\\u001b[31mred\\u0007\\ud800"}}\n\n', "in-band-error").message
    assert message.isprintable()
    assert "\\x1b[31mred\\x07" in message


@pytest.mark.parametrize(("policy", "severity"), [("always", "info"), ("last-event-id", "error")])
def test_a_resend_that_the_user_asked_for_is_not_an_error(policy: str, severity: str) -> None:
    wire = Wire().ask(method="POST").good().read(10, b"data: a\n\n").close(20, "reset")
    wire.waits(20)
    wire.records[-1] = msgspec.structs.replace(wire.records[-1], policy=policy)
    assert only(wire.ask(1020, again=True, method="POST"), "unsafe-retry").severity == severity


@pytest.mark.parametrize(("dialect", "fires"), [("mcp", False), ("openai-chat", True)])
def test_a_json_answer_is_fine_in_mcp(dialect: str, fires: bool) -> None:
    wire = Wire().ask(method="POST", dialect=dialect)
    wire.response(5, headers=[("Content-Type", "application/json")])
    assert ("wrong-content-type" in rules(wire)) is fires

"""Wrong framing is named while the stream runs, once, and the finding grows with it."""

from __future__ import annotations

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.diagnosis import Finding
from sse_tui.recording.records import Header
from tests.diagnosis.cases.framing import ANTHROPIC, lines, payload
from tests.diagnosis.telling import Wire, only, read, text


def by_read(story: Wire, rule: str) -> list[tuple[int, str]]:
    """After each record: how many findings of the rule there are, and what the first says."""
    analysis = Analysis(Header())
    seen: list[tuple[int, str]] = []
    for record in story.records:
        analysis.feed(record)
        assert analysis.turn is None or analysis.turn.findings == analysis.findings
        found: list[Finding] = [f for f in analysis.findings if f.rule == rule]
        seen.append((len(found), found[0].message if found else ""))
    analysis.finish()
    assert analysis.diagnosis.internal_errors == []
    return seen


def told(*pieces: bytes, gap: float = 50) -> Wire:
    story = Wire().ask().good()
    for at, piece in enumerate(pieces):
        story.read(10 + gap * at, piece)
    return story.close(10 + gap * len(pieces), "eof")


def test_missing_blank_lines_show_with_the_second_chunk() -> None:
    words = [lines(payload(word)) for word in ("a", "b", "c", "d", "e", "f", "g", "h")]
    seen = by_read(told(*words), "missing-blank-lines")
    # Two records before the first read; a block is looked at again when it has grown by half.
    assert [count for count, _ in seen] == [0, 0, 0, *[1] * 8]
    assert '2 chunks: "ab"' in seen[3][1]
    assert '5 chunks: "abcde"' in seen[6][1]
    assert '8 chunks: "abcdefgh"' in seen[-1][1]


def test_in_one_read_they_show_at_once() -> None:
    named = "".join(f"event: {name}\ndata: {data}\n" for name, data in ANTHROPIC).encode()
    assert [count for count, _ in by_read(told(named), "missing-blank-lines")] == [0, 0, 1, 1]


def test_a_chunk_cut_by_a_read_is_not_missing_anything() -> None:
    pieces = [text("hello"), *(text("world")[at : at + 40] for at in range(0, len(text("world")), 40))]
    assert all(count == 0 for count, _ in by_read(told(*pieces), "missing-blank-lines"))


def test_lines_of_text_need_time_to_be_more_than_one_event() -> None:
    pieces = [b"data: " + word + b"\n" for word in (b"some words " * 4, b"more words " * 4, b"and more " * 6)]
    slow, quick = told(*pieces, gap=1500), told(*pieces, b"\n", gap=1)
    assert [count for count, _ in by_read(slow, "missing-blank-lines")] == [0, 0, 0, 0, 1, 1]
    assert all(count == 0 for count, _ in by_read(quick, "missing-blank-lines"))


def test_a_stream_without_any_line_end_is_named_while_it_runs() -> None:
    chunks = [rf"data: {payload(word)}\n\n".encode() for word in ("a", "b", "c", "d")]
    seen = by_read(told(*chunks), "escaped-line-ends")
    assert seen[2][0] == 1
    assert '4 chunks: "abcd"' in seen[-1][1]


@pytest.mark.parametrize(
    ("piece", "rule", "count"),
    [
        (lines("data: " + payload("a"), end="\n\n"), "wrapped-twice", 5),
        (f"Data: {payload('a')}\n\n".encode(), "unknown-field", 5),
        (b"data: <p>\nhi\n</p>\n\n", "unknown-field", 10),
        (b"data:a\n\ndata: b\n\n", "stripped-spaces", 5),
    ],
)
def test_one_finding_counts_all_of_them(piece: bytes, rule: str, count: int) -> None:
    story = told(*[piece] * 5)
    seen = by_read(story, rule)
    assert [many for many, _ in seen if many > 1] == []
    assert seen[4][0] == 1
    assert only(read(story.records), rule).count == count


def test_a_truncated_body_says_where() -> None:
    story = Wire().ask(dialect="openai-chat").good().read(10, b"id: 7\n" + text("a") + b"data: {")
    cut = only(story.close(4010, "reset", "the connection was reset"), "truncated-stream")
    size = len(text("a")) + len(b"id: 7\n")
    assert f"The body ends after {size + 7} bytes, the last 7 of an unfinished event" in cut.message
    assert "the last event is number 1 (message) with the id '7'" in cut.message
    assert "nothing came for 4.0 s before the end" in cut.message
    wanted = {"offset": size + 7, "pending": 7, "last_event": 1, "last_id": "7", "last_type": "message"}
    assert wanted.items() <= cut.evidence.items()
    assert (cut.evidence["silence_ms"], cut.evidence["reason"]) == (4000.0, "reset")


@pytest.mark.parametrize(
    ("tail", "ends"),
    [
        (b"dat", "inside the name of a field, 'dat'"),
        (b"data: par", "inside the line of a data field"),
        (b'data: {"a":', "inside the JSON of a data field"),
        (b'data: {"a": 1}\n', "after a whole line"),
        (b"data: \xf0\x9f", "inside a character"),
    ],
)
def test_an_unterminated_tail_says_inside_what(tail: bytes, ends: str) -> None:
    assert ends in only(text("a") + tail, "unterminated-tail").message


def test_reads_inside_characters_and_line_ends_are_counted() -> None:
    story = Wire().ask().good()
    for at, piece in enumerate((b"data: \xc3", b"\xa9\r", b"\n\r\ndata: \xe2\x82", b"\xac\r", b"\n\r\n")):
        story.read(10 + at, piece)
    story.close(20, "eof")
    assert only(story, "split-character").evidence == {"reads": 2}
    ends = [f for f in read(story.records).findings if f.rule == "line-endings"]
    assert [f.evidence["reads"] for f in ends if f.evidence["kind"] == "split"] == [2]


def test_a_large_event_is_not_also_truncated() -> None:
    story = told(text("a"), b"data: " + b"x" * 3000)
    analysis = Analysis(Header(), max_event_bytes=1000)
    for record in story.records:
        analysis.feed(record)
    named = {finding.rule for finding in analysis.findings}
    assert "oversized-event" in named
    assert not named & {"truncated-stream", "unterminated-tail", "missing-blank-lines"}
    assert "[recording]" in only(analysis, "oversized-event").advice

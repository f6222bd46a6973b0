"""The parser gives what the standard says, the same for every way of cutting the bytes."""

from __future__ import annotations

import importlib.util
import json
import random
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sse_tui.eventstream
from sse_tui.errors import StreamError
from sse_tui.eventstream import (
    RETRY_MAX,
    Comment,
    Event,
    EventTooLarge,
    Ignored,
    Item,
    NoData,
    Parser,
    Retry,
    Tail,
)
from tests.samples import folders


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


VECTORS = _load("vectors").VECTORS
interpret = _load("reference").interpret


def parse(
    pieces: Sequence[bytes | bytearray | memoryview], seed: str = "", limit: int = 2**24
) -> tuple[list[Item], Parser]:
    parser = Parser(limit=limit, last_event_id=seed)
    items: list[Item] = []
    for piece in pieces:
        items += parser.feed(piece)
    return items + parser.close(), parser


def each_byte(body: bytes) -> list[bytes]:
    return [body[i : i + 1] for i in range(len(body))]


def random_pieces(body: bytes, rng: random.Random) -> list[bytes]:
    cuts = sorted(rng.choices(range(len(body) + 1), k=rng.randint(1, 8)))
    return [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]


def chunkings(body: bytes, rng: random.Random) -> list[list[bytes]]:
    step = max(1, len(body) // 400)
    in_two = [[body[:i], body[i:]] for i in range(0, len(body) + 1, step)]
    return [each_byte(body), *in_two, *(random_pieces(body, rng) for _ in range(20))]


def short(item: Item) -> tuple[Any, ...]:
    match item:
        case Event():
            return ("e", item.data, item.type, item.id)
        case Comment():
            return (":", item.text)
        case Retry():
            return ("r", item.ms)
        case Ignored():
            return ("?", item.line)
        case NoData():
            return ("0", item.type, item.id)
        case Tail():
            return ("t", item.text)


def full(form: tuple[Any, ...]) -> tuple[Any, ...]:
    """An event's short form with what it leaves out: ordinary type, no id."""
    return form + ("", "", "message", "")[len(form) :] if form[0] == "e" else form


# -- What the standard says


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: v.name)
def test_vector(vector: Any) -> None:
    items, parser = parse([vector.body], vector.seed)
    assert [short(item) for item in items] == [full(form) for form in vector.items]
    assert parser.last_event_id == vector.last_event_id
    assert parser.retry == vector.retry
    assert parser.offset == len(vector.body)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: v.name)
def test_vector_is_the_same_for_every_chunking(vector: Any) -> None:
    whole, of_whole = parse([vector.body], vector.seed)
    for pieces in chunkings(vector.body, random.Random(vector.name)):
        items, parser = parse(pieces, vector.seed)
        assert items == whole, pieces
        assert (parser.last_event_id, parser.retry, parser.offset) == (
            of_whole.last_event_id,
            of_whole.retry,
            of_whole.offset,
        )


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: v.name)
def test_reference_agrees_with_vector(vector: Any) -> None:
    if len(vector.body) < 4000:  # its int() has no cure for thousands of digits
        assert interpret(vector.body, vector.seed) == parse([vector.body], vector.seed)[0]


def test_vectors_cover_the_checklist() -> None:
    marks = {vector.name.split()[0] for vector in VECTORS}
    lines = "D1 D2 D3 D4 L1 L2 L3 L4 P1 P2 P3 P4 P5 P6 F1 F2 F3 F4 E1 E1b E2 E3 E5 E7 E8"
    assert set(lines.split()) <= marks
    assert len({vector.name for vector in VECTORS}) == len(VECTORS)


@pytest.mark.parametrize("folder", folders("vectors"), ids=lambda folder: folder.parent.name)
def test_vectors_of_other_interpreters(folder: Any) -> None:
    vectors = json.loads((folder / "event_stream.json").read_text("utf-8"))["vectors"]
    assert len(vectors) > 60
    for vector in vectors:
        body, expect = bytes.fromhex(vector["hex"]), vector["expect"]
        whole, _ = parse([body])
        for pieces in [[body], *chunkings(body, random.Random(vector["name"]))]:
            items, parser = parse(pieces)
            assert items == whole, vector["name"]
            assert {
                "events": [
                    {"type": i.type, "data": i.data, "id": i.id} for i in items if isinstance(i, Event)
                ],
                "comments": [i.text for i in items if isinstance(i, Comment)],
                "retry": parser.retry,
                "last_event_id": parser.last_event_id,
                "incomplete": any(isinstance(i, Tail) for i in items),
            } == expect, vector["name"]
        assert interpret(body) == whole, vector["name"]


# -- Against the reference

# Words that meet each other in interesting ways, so that arbitrary bodies are not mostly ignored lines.
WORDS = st.sampled_from(
    [b"data: ", b"data:", b"data", b"event: ", b"event", b"id: ", b"id:", b"id", b"retry: ", b"12", b":", b" ", b"\n",
     b"\n\n", b"\r", b"\r\n", b"\n\r", b"\r\n\r\n", b"\xef\xbb\xbf", b"\xe2\x82\xac", b"\xe2\x82", b"\xff", b"\0", b"x",
     b"data: x\n\n", b"event: e\ndata: y\n\n", b"id: 1\ndata: z\n\n", b": ping\n\n", b": ping\n", b"foo: bar\n"]
)  # fmt: skip
# Runs of blocks or lines that are alike but for their values, with one line end or several.
SHAPES = [b": %s\n", b": %s\n\n", b"{%s\n", b"{%s}\n\n", b"data: %s\n\n", b"data: %s\n", b"event: %s\ndata: %s\n\n",
          b"id: %s\ndata: %s\n\n", b"retry: %s\n\n", b"\n"]  # fmt: skip
VALUES = st.lists(st.sampled_from([b"", b"1", b"abc", b"\xc3\xa9", b"\xff", b"x: y"]), min_size=1, max_size=8)
RUNS = st.builds(
    lambda shape, values, times, end: b"".join(
        shape.replace(b"%s", value).replace(b"\n", end) for value in values * times
    ),
    st.sampled_from(SHAPES),
    VALUES,
    st.integers(1, 3),
    st.sampled_from([b"\n", b"\r", b"\r\n"]),
)
BODIES = st.one_of(
    st.binary(max_size=60),
    st.lists(WORDS, max_size=40).map(b"".join),
    st.lists(RUNS, min_size=1, max_size=3).map(b"".join),
)


@given(BODIES, st.lists(st.integers(0, 200), max_size=6), st.sampled_from(["", "seed"]))
def test_any_bytes_as_the_reference(body: Any, cuts: Any, seed: Any) -> None:
    cuts = sorted(min(cut, len(body)) for cut in cuts)
    pieces = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    expected = interpret(body, seed)
    assert parse([body], seed)[0] == expected
    assert parse(pieces, seed)[0] == expected
    assert parse(each_byte(body), seed)[0] == expected


@given(BODIES)
def test_spans_are_ordered_and_inside_the_body(body: Any) -> None:
    items, _ = parse([body])
    ends = [item.end for item in items]
    assert ends == sorted(ends)
    assert all(0 <= item.start < item.end <= len(body) for item in items)
    blocks = [item for item in items if isinstance(item, Event | NoData | Tail)]
    lines = [item for item in items if isinstance(item, Comment | Retry | Ignored)]
    for kind in (blocks, lines):
        assert all(a.end <= b.start for a, b in pairwise(kind))


@given(BODIES)
def test_a_span_parsed_alone_gives_its_item(body: Any) -> None:
    items, _ = parse([body])
    for item in items:
        # The id before a block is not in the block; a byte order mark is special only where the body starts.
        span = b"\n" + body[item.start : item.end]
        for seed in {"", *(other.id for other in items if isinstance(other, Event | NoData))}:
            again = [i for i in parse([span], seed)[0] if type(i) is type(item)]
            if any(short(i) == short(item) for i in again):
                break
        else:
            pytest.fail(f"{item} from {span!r}: {again}")


@given(BODIES)
def test_every_type_of_buffer(body: Any) -> None:
    expected, _ = parse([body])
    assert parse([bytearray(body)])[0] == expected
    assert parse([memoryview(body)])[0] == expected


def test_a_read_larger_than_the_window_is_the_same() -> None:
    body = (b"data: " + b"x" * 999 + b"\r\n") * 3000 + b"\r\n" + b"data: \xe2\x82\xac\n\n" * 200_000
    whole, _ = parse([body])
    assert len(whole) == 200_001
    assert whole == parse([body[i : i + 1448] for i in range(0, len(body), 1448)])[0]


def test_the_caller_may_reuse_its_buffer() -> None:
    parser = Parser()
    buffer = bytearray(b"data: a")
    parser.feed(buffer)
    buffer[:] = b"XXXXXXX"
    assert parser.feed(b"\n\n") == [Event("message", "a", "", 0, 9)]


# -- When items come


def test_an_event_comes_with_its_blank_line_and_not_later() -> None:
    parser = Parser()
    assert parser.feed(b"data: a\r\n") == []
    assert parser.feed(b"\r") == [Event("message", "a", "", 0, 10)]
    assert parser.feed(b"\n") == []
    assert parser.feed(b"data: b\r\r") == [Event("message", "b", "", 11, 20)]


def test_comment_and_retry_come_at_their_line() -> None:
    parser = Parser()
    assert parser.feed(b"data: a\n: hb\n") == [Comment(" hb", 8, 13)]
    assert parser.feed(b"retry: 7\n") == [Retry(7, 13, 22)]
    assert parser.retry == 7
    assert parser.feed(b"\n") == [Event("message", "a", "", 0, 23)]


def test_an_id_counts_from_its_blank_line() -> None:
    parser = Parser(last_event_id="1")
    parser.feed(b"id: 2\n")
    assert parser.last_event_id == "1"
    parser.feed(b"\n")
    assert parser.last_event_id == "2"
    parser.feed(b"id: 3\ndata: x\n")
    parser.close()
    assert parser.last_event_id == "2"


def test_offsets_count_the_byte_order_mark() -> None:
    assert parse([b"\xef\xbb\xbfdata: a\n\n"])[0] == [Event("message", "a", "", 3, 12)]


def test_a_block_starts_after_the_comments_before_it() -> None:
    assert parse([b": hb\ndata: a\n\n"])[0] == [Comment(" hb", 0, 5), Event("message", "a", "", 5, 14)]


def test_offsets_are_bytes() -> None:
    body = "data: é\n\ndata: 🜚\n\n".encode()
    assert parse([body])[0] == [Event("message", "é", "", 0, 10), Event("message", "🜚", "", 10, 22)]


def test_empty_reads_change_nothing() -> None:
    parser = Parser()
    assert parser.feed(b"") == []
    parser.feed(b"data: a\r")
    parser.feed(b"")
    assert parser.feed(b"\n\n") == [Event("message", "a", "", 0, 10)]
    assert parser.feed(b"") == []


def test_close_ends_it() -> None:
    parser = Parser()
    parser.feed(b"data: a")
    assert parser.close() == [Tail("data: a", 0, 7)]
    assert parser.close() == []
    with pytest.raises(ValueError, match="closed"):
        parser.feed(b"data: b\n\n")


# -- The limit


def limited(pieces: list[bytes], limit: int) -> tuple[list[Item], EventTooLarge | None]:
    """What came out in all, with the error if there was one."""
    parser = Parser(limit=limit)
    items: list[Item] = []
    try:
        for piece in pieces:
            items += parser.feed(piece)
    except EventTooLarge as error:
        return items + error.items, error
    return items, None


@pytest.mark.parametrize(
    ("body", "size"),
    [
        (b"data: abc\n\n", 10),
        (b"data: abc\r\n\r\n", 10),
        (b"data: abc\r\r", 10),
        (b"event: e\ndata: abc\n\n", 19),
        (b"data: a\ndata: b\n\n", 16),
        (b"data: a\n: a comment\n\n", 8 + 11),
        (b": a comment\n\n", 11),
        (b"foo: ignored\n\n", 12),
        (b"\xef\xbb\xbfdata: abc\n\n", 10),
        (b"data: abc", 9),
        ("data: é\n\n".encode(), 9),
    ],
)
def test_exactly_at_the_limit(body: Any, size: Any) -> None:
    for pieces in [[body], each_byte(body), [b"", body], [body[:4], body[4:]]]:
        assert limited(pieces, size)[1] is None, pieces
        error = limited(pieces, size - 1)[1]
        assert error is not None, pieces
        assert error.limit == size - 1
        assert error.size >= size


@given(BODIES, st.integers(1, 60), st.randoms(use_true_random=False))
def test_the_limit_is_the_same_for_every_chunking(body: Any, limit: Any, rng: Any) -> None:
    items, error = limited([body], limit)
    for pieces in (each_byte(body), random_pieces(body, rng)):
        others, other = limited(pieces, limit)
        assert others == items
        assert (other is None) == (error is None)
        if error and other:
            assert other.start == error.start


def test_the_limit_counts_the_lines_before_the_rest() -> None:
    body = b"foo: bar baz\n\ndata: 0123456789\ndata: 0123456789"
    for pieces in ([body], each_byte(body), [body[:31], body[31:]]):
        items, error = limited(pieces, 30)
        assert items == [Ignored("foo: bar baz", 0, 13)]
        assert error is not None
        assert error.start == 14
        assert limited(pieces, 33)[1] is None


def test_the_error_says_where_how_much_and_what_to_do() -> None:
    parser = Parser(limit=100)
    first = parser.feed(b"data: a\n\n")
    with pytest.raises(EventTooLarge) as caught:
        parser.feed(b"data: b\n\n:c\ndata: " + b"x" * 200)
    error = caught.value
    assert isinstance(error, StreamError)
    assert error.code == "event-too-large"
    assert (error.start, error.limit, error.size) == (21, 100, 206)
    assert all(word in error.message for word in ("21", "100", "206"))
    assert "max_event_bytes" in error.hint
    assert first + error.items == [
        Event("message", "a", "", 0, 9),
        Event("message", "b", "", 9, 18),
        Comment("c", 18, 21),
    ]
    assert parser.close() == []
    with pytest.raises(ValueError, match="closed"):
        parser.feed(b"\n")


def test_the_limit_is_for_one_event() -> None:
    items, error = limited([b"data: " + b"x" * 80 + b"\n\n"] * 50, 100)
    assert error is None
    assert len(items) == 50
    items, error = limited([(b"data: " + b"x" * 80 + b"\n\n") * 50], 100)
    assert error is None
    assert len(items) == 50


def test_items_before_an_event_too_large_come_from_a_huge_read_too() -> None:
    body = b"data: a\n\n" * 40_000 + b"data: " + b"x" * 200 + b"\n\n"
    items, error = limited([body], 100)
    assert len(items) == 40_000
    assert error is not None
    assert error.start == 360_000
    assert items == limited([body[at : at + 1000] for at in range(0, len(body), 1000)], 100)[0]


def test_lines_that_are_not_held_never_reach_the_limit() -> None:
    body = b"data: a\n" + b": beat\nfoo: bar\nretry: 1\n" * 1000 + b"\n"
    for pieces in ([body], [body[i : i + 77] for i in range(0, len(body), 77)]):
        items, error = limited(pieces, 40)
        assert error is None
        assert items[-1] == Event("message", "a", "", 0, len(body))


# -- Cost


PACKAGE = str(Path(sse_tui.eventstream.__file__).parent)


def work(pieces: list[bytes]) -> int:
    """Python-level function calls and lines executed by the parser for these reads."""
    count = 0

    def tracer(frame: Any, event: Any, arg: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename.startswith(PACKAGE):
            count += 1
            return tracer
        return None

    parser = Parser()
    sys.settrace(tracer)
    try:
        for piece in pieces:
            parser.feed(piece)
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize(
    "body",
    [
        b"data: " + b"x" * 20_000 + b"\n\n",
        b"data: x\n" * 2500 + b"\n",
        b": c\n" * 5000,
        b"data: x\r\n\r\n" * 2000,
    ],
    ids=["one long line", "many lines", "comments", "events"],
)
@pytest.mark.parametrize("size", [1, 50])
def test_work_grows_with_the_bytes(body: Any, size: Any) -> None:
    def cut(data: bytes) -> list[bytes]:
        return [data[i : i + size] for i in range(0, len(data), size)]

    head, blank = body[:-2], body[-2:]
    assert work(cut(head * 2 + blank)) < 2.2 * work(cut(body)) + 200


@pytest.mark.parametrize("size", [1, 2, 1448])
@pytest.mark.parametrize(
    "body",
    [b"data: " + b"x" * 2**20 + b"\n\n", b"data: yyyyyyyyy\n" * 2**14 + b"\n"],
    ids=["one long line", "many lines"],
)
def test_held_bytes_are_copied_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch, body: Any, size: Any
) -> None:
    copied = 0
    real = Parser._check_rest

    def counting(self: Parser, items: Any) -> None:
        nonlocal copied
        pieces = len(self._rest)
        real(self, items)
        if len(self._rest) < pieces:
            copied += self._rest_size

    monkeypatch.setattr(Parser, "_check_rest", counting)
    items, _ = parse([body[at : at + size] for at in range(0, len(body), size)])
    assert len(items) == 1
    assert copied < 8 * len(body)
    if size < 3 and body.startswith(b"data: x"):
        assert copied > 0


def test_eight_mebibytes_in_small_reads() -> None:
    body = b"data: " + b"x" * 2**23 + b"\n\n"
    items, _ = parse([body[i : i + 1448] for i in range(0, len(body), 1448)])
    assert items == [Event("message", "x" * 2**23, "", 0, len(body))]


def test_short_lines_of_one_block_stop_at_the_limit() -> None:
    parser = Parser(limit=2**20)
    read = b"data\n" * 10_000
    with pytest.raises(EventTooLarge) as caught:
        for _ in range(2000):
            parser.feed(read)
    assert parser.offset <= 2**20 + len(read)
    assert caught.value.size <= 2**20 + len(read)
    assert caught.value.start == 0


# -- Items


def test_items_of_different_types_are_not_equal() -> None:
    tail: object = Tail("x", 0, 1)
    ignored: object = Ignored("x", 0, 1)
    assert Comment("x", 0, 1) != tail
    assert not Comment("x", 0, 1) == ignored  # noqa: SIM201
    assert Comment("x", 0, 1) != ("x", 0, 1)
    assert Comment("x", 0, 1) == Comment("x", 0, 1)
    assert not Comment("x", 0, 1) != Comment("x", 0, 1)  # noqa: SIM202
    assert len({Comment("x", 0, 1), Comment("x", 0, 1), Tail("x", 0, 1)}) == 2


def test_items_are_immutable() -> None:
    with pytest.raises(AttributeError):
        Event("message", "", "", 0, 1).data = "x"  # type: ignore[misc]


def test_retry_max_is_what_the_vectors_say() -> None:
    assert RETRY_MAX == 2**53 - 1


@pytest.mark.parametrize(
    ("written", "ms", "digits"),
    [
        ("0", 0, "0"),
        ("0005", 5, "5"),
        ("9007199254740991", RETRY_MAX, "9007199254740991"),
        ("0009007199254740991", RETRY_MAX, "9007199254740991"),
        ("9007199254740992", RETRY_MAX, "9007199254740992"),
        ("9" * 16, RETRY_MAX, "9" * 16),
        ("1" + "0" * 5000, RETRY_MAX, "1" + "0" * 5000),
    ],
)
def test_a_retry_keeps_the_digits_it_had(written: str, ms: int, digits: str) -> None:
    parser = Parser()
    [item] = parser.feed(f"retry: {written}\n\n".encode())
    assert isinstance(item, Retry)
    assert (item.ms, item.digits, parser.retry) == (ms, digits, ms)


def test_imports_only_the_standard_library_the_errors_and_the_limits() -> None:
    program = (
        "import sys; before = set(sys.modules); import sse_tui.eventstream;"
        "print(*sorted({m for m in set(sys.modules) - before}))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    foreign = [
        m for m in loaded if m.split(".")[0] not in sys.stdlib_module_names and m.split(".")[0] != "sse_tui"
    ]
    assert foreign == []
    own = {m for m in loaded if m.startswith("sse_tui") and not m.startswith("sse_tui.eventstream")}
    assert own == {"sse_tui", "sse_tui.version", "sse_tui.errors", "sse_tui.limits"}
    assert not {"asyncio", "socket", "time", "ssl"} & set(loaded)

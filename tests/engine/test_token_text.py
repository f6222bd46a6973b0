"""Hold-back of incomplete characters and of stop strings: the answer never depends on how it was cut."""

from __future__ import annotations

import itertools

from hypothesis import example, given
from hypothesis import strategies as st

from sse_tui.engine.stop_strings import StopStrings
from sse_tui.engine.token_text import TextStream

WIDE = "Hi 👩‍🚀🦙 日本語 ñ ✅ end"


def read(chunks: list[bytes], stops: list[str]) -> tuple[str, bool]:
    """What a stream gives for chunks, pushed until it stops, and whether it stopped."""
    stream = TextStream(stops)
    out = ""
    for chunk in chunks:
        out += stream.push(chunk)
        if stream.stopped:
            break
    return out + stream.close(), stream.stopped


def expected(text: str, stops: list[str]) -> tuple[str, bool]:
    """The definition: grow the text by characters; the first time it ends in a stop string, the longest, cut
    it."""
    for end in range(1, len(text) + 1):
        hits = [stop for stop in stops if stop and text[:end].endswith(stop)]
        if hits:
            return text[: end - max(map(len, hits))], True
    return text, False


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


def test_a_character_cut_at_every_byte_comes_out_whole() -> None:
    data = WIDE.encode()
    for place in range(len(data) + 1):
        stream = TextStream()
        first = stream.push(data[:place])
        assert "�" not in first
        assert first + stream.push(data[place:]) + stream.close() == WIDE


def test_a_stop_string_of_several_words_and_a_first_character_that_comes_again() -> None:
    """ggml-org/llama.cpp#11538: " O" was not seen as a beginning of "O P Q"."""
    words = [b" L", b" M", b" N", b" O", b" P", b" Q", b" R"]
    assert read(words, ["O P Q"]) == (" L M N ", True)
    assert read([b" O", b" O", b" P", b" O", b" P", b" Q"], ["O P Q"]) == (" O O P ", True)


def test_the_text_before_a_stop_string_in_the_same_token_is_not_lost() -> None:
    """ggml-org/llama.cpp#9867: the question mark was."""
    assert read([b"What color is the sky", b"?\n"], ["\n"]) == ("What color is the sky?", True)


def test_a_stop_string_cut_at_every_place_is_found_and_not_shown() -> None:
    data = b"one two STOP three"
    for place in range(len(data) + 1):
        assert read([data[:place], data[place:]], ["STOP"]) == ("one two ", True)


def test_what_may_become_a_stop_string_is_held_and_given_when_it_does_not() -> None:
    stream = TextStream(["</end>"])
    assert stream.push(b"a</e") == "a"
    assert stream.push(b"x") == "</ex"
    assert stream.push(b"</en") == ""
    assert stream.close() == "</en"


def test_the_stop_string_that_is_complete_first_counts() -> None:
    for stops, before in (["abcdef", "cd"], "ab"), (["ab", "ef"], ""), (["bcde", "f"], "a"):
        assert read([b"abcdef"], stops) == (before, True)
        assert read([b"abcdef"], stops[::-1]) == (before, True)


def test_of_those_complete_at_once_the_longest_counts() -> None:
    assert read([b"xab"], ["ab", "xab"]) == ("", True)
    assert read([b"xab"], ["xab", "ab"]) == ("", True)


def test_text_after_a_stop_is_dropped() -> None:
    stream = TextStream(["."])
    assert stream.push(b"One. Two") == "One"
    assert stream.push(b" Three") == ""
    assert stream.close() == ""


def test_an_empty_stop_string_stops_nothing() -> None:
    assert read([b"abc"], [""]) == ("abc", False)


def test_unfinished_bytes_at_the_end_become_a_replacement_character() -> None:
    stream = TextStream()
    assert stream.push("日".encode()[:2]) == ""
    assert stream.close() == "�"


small = st.text(alphabet="abñ日🦙", max_size=12)


@given(small, st.lists(st.text(alphabet="abñ日🦙", max_size=4), max_size=3), st.lists(st.integers(0, 60)))
@example("aab", ["ab"], [1, 2])
def test_the_answer_is_the_definition_for_every_cut(text: str, stops: list[str], places: list[int]) -> None:
    assert read(cut(text.encode(), places), stops) == expected(text, stops)


@given(
    st.text(alphabet="ab", max_size=40),
    st.lists(st.text(alphabet="ab", min_size=1, max_size=12), min_size=1, max_size=16),
)
def test_no_more_is_held_than_may_begin_a_stop_string(text: str, stops: list[str]) -> None:
    """For every cut into two, and for characters alone: what is held is the longest beginning of a stop string."""
    for chunks in ([text[:place], text[place:]] for place in range(len(text) + 1)):
        assert read([chunk.encode() for chunk in chunks], stops) == expected(text, stops)
    stream, shown = TextStream(stops), ""
    for end, character in enumerate(text, 1):
        shown += stream.push(character.encode())
        if stream.stopped:
            break
        begun = [size for stop in stops for size in range(1, len(stop)) if text[:end].endswith(stop[:size])]
        assert shown == text[: end - max(begun, default=0)]
    assert (shown + stream.close(), stream.stopped) == expected(text, stops)


def test_long_stop_strings_that_all_but_match_everywhere() -> None:
    stops = StopStrings(["a" * (240 + size) + "b" for size in range(16)])
    state = ""
    for _ in range(20_000):
        state = stops.step(state, "a")
    assert state == "a" * 255
    assert stops.match(state) == 0
    assert stops.match(stops.step(state, "b")) == 256
    assert stops.step(state, "c") == ""


@given(st.binary(max_size=40), st.lists(st.integers(0, 60)))
def test_bytes_that_are_no_text_come_out_the_same_for_every_cut(data: bytes, places: list[int]) -> None:
    assert read(cut(data, places), []) == (data.decode("utf-8", "replace"), False)

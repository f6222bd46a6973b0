from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from sse_tui.tui.drawing.wrapping import Wrapper


def lines(text: str, width: int) -> list[str]:
    wrapper = Wrapper(width)
    wrapper.feed(text)
    return [line.text for line in wrapper.lines]


def test_lines_break_after_a_space() -> None:
    assert lines("the quick brown fox", 10) == ["the quick ", "brown fox"]


def test_a_word_longer_than_the_line_is_cut_where_the_line_is_full() -> None:
    assert lines("abcdefghij", 4) == ["abcd", "efgh", "ij"]


def test_line_feeds_end_lines() -> None:
    assert lines("a\n\nb\n", 10) == ["a", "", "b", ""]


def test_wide_characters_count_for_two() -> None:
    assert lines("漢字漢字", 4) == ["漢字", "漢字"]
    assert lines("漢字", 1) == ["漢", "字"]


def test_the_space_that_does_not_fit_hangs_over_the_edge() -> None:
    assert lines("abcd efgh", 4) == ["abcd ", "efgh"]


texts = st.text(alphabet=st.sampled_from("ab c\n漢é"), max_size=200)


@given(texts, st.integers(1, 20), st.integers())
def test_pieces_give_the_same_lines_as_the_whole(text: str, width: int, seed: int) -> None:
    whole = Wrapper(width)
    whole.feed(text)
    cut = Wrapper(width)
    rng = random.Random(seed)
    place = 0
    while place < len(text):
        step = rng.randint(1, 7)
        cut.feed(text[place : place + step])
        place += step
    assert list(cut.lines) == list(whole.lines)


@given(texts, st.integers(2, 20))
def test_every_character_stands_where_its_line_says(text: str, width: int) -> None:
    wrapper = Wrapper(width, start=100)
    wrapper.feed(text)
    for index, line in enumerate(wrapper.lines):
        start = line.start - 100
        assert text[start : start + len(line.text)] == line.text
        assert cell_len(line.text.rstrip(" ")) <= width
        for offset in range(line.start, line.start + len(line.text)):
            assert wrapper.line_at(offset) == index
    assert "".join(line.text for line in wrapper.lines) == text.replace("\n", "")


def test_only_the_last_line_is_laid_out_again() -> None:
    wrapper = Wrapper(10)
    wrapper.feed("one two three four")
    before = list(wrapper.lines)
    assert wrapper.feed(" five") == len(before) - 1
    assert list(wrapper.lines)[: len(before) - 1] == before[:-1]


def test_a_long_text_has_the_same_lines_however_many_they_are() -> None:
    words = [f"word{n} {'é' * (n % 7)} " + "\n" * (n % 11 == 0) for n in range(5_000)]
    wrapper = Wrapper(30)
    firsts = [wrapper.feed(word) for word in words]
    whole = Wrapper(30)
    whole.feed("".join(words))
    assert list(wrapper.lines) == list(whole.lines)
    assert firsts == sorted(firsts)
    text = "".join(words)
    for line in wrapper.lines:
        assert text.startswith(line.text, line.start)
    assert [wrapper.line_at(line.start) for line in wrapper.lines] == list(range(len(wrapper.lines)))

"""The pattern of a vocabulary's special tokens: the longest name at each place, however many there are."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from sse_tui.engine.token_names import names_pattern


@given(
    st.lists(st.text(alphabet="<a|>", min_size=1, max_size=6), min_size=1, max_size=12),
    st.text(alphabet="<a|>", max_size=40),
)
def test_it_finds_what_an_alternation_of_the_longest_first_finds(names: list[str], text: str) -> None:
    pattern = names_pattern(names)
    assert pattern is not None
    plain = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    assert [found.span() for found in pattern.finditer(text)] == [
        found.span() for found in re.finditer(plain, text)
    ]


def test_no_names() -> None:
    assert names_pattern([]) is None
    assert names_pattern([""]) is None


def test_names_that_begin_alike_are_tried_together() -> None:
    pattern = names_pattern(
        [f"<unused{number}>" for number in range(2000)] + ["\n" * size for size in range(1, 32)]
    )
    assert pattern is not None
    assert pattern.pattern.count("<unused") == 1
    text = "<" * 1000 + "<unused1999>" + "\n" * 40
    assert [found.group() for found in pattern.finditer(text)] == ["<unused1999>", "\n" * 31, "\n" * 9]

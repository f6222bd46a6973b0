from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sse_tui.tui.drawing.visible import typed, visible, visible_line


@given(st.text())
def test_nothing_a_terminal_would_obey_is_left_and_offsets_stay(text: str) -> None:
    for shown in (visible(text), visible_line(text)):
        assert len(shown) == len(text)
        assert not any(ord(char) < 0x20 and char != "\n" for char in shown)
        assert not any(0x7F <= ord(char) < 0xA0 for char in shown)
        assert not any(char in "\u202e\u2066\u200f" for char in shown)
    assert "\n" not in visible_line(text)


def test_controls_become_their_pictures() -> None:
    assert visible("\x1b[2J\x07") == "␛[2J␇"
    assert visible("a\tb\nc\r") == "a b\nc␍"
    assert visible_line("a\tb\nc") == "a␉b↵c"


def test_plain_text_is_not_touched() -> None:
    text = "plain text, 漢字 é"
    assert visible(text) == text


@given(st.text())
def test_what_is_pasted_holds_nothing_that_no_key_types(text: str) -> None:
    pasted = typed(text)
    assert not any(ord(char) < 0x20 and char not in "\n\t" for char in pasted)
    pasted.encode()
    assert typed(pasted) == pasted


def test_pasted_line_ends_become_line_feeds() -> None:
    assert typed("a\r\nb\rc\n\td\x1b[31m\x00") == "a\nb\nc\n\td[31m"

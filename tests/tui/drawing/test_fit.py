from __future__ import annotations

from rich.cells import cell_len

from sse_tui.tui.drawing.fit import LinePart, fit_line, pad

PARTS = [
    LinePart("always"),
    LinePart("rather long words", rank=2, shorter="short"),
    LinePart("last", rank=1, right=True),
]


def test_everything_is_shown_where_there_is_room() -> None:
    assert fit_line(PARTS, 40).plain == "always  rather long words           last"


def test_the_least_important_part_is_shortened_then_dropped() -> None:
    assert fit_line(PARTS, 25).plain == "always  short        last"
    assert fit_line(PARTS, 14).plain == "always    last"
    assert fit_line(PARTS, 8).plain == "always  "


def test_a_line_is_always_as_wide_as_the_screen() -> None:
    for width in range(1, 60):
        assert fit_line(PARTS, width).cell_len == width


def test_pad_cuts_by_cells_and_aligns() -> None:
    assert pad("7", 3, right=True) == "  7"
    assert pad("abcdef", 4) == "abc…"
    assert cell_len(pad("漢字漢字", 5)) == 5

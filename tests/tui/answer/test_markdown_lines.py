from __future__ import annotations

from sse_tui.tui.answer.markdown_lines import DECORATION, render

SOURCE = """# Title

Some **bold text** and `code`.

- one
- two

```python
def f(x):
    return x
```

The end."""


def test_rendered_characters_are_those_of_the_source() -> None:
    seen = set()
    for line in render(SOURCE, 40, start=1000):
        for char, offset in zip(line.text, line.offsets, strict=True):
            if offset != DECORATION:
                assert SOURCE[offset - 1000] == char
                seen.add(offset - 1000)
    for word in ("Title", "bold text", "code", "one", "two", "def f(x):", "return x", "The end."):
        place = SOURCE.index(word)
        assert {n for n in range(place, place + len(word)) if not SOURCE[n].isspace()} <= seen, word


def test_lines_keep_to_the_width() -> None:
    for line in render(SOURCE * 3, 20):
        assert len(line.text) <= 20


def test_decoration_has_no_place_in_the_source() -> None:
    bullets = [line for line in render(SOURCE, 40) if "•" in line.text]
    assert len(bullets) == 2
    for line in bullets:
        assert line.offsets[line.text.index("•")] == DECORATION


def test_links_are_written_out_and_are_no_commands_to_the_terminal() -> None:
    (line,) = [line for line in render("[here](https://example.org/a)", 60) if line.text.strip()]
    assert "https://example.org/a" in line.text
    assert all(segment.style is None or segment.style.link is None for segment in line.segments)

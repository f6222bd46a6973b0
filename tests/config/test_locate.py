"""The line of a key, for every way to write one."""

from __future__ import annotations

from sse_tui.config.locate import dotted, key_lines, line_of

TEXT = '''\
a = 1
b.c = 2

[table]  # comment
x = """
y = 3
"""
y = 4
multi = \'\'\'one line\'\'\'
z = 5
[table.inner]
"quoted key" = 1
[[array]]
q = 1
 indented = { inline = 1 }
'''


def test_lines_of_keys() -> None:
    lines = key_lines(TEXT)

    assert lines["a",] == 1
    assert lines["b",] == lines["b", "c"] == 2
    assert lines["table",] == 4
    assert lines["table", "x"] == 5
    assert lines["table", "y"] == 8
    assert lines["table", "z"] == 10
    assert lines["table", "inner", "quoted key"] == 12
    assert lines["array", "indented"] == 15


def test_a_key_in_an_inline_table_is_where_its_table_is() -> None:
    assert line_of(key_lines(TEXT), ("array", "indented", "inline")) == 15
    assert line_of(key_lines(TEXT), ("nowhere",)) is None


def test_dotted_quotes_what_needs_it() -> None:
    assert dotted(("a", "b c", "d-e")) == 'a."b c".d-e'

"""stdout is exact in a pipe and harmless on a terminal."""

from __future__ import annotations

import io
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.cli.output import Output, to_json
from sse_tui.cli.printable import one_line, printable, printable_json

EVIL = "a\x1b]0;title\x07\x9b31mb\r\x00\x7f\tc\n"


def written(terminal: bool) -> tuple[Output, io.BytesIO]:
    stream = io.BytesIO()
    return Output(stream, terminal=terminal), stream


def test_a_pipe_gets_what_came() -> None:
    out, stream = written(False)
    out.text(EVIL)
    out.raw(b"\xff\x1b[0m")
    assert stream.getvalue() == EVIL.encode() + b"\xff\x1b[0m"


def test_a_terminal_gets_no_control_character() -> None:
    out, stream = written(True)
    out.text(EVIL)
    out.raw(b"\xff\x1b[0m")
    shown = stream.getvalue().decode()
    assert "\u241b]0;title" in shown
    assert "\\x9b31m" in shown
    assert not any(ord(char) < 0x20 and char not in "\t\n" for char in shown)


@given(st.text())
def test_printable_leaves_nothing_that_acts(text: str) -> None:
    for shown in (printable(text), one_line(text)):
        assert not any(
            (ord(char) < 0x20 and char not in "\t\n") or 0x7F <= ord(char) < 0xA0 for char in shown
        )


@given(st.text())
def test_json_on_a_terminal_has_the_same_value(text: str) -> None:
    line = printable_json(to_json({"text": text}))
    assert json.loads(line) == {"text": text}
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in line)


def test_lone_surrogates_do_not_stop_the_output() -> None:
    out, stream = written(False)
    out.text("a\ud800b")
    out.json({"text": "\ud800"})
    assert stream.getvalue() == 'a\ufffdb{"text":"\\ud800"}\n'.encode()


def test_end_line_adds_only_what_is_missing() -> None:
    out, stream = written(False)
    out.end_line()
    out.text("a")
    out.end_line()
    out.end_line()
    assert stream.getvalue() == b"a\n"


def test_a_pipe_whose_reader_has_gone_is_noticed_without_writing() -> None:
    read, write = os.pipe()
    with os.fdopen(write, "wb", buffering=0) as stream:
        out = Output(stream, terminal=False)
        assert not out.abandoned()
        os.close(read)
        assert out.abandoned()
        with pytest.raises(BrokenPipeError):
            out.text("x")

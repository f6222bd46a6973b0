"""stdout is exact in a pipe and harmless on a terminal."""

from __future__ import annotations

import io
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.cli.output import Output

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
def test_a_terminal_gets_nothing_that_acts(text: str) -> None:
    out, stream = written(True)
    out.text(text)
    shown = stream.getvalue().decode()
    assert not any((ord(char) < 0x20 and char not in "\t\n") or 0x7F <= ord(char) < 0xA0 for char in shown)
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@given(st.text())
def test_json_on_a_terminal_has_the_same_value(text: str) -> None:
    out, stream = written(True)
    out.json({"text": text})
    line = stream.getvalue().decode().removesuffix("\n")
    assert json.loads(line) == {"text": text}
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in line)


def test_an_emoji_that_comes_in_pieces_stays_whole_on_a_terminal() -> None:
    out, stream = written(True)
    for piece in ("\U0001f469", "\u200d", "\U0001f4bb", "a", "\u200d"):
        out.text(piece)
    assert stream.getvalue().decode() == "\U0001f469\u200d\U0001f4bba\\u200d"


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


@given(st.text(alphabet=st.characters() | st.sampled_from("\x85\u2028\u2029\x0b\x0c\x1c\x1d\x1e")))
def test_one_value_is_one_line_for_every_reader(text: str) -> None:
    out, stream = written(False)
    out.json({"data": text})
    line = stream.getvalue().decode()
    assert len(line.splitlines()) == 1
    assert json.loads(line) == {"data": text}

"""What crosses a pipe comes out as it went in; above all errors, with their class."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest

from sse_tui import errors
from sse_tui.errors import KINDS, SseTuiError, StreamError
from sse_tui.eventstream import EventTooLarge
from sse_tui.processes.messages import ErrorMessage, MalformedMessageError, line, reader

TREE = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, SseTuiError)]
read: Callable[[bytes], ErrorMessage] = reader(ErrorMessage)


def across(error: SseTuiError) -> SseTuiError:
    return read(line(ErrorMessage.of(error))).error()


@pytest.mark.parametrize("kind", TREE)
def test_every_error_keeps_its_class(kind: type[SseTuiError]) -> None:
    back = across(kind("a-code", "What \u00fc\n went wrong.", "Do this."))
    assert type(back) is kind
    assert (back.code, back.message, back.hint) == ("a-code", "What \u00fc\n went wrong.", "Do this.")


def test_the_table_of_kinds_is_the_whole_tree() -> None:
    assert len(TREE) > 8
    assert sorted(KINDS.values(), key=str) == sorted(TREE, key=str)
    assert all(KINDS[kind("a", "b").kind] is kind for kind in TREE)


def test_an_error_from_outside_of_the_tree_comes_back_as_its_base() -> None:
    back = across(EventTooLarge(10, 5, 0, []))
    assert type(back) is StreamError
    assert back.code == "event-too-large"


def test_a_kind_that_is_not_known_is_an_error_all_the_same() -> None:
    back = ErrorMessage("of-tomorrow", "a", "b", "c").error()
    assert (type(back), back.code, back.message, back.hint) == (SseTuiError, "a", "b", "c")


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]\n", b'{"kind": 1, "code": "a", "message": "b"}\n', b'"\xff"']
)
def test_what_is_not_a_message_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(MalformedMessageError):
        read(data)

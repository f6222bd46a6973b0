"""Header fields: found by any spelling of their name, checked as RFC 9110 has them."""

from __future__ import annotations

import pytest

from sse_tui import fields

FIELDS = [("Content-Type", "text/event-stream"), ("VARY", "a, b"), ("vary", " c,,"), ("vary", "")]


def test_a_field_is_found_by_any_spelling_and_the_first_counts() -> None:
    assert fields.first(FIELDS, "content-type") == fields.first(FIELDS, "CONTENT-TYPE") == "text/event-stream"
    assert fields.first(FIELDS, "Vary") == "a, b"
    assert fields.first(FIELDS, "server") is None
    assert fields.has(FIELDS, "vary")
    assert not fields.has(FIELDS, "var")


def test_fields_can_be_left_out() -> None:
    assert fields.without(FIELDS, "Vary", "server") == FIELDS[:1]


def test_a_list_may_be_spread_over_fields_and_hold_empty_elements() -> None:
    assert fields.elements(FIELDS, "Vary") == ["a", "b", "c"]
    assert fields.elements(FIELDS, "server") == []


@pytest.mark.parametrize("name", ["GET", "x-a_b.c!#$%&'*+^`|~9"])
def test_tokens(name: str) -> None:
    assert fields.is_token(name)


@pytest.mark.parametrize("name", ["", "a b", "a:", "ä", "a\n", "(a)", "\0"])
def test_what_is_not_a_token(name: str) -> None:
    assert not fields.is_token(name)


def test_a_value_cannot_hold_line_ends_or_nul() -> None:
    assert fields.is_value("")
    assert fields.is_value("a: ä\t")
    assert not any(map(fields.is_value, ("a\nb", "a\r", "\0")))


@pytest.mark.parametrize(
    ("given", "essence", "parameters"),
    [
        (None, "", {}),
        ("", "", {}),
        (" Text/Event-Stream ;charset=UTF-8", "text/event-stream", {"charset": "UTF-8"}),
        ('a/b; Charset="utf-8"; x="a;b\\"c"', "a/b", {"charset": "utf-8", "x": 'a;b"c'}),
        ("a/b; charset = x ; charset=y;;novalue", "a/b", {"charset": "x"}),
    ],
)
def test_media_types(given: str | None, essence: str, parameters: dict[str, str]) -> None:
    assert fields.essence(given) == essence
    assert fields.parameters(given) == parameters

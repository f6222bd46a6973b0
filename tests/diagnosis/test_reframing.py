"""Whatever the payloads are: framed wrongly, they are found again; framed well, nothing is found in them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.diagnosis import reframing

WORDS = st.text(
    st.sampled_from("ab{}[]\",:'\\/nr \u2028é") | st.characters(exclude_categories=["Cs"]), max_size=20
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(WORDS, VALUES, min_size=1, max_size=3)
PAYLOADS = st.lists(OBJECTS.map(lambda value: json.dumps(value, ensure_ascii=False)), min_size=2, max_size=4)

# What each writer makes of several payloads, as the data of one event or as a block.
WRONG: dict[str, tuple[Callable[[list[str]], str], Callable[[str], reframing.Misframing | None]]] = {
    "unseparated": (lambda payloads: "".join(f"data: {each}\n" for each in payloads), reframing.of_block),
    "unseparated, as an event": ("\n".join, reframing.of_event),
    "wrapped": (lambda payloads: "\n".join(f"data: {each}\n" for each in payloads), reframing.of_event),
    "wrapped, as a string": (
        lambda payloads: json.dumps("".join(f"data: {each}\n\n" for each in payloads)),
        reframing.of_event,
    ),
    "escaped": (lambda payloads: r"\n\ndata: ".join(payloads) + r"\n\n", reframing.of_event),
    "glued": ("".join, reframing.of_event),
}


@pytest.mark.parametrize("how", WRONG)
@settings(max_examples=30, deadline=None)
@given(payloads=PAYLOADS)
def test_the_payloads_are_found_again(how: str, payloads: list[str]) -> None:
    write, read = WRONG[how]
    found = read(write(payloads))
    assert found is not None
    assert found.kind == how.partition(",")[0]
    assert [json.loads(event.data) for event in found.events] == [json.loads(each) for each in payloads]


@settings(max_examples=150, deadline=None)
@given(value=OBJECTS)
def test_an_object_is_what_it_is(value: dict[str, object]) -> None:
    found = reframing.of_event(json.dumps(value, ensure_ascii=False))
    assert found is None or not found.sure


@pytest.mark.parametrize(
    "data",
    [
        "data",
        "id",
        ": ",
        "data: ",
        "event: ",
        "'data'",
        "b'x'",
        r"C:\new\data: old",
        '{"a": 1}\n',
        '{\n"a": 1\n}',
        "[1][2]",
        "a\nb",
    ],
)
def test_texts_are_what_they_are(data: str) -> None:
    found = reframing.of_event(data)
    assert found is None or not found.sure

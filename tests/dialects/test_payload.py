from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.dialects.payload import JsonError, compact, count, decode, kind_of

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values, st.booleans())
def test_decodes_what_the_standard_library_encodes(value: Any, ascii_only: bool) -> None:
    assert decode(json.dumps(value, ensure_ascii=ascii_only)) == value


@given(values)
def test_compact_is_json_of_the_same_value(value: Any) -> None:
    assert decode(compact(value)) == value


def test_what_a_strict_decoder_rejects_and_clients_read() -> None:
    assert decode("[Infinity,-Infinity,1e999]") == [math.inf, -math.inf, math.inf]
    assert math.isnan(decode("NaN"))
    assert decode("9" * 400) == int("9" * 400)
    assert decode('{"a":1,"a":2}') == {"a": 2}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"a\ud800b"', "a\ufffdb"),
        (r'"\udc00"', "\ufffd"),
        (r'["\ud83d\ude00", "\ud83d"]', ["😀", "\ufffd"]),
        (r'{"\ud800": [{"k": "\udfff"}], "n": 1}', {"\ufffd": [{"k": "\ufffd"}], "n": 1}),
        ('"\ud800"', "\ufffd"),
        (r'"\\ud800"', r"\ud800"),
    ],
)
def test_lone_surrogates_are_replaced_and_pairs_kept(text: str, value: Any) -> None:
    assert decode(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expecting value at column 1"),
        ('{"a": tru', "Expecting value at column 7"),
        ('{"a": 1}\n{"b": 2}', "Extra data at line 2 column 1"),
        ('"a\x01"', "Invalid control character at at column 3"),
        ("[" * 100_000, "nested too deeply, from column 1"),
    ],
)
def test_what_is_wrong_and_where(text: str, message: str) -> None:
    with pytest.raises(JsonError) as caught:
        decode(text)
    assert str(caught.value) == message


def test_a_number_beyond_the_interpreters_limit_is_an_error_of_ours() -> None:
    with pytest.raises(JsonError, match="4300 digits"):
        decode("9" * 5_000)


@pytest.mark.parametrize(
    ("value", "counted"),
    [
        (3, 3),
        (3.0, 3),
        (3.5, None),
        (True, None),
        ("3", None),
        (None, None),
        (math.inf, None),
        (math.nan, None),
    ],
)
def test_counts_are_never_guessed(value: Any, counted: int | None) -> None:
    assert count(value) == counted


def test_json_names_of_types() -> None:
    values: list[Any] = [None, True, 1, 1.5, "a", [], {}]
    kinds = [kind_of(value) for value in values]
    assert kinds == ["null", "a boolean", "a number", "a number", "a string", "an array", "an object"]

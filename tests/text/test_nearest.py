from __future__ import annotations

from sse_tui.text.nearest import did_you_mean

NAMES = ("temperature", "top_p", "top_k", "seed")


def test_a_mistyped_name_is_recognised() -> None:
    assert did_you_mean("temprature", NAMES) == "Did you mean temperature?"
    assert did_you_mean("temprature", (name for name in NAMES)) == "Did you mean temperature?"


def test_several_names_may_be_meant() -> None:
    assert did_you_mean("top", NAMES, most=2) == "Did you mean top_p or top_k?"


def test_what_is_like_nothing_gets_the_other_hint() -> None:
    assert did_you_mean("model", NAMES) == ""
    assert did_you_mean("model", NAMES, "Known: a, b.") == "Known: a, b."

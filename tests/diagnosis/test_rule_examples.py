"""The examples that ``sse-tui rules`` shows are what the rules really say."""

from __future__ import annotations

from sse_tui.diagnosis import RULES
from sse_tui.diagnosis.rule_examples import FILE, examples
from tests.diagnosis.examples import made


def test_they_are_up_to_date() -> None:
    assert FILE.read_text("utf-8") == made(), "run python tests/diagnosis/examples.py"


def test_every_rule_has_one() -> None:
    assert examples().keys() == RULES.keys()

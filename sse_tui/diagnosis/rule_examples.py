"""An example of each rule: a piece of a stream, and what the rule really says of it.

``python tests/diagnosis/examples.py`` makes them by running the rules; a test fails when one is not what the rule says.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

FILE = Path(__file__).with_name("rule_examples.json")


class RuleExample(msgspec.Struct):
    """`stream` is the piece that the finding quotes, "" where it is not about bytes; `message` is the finding's."""

    stream: str
    message: str


def examples() -> dict[str, RuleExample]:
    """All examples by rule."""
    return msgspec.json.decode(FILE.read_bytes(), type=dict[str, RuleExample])

"""Finds the names of special tokens in a text, ``<|im_end|>`` and the like: a vocabulary may have thousands."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import groupby, takewhile


def names_pattern(names: Collection[str]) -> re.Pattern[str] | None:
    """A pattern that finds the longest of the names at each place; None without any.

    The names share their beginnings in it: a plain alternation would try each of them at each place where one may
    begin.
    """
    wanted = sorted(filter(None, set(names)))
    return re.compile(_pattern(wanted)) if wanted else None


def _pattern(names: list[str]) -> str:
    """The pattern of different names in order, and so of the rests after a common beginning."""
    # In order, what the first and the last have in common all of them have.
    same = takewhile(lambda pair: pair[0] == pair[1], zip(names[0], names[-1], strict=False))
    common = "".join(character for character, _ in same)
    rests = [name[len(common) :] for name in names]
    if rests == [""]:
        return re.escape(common)
    # An empty rest is a name that the others begin with; they are tried before it.
    optional = "?" if rests[0] == "" else ""
    branches = "|".join(
        _pattern(list(group)) for _, group in groupby(filter(None, rests), lambda rest: rest[0])
    )
    return f"{re.escape(common)}(?:{branches}){optional}"

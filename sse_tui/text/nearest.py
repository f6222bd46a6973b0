"""Finds the known name that is most similar to a mistyped one, for hints."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(
    given: str, known: Iterable[str], otherwise: str = "", *, most: int = 1, likeness: float = 0.6
) -> str:
    """``Did you mean x?``, or `otherwise` if no known name is similar to `given`.

    Names at most `most` names, best first; `likeness` is the minimum ratio of `difflib`, 0 to 1.
    """
    from difflib import get_close_matches  # only needed after a mistake

    near = get_close_matches(given, list(known), most, likeness)
    return f"Did you mean {' or '.join(near)}?" if near else otherwise

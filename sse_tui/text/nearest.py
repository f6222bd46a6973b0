"""The known name that a mistyped one is nearest to, for hints."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(given: str, known: Iterable[str], *, most: int = 1, likeness: float = 0.6) -> list[str]:
    """The names most like `given`, at most `most`; `likeness` is the least ratio of `difflib` that counts, 0 to 1."""
    from difflib import get_close_matches  # only a mistake needs it

    return get_close_matches(given, list(known), most, likeness)


def did_you_mean(
    given: str, known: Iterable[str], otherwise: str = "", *, most: int = 1, likeness: float = 0.6
) -> str:
    """``Did you mean x?``, or `otherwise` where no known name is like `given`."""
    near = nearest(given, known, most=most, likeness=likeness)
    return f"Did you mean {' or '.join(near)}?" if near else otherwise

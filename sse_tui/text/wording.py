"""Words for counts and lists, and the words of others in a sentence of ours."""

from __future__ import annotations

from collections.abc import Sequence


def many(count: int, noun: str) -> str:
    """A count with its noun: "1 event", "2,000 events"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def phrase(detail: str) -> str:
    """A sentence of somebody else's inside one of ours: no full stop, and no capital that only began a sentence."""
    text = detail.strip().rstrip(".")
    first, second = text[:1], text[1:2]
    return first.lower() + text[1:] if second.islower() or second == " " else text


def choice_words(index: int | None) -> str:
    """A choice by its index, which counts from 0 as the stream does; None stands for those not kept apart."""
    return "further choices" if index is None else f"choice {index}"


def listed(parts: Sequence[str]) -> str:
    """Parts as a list in a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))

"""Words for counts, and the words of others in a sentence of ours."""

from __future__ import annotations


def many(count: int, noun: str) -> str:
    """A count with its noun: "1 event", "2,000 events"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def phrase(detail: str) -> str:
    """A sentence of somebody else's inside one of ours: no full stop, and no capital that only began a sentence."""
    text = detail.strip().rstrip(".")
    first, second = text[:1], text[1:2]
    return first.lower() + text[1:] if second.islower() or second == " " else text

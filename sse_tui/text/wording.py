"""Counts in words."""

from __future__ import annotations


def many(count: int, noun: str) -> str:
    """A count with its noun: "1 event", "2,000 events"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"

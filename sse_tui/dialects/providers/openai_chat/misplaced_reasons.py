"""Finish reasons that servers put elsewhere than in ``choices[].finish_reason``, where no client looks for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sse_tui.dialects.payload import index_of, items, members, string

_NAMES = ("finish_reason", "finishReason", "done_reason", "stop_reason")


def misplaced_reasons(payload: dict[str, Any]) -> Iterator[tuple[str, int, str]]:
    """Where each stands, the index of its choice, and the reason."""
    choices = [members(choice) for choice in items(payload.get("choices"))]
    for position, choice in enumerate(choices):
        if string(choice.get("finish_reason")):
            continue
        index = index_of(choice.get("index"))
        index = position if index is None else index
        yield from _in(members(choice.get("delta")), f"choices[{position}].delta", index)
        # vLLM has the text that ended the answer in stop_reason.
        yield from _in(choice, f"choices[{position}]", index, _NAMES[1:3])
    if not any(string(choice.get("finish_reason")) for choice in choices):
        yield from _in(payload, "", 0)


def _in(
    holder: dict[str, Any], path: str, index: int, names: tuple[str, ...] = _NAMES
) -> Iterator[tuple[str, int, str]]:
    for name in names:
        reason = string(holder.get(name))
        if reason is not None:
            yield f"{path}.{name}" if path else f"the top-level member {name}", index, reason
            return

"""Characters whose two halves came in two deltas: joined as a client whose strings are UTF-16 joins them.

A server that escapes a character outside the BMP as ``\\ud83d\\ude00`` and cuts its text between the two sends half a
character with each delta. JavaScript's strings put it together again; Python's cannot even be encoded. A half whose
other half does not come is U+FFFD.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sse_tui import bounded
from sse_tui.dialects.base import Delta, Finish, Meta, Reasoning, Refusal, Text, ToolCall
from sse_tui.dialects.payload import scrubbed

_Key = tuple[Any, int, int]
"""What a half belongs to: the kind of text, its choice, and its part or its tool call."""

_TEXTS = (Text, Reasoning, Refusal)

LOST = "\ufffd"


class SurrogateJoiner:
    """Joins what one response cuts. `joined` takes the deltas of each event after the first that held a half.

    A half at the end of a piece waits for the next piece of the same text, or for the choice to finish. The deltas
    given back hold no surrogates; `Meta` "split-surrogates" says that a half waits, "lone-surrogates" how many were
    lost.
    """

    def __init__(self) -> None:
        self._held: dict[_Key, str] = {}

    @property
    def waiting(self) -> int:
        """How many halves wait."""
        return len(self._held)

    def joined(self, deltas: Sequence[Delta]) -> list[Delta]:
        """The same deltas with whole characters."""
        out: list[Delta] = []
        for delta in deltas:
            if isinstance(delta, _TEXTS):
                key = (type(delta), delta.index, delta.part)
                out.append(delta._replace(text=self._piece(key, delta.text, out)))
            elif isinstance(delta, ToolCall):
                arguments = self._piece((ToolCall, delta.index, delta.slot), delta.arguments, out)
                out.append(ToolCall(*self._whole(delta, out))._replace(arguments=arguments))
            else:
                if isinstance(delta, Finish):
                    self._finish(delta.index, out)
                out.append(type(delta)(*self._whole(delta, out)))
        return out

    def _piece(self, key: _Key, text: str, out: list[Delta]) -> str:
        text = self._held.pop(key, "") + text
        if _encodable(text):
            return text
        if "\ud800" <= text[-1] <= "\udbff" and len(self._held) < bounded.RECENT:
            self._held[key] = text[-1]
            text = text[:-1]
            out.append(Meta("split-surrogates", None))
        whole: str = scrubbed(text)
        _count_lost(text, whole, out)
        return whole

    def _whole(self, delta: Delta, out: list[Delta]) -> list[Any]:
        """The fields of a delta that is not a piece of a text."""
        if not isinstance(delta, ToolCall):
            for value in delta:
                if isinstance(value, str):
                    _count_lost(value, scrubbed(value), out)
        return [
            tuple(map(scrubbed, value)) if isinstance(value, tuple) else scrubbed(value) for value in delta
        ]

    def _finish(self, choice: int, out: list[Delta]) -> None:
        """No further piece of this choice will come: what waits is lost."""
        for key in [key for key in self._held if key[1] == choice]:
            kind, index, part = key
            del self._held[key]
            out.append(Meta("lone-surrogates", 1))
            out.append(
                ToolCall(part, None, None, LOST, index) if kind is ToolCall else kind(LOST, index, part)
            )


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _count_lost(text: str, whole: str, out: list[Delta]) -> None:
    lost = whole.count(LOST) - text.count(LOST)
    if lost > 0:
        out.append(Meta("lone-surrogates", lost))

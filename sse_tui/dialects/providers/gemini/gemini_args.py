"""Arguments of a Gemini function call that come in pieces, each at a JSON path (RFC 9535).

``{"jsonPath": "$.city", "stringValue": "Ber", "willContinue": true}``: strings at the same path are appended
to each other, anything else replaces what is there. Only the paths that the API makes are understood: names
after dots, names in brackets and quotes, indices in brackets.
"""

from __future__ import annotations

import re
from typing import Any

from sse_tui.dialects.payload import compact
from sse_tui.dialects.pieces import Pieces

_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d{1,6})\]|\['([^']*)'\]|\["([^"]*)"\]""")

_VALUES = ("stringValue", "numberValue", "boolValue")

_DEPTH = 64
_GAP = 16  # how far an array may grow at once: indices come in order
STEPS_KEPT = 40_000  # in the paths of one call; what more a server sends is passed over


class PartialArguments:
    """Puts the pieces together. A path that cannot be followed is passed over, never an error."""

    def __init__(self) -> None:
        self._root: dict[str, Any] = {}
        self._strings: dict[str, Pieces] = {}
        self._steps = 0

    def add(self, pieces: Any) -> None:
        """Take the ``partialArgs`` of one event."""
        for piece in pieces if isinstance(pieces, list) else ():
            if isinstance(piece, dict) and isinstance(piece.get("jsonPath"), str):
                self._put(piece["jsonPath"], piece)

    def _put(self, path: str, piece: dict[str, Any]) -> None:
        if path not in self._strings:
            self._steps += 1 + path.count(".") + path.count("[")
            if self._steps > STEPS_KEPT:
                return
        if "nullValue" in piece:
            self._set(path, None)
            return
        value = next((piece[name] for name in _VALUES if piece.get(name) is not None), None)
        if isinstance(value, str):
            if path not in self._strings:
                self._strings[path] = Pieces(path)
            self._strings[path].append(value)
        elif value is not None:
            self._set(path, value)

    def _set(self, path: str, value: Any) -> None:
        steps = _steps(path)
        if not 0 < len(steps) <= _DEPTH:
            return
        node: Any = self._root
        for step, following in zip(steps, [*steps[1:], None], strict=True):
            if isinstance(node, dict):
                key: Any = str(step)
                present = key in node
            elif isinstance(node, list) and isinstance(step, int) and step < len(node) + _GAP:
                node.extend([None] * (step + 1 - len(node)))
                key, present = step, node[step] is not None
            else:
                return
            if following is None:
                node[key] = value
                return
            if not present or not isinstance(node[key], dict | list):
                node[key] = [] if isinstance(following, int) else {}
            node = node[key]

    def text(self, whole: Any = None) -> str:
        """The arguments as compact JSON; members of `whole`, where the closing piece brings some, count too."""
        for path, pieces in self._strings.items():
            self._set(path, pieces.text)
        self._strings.clear()
        return compact({**self._root, **whole} if isinstance(whole, dict) else self._root)


class RunningCall:
    """A call whose arguments are still coming."""

    def __init__(self, slot: int, name: str | None, ident: str | None) -> None:
        self.slot = slot
        self.name = name
        self.ident = ident
        self.arguments = PartialArguments()

    def ended_by(self, name: str | None, ident: str | None) -> bool:
        """Whether a piece with this name and id is of another call. Later pieces usually bring neither."""
        if ident is not None and self.ident is not None:
            return ident != self.ident
        return name is not None and name != self.name


def _steps(path: str) -> list[str | int]:
    """The steps of a path after its ``$``; none when any of it is not understood."""
    steps: list[str | int] = []
    at = 1 if path.startswith("$") else 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            return []
        steps.append(_name(match))
        at = match.end()
    return steps


def _name(match: re.Match[str]) -> str | int:
    name, index, single, double = match.groups()
    if index is not None:
        return int(index)
    return name if name is not None else single if single is not None else double

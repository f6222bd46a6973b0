"""What dialects of JSON payloads have in common: the sentinel, heartbeats, in-band errors, broken payloads.

`JsonDialect` decodes each event and hands objects to `_take`; `TypedDialect` picks a reader by the payload's
``type``, or the event's where the payload has none. Neither raises on what a server sent.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from sse_tui.dialects.base import Delta, Dialect, Malformed, Meta, StreamFault
from sse_tui.dialects.inband import fault_in
from sse_tui.dialects.payload import JsonError, compact, decode, kind_of, string
from sse_tui.eventstream.items import Event

DONE = "[DONE]"

PINGS = frozenset({"ping", "keepalive", "keep-alive", "heartbeat"})


class JsonDialect(Dialect):
    """Reads events whose data is a JSON object, and OpenAI's sentinel, which many others adopted.

    `_ended` once the stream's own end marker has come, `_failed` once it has reported an error, `_finished` once the
    answer is whole even if nothing follows.
    """

    def __init__(self) -> None:
        self._ended = False
        self._failed = False
        self._finished = False
        self._done = False
        self._model: str | None = None
        self._id: str | None = None

    @property
    def ended(self) -> bool:
        """True after the stream's own end marker."""
        return self._ended

    @property
    def complete(self) -> bool | None:
        """True after the end marker or a finish reason; never after an error."""
        return (self._ended or self._finished) and not self._failed

    def read(self, event: Event) -> Sequence[Delta]:
        """The deltas of one event."""
        data = event.data
        if len(data) < 16 and data.strip() == DONE:
            return self._sentinel(data)
        if self._ended:
            return (Meta("after-end", data),)
        if not data:
            return self._empty(event)
        try:
            payload = decode(data)
        except JsonError as exc:
            return self._not_json(event, str(exc))
        if type(payload) is not dict:
            return self._no_object(event, payload)
        if event.type in PINGS or (payload.get("type") == "ping" and len(payload) == 1):
            return (Meta("ping", data),)
        deltas: list[Delta] = []
        self._take(event, payload, deltas)
        return deltas

    @abstractmethod
    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Add the deltas of one payload."""

    def _sentinel(self, data: str) -> Sequence[Delta]:
        if self._done:
            return (Meta("after-end", data),)
        self._done = self._ended = True
        return (Meta("done", DONE),)

    def _empty(self, event: Event) -> Sequence[Delta]:
        if event.type == "error":
            self._failed = True
            return (StreamFault(None, None, None),)
        return (Meta("ping", ""),)

    def _not_json(self, event: Event, why: str) -> Sequence[Delta]:
        broken = Malformed(f"not JSON: {why}", "json")
        if event.type == "error":
            self._failed = True
            return (broken, StreamFault(None, None, event.data))
        if event.type in PINGS or event.data.startswith(":") or event.data.strip().lower() in PINGS:
            return (Meta("ping", event.data), broken)  # a comment that some gateway wrapped as data
        return (broken,)

    def _no_object(self, event: Event, payload: Any) -> Sequence[Delta]:
        broken = Malformed(f"expected an object, got {kind_of(payload)}")
        if event.type == "error":
            self._failed = True
            return (broken, StreamFault(None, None, string(payload) or compact(payload)))
        return (broken,)

    def _fault(self, payload: dict[str, Any], deltas: list[Delta], *, announced: bool = False) -> None:
        """Add the error that `payload` reports, if it does."""
        fault = fault_in(payload, announced=announced)
        if fault is not None:
            self._failed = True
            deltas.append(fault)

    def _names(self, model: Any, ident: Any, deltas: list[Delta]) -> None:
        """Add model and response id, each when it changes."""
        if model != self._model and string(model):
            self._model = model
            deltas.append(Meta("model", model))
        if ident != self._id and string(ident):
            self._id = ident
            deltas.append(Meta("id", ident))


_D = TypeVar("_D", bound="TypedDialect")
Reader = Callable[[_D, dict[str, Any], list[Delta]], None]


class TypedDialect(JsonDialect):
    """Reads payloads that name their kind in ``type``. Kinds without a reader give nothing: APIs grow."""

    readers: ClassVar[Mapping[str, Callable[[Any, dict[str, Any], list[Delta]], None]]] = {}

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        kind = payload.get("type")
        if type(kind) is not str:
            kind = event.type
        reader = self.readers.get(kind)
        if reader is not None:
            reader(self, payload, deltas)
        else:
            self._other(kind, payload, deltas)
        announced = kind == "error" or event.type == "error"
        if announced or "error" in payload:
            self._fault(payload, deltas, announced=announced)

    def _other(self, kind: str, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Add the deltas of a payload whose kind has no reader."""


def part_index(value: Any, limit: int = 2**19) -> int:
    """`value` when it can be the index of a part, else 0."""
    return value if type(value) is int and 0 <= value < limit else 0

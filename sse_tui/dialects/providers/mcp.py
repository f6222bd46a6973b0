"""The Model Context Protocol over HTTP: JSON-RPC messages as events, in the new transport and the old one.

Streamable HTTP (2025-03-26 and later): the stream that answers a POST may begin with a priming event (an id and
empty data), carries notifications and requests, and is whole with the response to the request. Servers may
close it earlier; it is resumed by GET with ``Last-Event-ID``. The older HTTP+SSE transport (2024-11-05) begins
with an ``endpoint`` event whose data is a path, and stays open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sse_tui.dialects.base import Delta, Malformed, Meta, Resume, StreamFault
from sse_tui.dialects.json_events import JsonDialect
from sse_tui.dialects.payload import JsonError, decode, items, members, string
from sse_tui.eventstream.items import Event

_FAILED_TASKS = frozenset({"failed", "rejected", "TASK_STATE_FAILED", "TASK_STATE_REJECTED"})


class ModelContextProtocol(JsonDialect):
    """Reads one stream of a session. `transport` is "http+sse" after an ``endpoint`` event."""

    name = "mcp"
    answers = False
    resume: ClassVar[Resume] = "get"
    transport: str = "streamable-http"

    @property
    def ended(self) -> bool:
        """True once the response has come; never in the older transport, whose stream stays open."""
        return self._finished and self.transport == "streamable-http"

    @property
    def complete(self) -> bool | None:
        """True once a response came, an error included: that is an answer too. None in the older transport."""
        return None if self.transport == "http+sse" else self._finished

    def read(self, event: Event) -> Sequence[Delta]:
        """The messages of one event: one, or an array of them (a batch)."""
        if event.type == "endpoint":
            self.transport = "http+sse"
            return (Meta("endpoint", event.data),)
        if not event.data:
            return (Meta("ping", ""),)  # the priming event: an id to resume from
        try:
            batch = decode(event.data)
        except JsonError:
            batch = None
        if not isinstance(batch, list):
            return super().read(event)
        deltas: list[Delta] = []
        for message in batch:
            self._take(event, members(message), deltas)
        return deltas

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        method = string(payload.get("method"))
        if method is not None:
            deltas.append(Meta("jsonrpc", "requests" if "id" in payload else "notifications"))
            self._method(method, payload.get("params"), deltas)
        elif "error" in payload:
            deltas.append(Meta("jsonrpc", "errors"))
            self._finished = True
            self._fault(payload, deltas)
        elif "result" in payload:
            deltas.append(Meta("jsonrpc", "responses"))
            self._finished = True
            self._task(members(payload["result"]), deltas)
        else:
            deltas.append(Malformed("not a JSON-RPC message: it has no method, result or error"))
            if (fault := self._alone(payload)) is not None:
                deltas.append(fault)

    def _task(self, result: dict[str, Any], deltas: list[Delta]) -> None:
        """The failure of a task of A2A, the protocol between agents, which is JSON-RPC, too."""
        status = members(result.get("status"))
        state = status.get("state")
        if state in _FAILED_TASKS:
            parts = map(members, items(members(status.get("message")).get("parts")))
            said = " ".join(filter(None, (string(part.get("text")) for part in parts)))
            deltas.append(StreamFault(state, None, said or None))

    def _method(self, method: str, params: Any, deltas: list[Delta]) -> None:
        if method == "notifications/progress":
            deltas.append(Meta("progress", params))
        elif method == "notifications/message":
            deltas.append(Meta("log", params))
        elif method == "ping":
            deltas.append(Meta("ping", method))

"""Kubernetes' watch: JSON lines of ``{"type": "ADDED", "object": {…}}``, which are often taken for an event stream.

It is resumed from a ``resourceVersion``, which bookmarks keep up to date; an ``ERROR`` with code 410 means that the
version is too old and the list must be read again.
"""

from __future__ import annotations

from typing import Any

from sse_tui.dialects.base import Delta, Malformed, Meta, StreamFault
from sse_tui.dialects.line_dialects import LineDialect
from sse_tui.dialects.payload import count, members, string
from sse_tui.eventstream.items import Event


class KubernetesWatch(LineDialect):
    """Reads one watch. `resource_version` is where another one would have to start, None before any."""

    name = "kubernetes-watch"
    answers = False
    _marks_end = False
    resource_version: str | None = None

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        kind, thing = string(payload.get("type")), members(payload.get("object"))
        if kind is None or not isinstance(payload.get("object"), dict):
            self._fault(payload, deltas)
            fault = self._alone(payload)  # the Status itself, as for a request that is refused
            if not deltas and fault is not None:
                self._failed = True
                deltas.append(fault)
            deltas.insert(0, Malformed("a watch event without a type or an object"))
            return
        if kind == "ERROR":
            self._failed = True
            code = count(thing.get("code"))
            deltas.append(StreamFault(string(thing.get("reason")), code, string(thing.get("message"))))
            return
        metadata = members(thing.get("metadata"))
        self.resource_version = string(metadata.get("resourceVersion")) or self.resource_version
        if kind == "BOOKMARK":
            deltas.append(Meta("ping", kind))
            return
        facts = {"type": kind, "kind": thing.get("kind"), "name": metadata.get("name")}
        deltas.append(Meta("watch", {**facts, "resource_version": self.resource_version}))

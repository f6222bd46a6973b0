"""LangGraph's server and LangServe: runs of graphs, streamed in one or several modes.

``event`` names the mode: ``values`` (the whole state), ``updates``, ``messages`` (``[message chunk, metadata]``),
``messages/partial`` (messages so far), ``custom``, ``events``, ``debug``, each also with ``|namespace`` for
subgraphs. A run ends with ``event: end``. LangServe sends ``data`` events and an ``end`` without data, which no
conforming parser ever dispatches; there the end of the body is the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sse_tui.dialects.base import Delta, Malformed, Meta, Resume, StreamFault
from sse_tui.dialects.error_names import announces
from sse_tui.dialects.heartbeats import named_ping
from sse_tui.dialects.inband import fault_behind, fault_in
from sse_tui.dialects.lenient_json import LenientDialect
from sse_tui.dialects.payload import JsonError, members, scrubbed, string
from sse_tui.dialects.providers.langgraph.langchain import LangChainMessages
from sse_tui.eventstream.items import Event


class LangGraph(LenientDialect):
    """Reads one run. LangServe's streams are recognised by their ``data`` events."""

    name = "langgraph"
    resume: ClassVar[Resume] = "last-event-id"
    silent = True  # a graph need not call a model
    json_due = True

    def __init__(self) -> None:
        self._messages = LangChainMessages()

    def read(self, event: Event) -> Sequence[Delta]:
        """The deltas of one event."""
        mode = event.type.partition("|")[0]
        if self._ended:
            return (Meta("after-end", event.data),)
        if mode == "end":
            self._ended = True
            return ()
        if named_ping(mode) or not event.data:
            return (Meta("ping", event.data),)
        try:
            payload, broken = self._decoded(event.data)
        except JsonError as exc:
            return self._not_json(event, str(exc))
        if announces(mode):
            return (self._error(scrubbed(payload), event.data),)
        deltas = [*broken, *self._mode(mode, payload)]
        # What has no mode is none of the run's: a state may well have a member that is called error.
        if mode == "message" and not deltas and (fault := self.fault_of(event)) is not None:
            return (fault,)
        return deltas if self._joiner is None else self._joiner.joined(deltas)

    def _not_json(self, event: Event, why: str) -> Sequence[Delta]:
        broken = Malformed(f"not JSON: {why}", "json")
        if announces(event.type):
            return (broken, self._error(None, event.data))
        fault = self.fault_of(event)
        return (broken, fault) if fault is not None else (broken,)

    def _error(self, payload: Any, data: str) -> StreamFault:
        """``{"error": "ValueError", "message": "…"}``, or LangServe's ``{"status_code", "message"}``."""
        self._failed = True
        fields = members(payload)
        kind, message = string(fields.get("error")), string(fields.get("message"))
        if message is not None:
            code = fields.get("status_code")
            return StreamFault(kind, code if isinstance(code, int | str) else None, message)
        fault = fault_in(fields, announced=True) if fields else fault_behind(data)
        return fault or StreamFault(None, None, string(payload) or data or None)

    def _mode(self, mode: str, payload: Any) -> Sequence[Delta]:
        deltas: list[Delta] = []
        if mode == "metadata":
            ident = string(members(payload).get("run_id"))
            return (Meta("id", ident),) if ident else ()
        if mode == "messages":
            self._messages.chunk(payload[0] if isinstance(payload, list) and payload else payload, deltas)
        elif mode in ("messages/partial", "messages/complete"):
            self._messages.whole(payload, deltas)
        elif mode == "values":
            self._messages.whole(members(payload).get("messages"), deltas)
        elif mode == "data":
            self._marks_end = False  # LangServe's end is never dispatched
            self._served(payload, deltas)
        elif mode == "events":
            self._traced(payload, deltas)
        elif mode in ("updates", "custom"):
            deltas.append(Meta("data", payload))
        return deltas

    def _served(self, payload: Any, deltas: list[Delta]) -> None:
        """LangServe's output, as it is (``/stream``), in a trace (``/stream_events``) as patches (``/stream_log``)."""
        fields = members(payload)
        if isinstance(fields.get("ops"), list):
            for op in map(members, fields["ops"]):
                if op.get("op") == "add" and op.get("path") == "/streamed_output/-":
                    self._messages.output(op.get("value"), deltas)
        elif isinstance(fields.get("event"), str) and fields["event"].startswith("on_"):
            self._traced(payload, deltas)
        else:
            self._messages.output(payload, deltas)

    def _traced(self, payload: Any, deltas: list[Delta]) -> None:
        """An event of LangChain's trace: those of chat models hold the chunks."""
        if members(payload).get("event") in ("on_chat_model_stream", "on_llm_stream"):
            self._messages.output(members(payload.get("data")).get("chunk"), deltas)

"""Dify's apps: chat, completion, agent, chatflow and workflow, with ``"response_mode": "streaming"``.

Every payload names its kind in ``event``: ``message`` and ``agent_message`` with pieces of the ``answer``,
``text_chunk`` with ``data.text``, ``message_replace`` from moderation, ``workflow_*``, ``node_*``, ``iteration_*`` and
``loop_*`` for progress, ``agent_thought`` with a tool call of the app's own, ``tts_message`` with audio, ``error``,
``ping`` (also as ``event: ping`` without data). A chat ends with ``message_end``, a workflow with ``workflow_finished``
and its ``status``: succeeded, partial-succeeded, failed, stopped. Audio may follow. A run whose text no event brought
has it in the ``outputs`` of ``workflow_finished``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from sse_tui.bounded import Slots
from sse_tui.dialects.base import Delta, Finish, Meta, Reasoning, StreamFault, Text
from sse_tui.dialects.json_events import Reader, TypedDialect, add_text, passed_on
from sse_tui.dialects.payload import arguments_text, compact, members, string
from sse_tui.dialects.usage import usage_in

EVENTS = frozenset(
    (
        *("message", "agent_message", "text_chunk", "message_end", "message_replace", "message_file"),
        *("agent_thought", "workflow_started", "workflow_finished", "workflow_paused", "node_started"),
        *("node_finished", "node_retry", "iteration_started", "loop_started", "tts_message", "agent_log"),
    )
)
"""The kinds by which its streams are recognised."""

# What outputs of a workflow call their text, in the order in which it is looked for.
_OUTPUTS = ("answer", "text", "result", "output")


class Dify(TypedDialect):
    """Reads one run of an app."""

    name = "dify"
    prompt_in = "query"
    kind_in = "event"
    _spoke: bool = False

    def __init__(self) -> None:
        self._thoughts = Slots[str]()

    def _answer(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._names(None, payload.get("message_id"), deltas)
        self._spoke = self._spoke or bool(payload.get("answer"))
        add_text(Text, payload.get("answer"), "answer", deltas)
        if "mode" in payload and "metadata" in payload:  # the answer to a request in the blocking mode
            deltas.append(Meta("whole-object", "message"))
            self._message_end(payload, deltas)

    def _piece(self, payload: dict[str, Any], deltas: list[Delta], kind: Any = Text) -> None:
        data = members(payload.get("data"))
        text = data.get("text") if kind is Text else data.get("reasoning") or data.get("text")
        self._spoke = self._spoke or (kind is Text and bool(text))
        add_text(kind, text, "data.text", deltas)

    def _replaced(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Moderation put another text in place of the one shown."""
        text = payload.get("answer") or members(payload.get("data")).get("text")
        if isinstance(text, str):
            deltas.append(Meta("final_text", text))

    def _thought(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """A step of an agent; its text has come as ``agent_message``."""
        if string(payload.get("tool")):
            slot = self._thoughts.of(string(payload.get("id")) or compact(payload.get("position")))
            call = {"slot": slot, "type": "dify", "name": payload["tool"]}
            deltas.append(
                Meta("server_tool_call", call | {"arguments": arguments_text(payload.get("tool_input"))})
            )

    def _sound(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        if string(payload.get("audio")):
            deltas.append(Meta("audio", len(payload["audio"]) * 3 // 4))

    def _ping(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        deltas.append(Meta("ping", compact(payload)))

    def _workflow_started(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._names(None, payload.get("workflow_run_id"), deltas)

    def _message_end(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        deltas += usage_in(members(members(payload.get("metadata")).get("usage")))
        self._finished = True

    def _workflow_finished(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        data = members(payload.get("data"))
        outputs = data.get("outputs")
        if not self._spoke and isinstance(outputs, dict):
            deltas.append(Meta("data", outputs))  # a workflow need not say anything
            texts = (string(outputs.get(name)) for name in (*_OUTPUTS, *outputs))
            text = next(filter(None, texts), None)
            if text:
                self._spoke = True
                deltas.append(Text(text))
        status = string(data.get("status"))
        if status:
            deltas.append(Finish(status))
        if status == "failed" or (string(data.get("error")) and status != "stopped"):
            self._failed = True
            deltas.append(StreamFault("workflow", status, string(data.get("error"))))
        self._finished = True

    def _workflow_paused(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """The run waits for a person, and this response ends here."""
        deltas += (Meta("data", members(payload.get("data"))), Finish("paused"))
        self._finished = True

    def _other(self, kind: str, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Progress: which node runs, and how it ended."""
        if kind.startswith(("node_", "iteration_", "loop_", "parallel_branch_", "workflow_")):
            deltas.append(Meta("tool_status", kind))

    readers: ClassVar[Mapping[str, Reader]] = {
        "message": _answer,
        "agent_message": _answer,
        "text_chunk": _piece,
        "reasoning_chunk": partial(_piece, kind=Reasoning),
        "message_replace": _replaced,
        "text_replace": _replaced,
        "message_file": passed_on("file", "url"),
        "agent_thought": _thought,
        "tts_message": _sound,
        "ping": _ping,
        "workflow_started": _workflow_started,
        "message_end": _message_end,
        "workflow_finished": _workflow_finished,
        "workflow_paused": _workflow_paused,
    }

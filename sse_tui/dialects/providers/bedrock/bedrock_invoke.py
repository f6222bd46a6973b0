"""Amazon Bedrock's ``InvokeModelWithResponseStream``: ``chunk`` events whose bytes are a payload of the model itself.

``{"bytes": "<base64>"}`` holds one payload in the model's own dialect: Anthropic's events, OpenAI's chunks, Nova's
(those of ``ConverseStream``), or one of the forms in `bedrock_text`.

Source: the API reference of Amazon Bedrock Runtime.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sse_tui.dialects.auto import Delegating
from sse_tui.dialects.base import Delta, Dialect, Malformed
from sse_tui.dialects.detect import NO_FINGERPRINT, detect
from sse_tui.dialects.payload import JsonError, decode, members
from sse_tui.dialects.providers.bedrock.bedrock_faults import exception_in
from sse_tui.dialects.providers.bedrock.bedrock_text import BedrockText, form_of, metrics_of
from sse_tui.eventstream.items import Event


class BedrockInvoke(Delegating):
    """Reads one answer in the dialect that its first payloads show; the registry hands in the `readers`."""

    name = "bedrock-invoke"
    json_due = True
    readers: ClassVar[Mapping[str, type[Dialect]]]

    def __init__(self) -> None:
        self._settled = False
        self._choose(BedrockText())

    def read(self, event: Event) -> Sequence[Delta]:
        """The deltas of the payload in a chunk; exceptions are errors."""
        try:
            payload = members(decode(event.data))
        except JsonError:
            payload = {}
        if "bytes" not in payload:
            return self._no_chunk(event, payload)
        try:
            text = base64.b64decode(str(payload["bytes"]), validate=True).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            return (Malformed("bytes: not base64"),)
        return self._read_inner(Event("message", text, event.id, event.start, event.end))

    def read_ignored(self, line: str) -> Sequence[Delta]:
        """An error outside any event, as in the model's dialect."""
        return self._chosen.read_ignored(line)

    def _no_chunk(self, event: Event, payload: dict[str, Any]) -> Sequence[Delta]:
        """An exception, or an error in any other form, as in the model's dialect."""
        fault = exception_in(event.type, payload)
        if fault is not None:
            self._failed = True
            return (fault,)
        return self._chosen.read(event) or (Malformed("bytes: there are none"),)

    def _read_inner(self, inner: Event) -> Sequence[Delta]:
        try:
            payload = members(decode(inner.data))
        except JsonError:
            payload = {}
        if not self._settled:
            self._settle(inner, payload)
        return [*self._chosen.read(inner), *metrics_of(payload)]

    def _settle(self, inner: Event, payload: dict[str, Any]) -> None:
        """Decide which dialect reads, as soon as a payload shows it."""
        if form_of(payload) is not None:
            self._settled = True
            return
        found = detect((), (inner,), self.readers)
        if found.reason != NO_FINGERPRINT and found.name != self.name:
            self._settled = True
            self._choose(self.readers[found.name]())

    @property
    def ended(self) -> bool:
        """Whether the model's dialect has seen its end marker, and no exception came."""
        return super().ended and not self._failed

    @property
    def complete(self) -> bool | None:
        """Whether the answer is whole by the model's dialect, and no exception came."""
        return False if self._failed else super().complete

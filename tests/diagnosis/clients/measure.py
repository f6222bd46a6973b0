"""What the installed SDKs do with each kind of end, measured against a raw socket.

``python tests/diagnosis/clients/measure.py`` prints the table, and beside each result what the lens says where that
differs. It is what `known_clients` is checked against.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import anthropic
import httpx
import httpx_sse
import openai

from sse_tui.diagnosis.clients.ends import ENDS, End
from sse_tui.diagnosis.clients.known_clients import ANTHROPIC, ANTHROPIC_HELPER, HTTPX_SSE, OPENAI, Client
from sse_tui.diagnosis.clients.lens import play
from tests.diagnosis.clients.raw_server import answering
from tests.diagnosis.clients.sdks import Real, drained

PATIENCE_S = 20.0
STALL_S = 0.7
"""What a client waits for a read where nothing comes: long enough for what does come, on a busy machine too."""


def _chat(url: str, wait_s: float) -> Real:
    client = openai.OpenAI(api_key="k", base_url=f"{url}/v1", max_retries=0, timeout=wait_s)
    return drained(lambda: client.chat.completions.create(model="m", messages=[], stream=True))


def _responses(url: str, wait_s: float) -> Real:
    client = openai.OpenAI(api_key="k", base_url=f"{url}/v1", max_retries=0, timeout=wait_s)
    return drained(lambda: client.responses.create(model="m", input="x", stream=True))


def _anthropic(url: str, wait_s: float) -> anthropic.Anthropic:
    return anthropic.Anthropic(api_key="k", base_url=url, max_retries=0, timeout=wait_s)


def _messages(url: str, wait_s: float) -> Real:
    client = _anthropic(url, wait_s)
    return drained(lambda: client.messages.create(model="m", max_tokens=1, messages=[], stream=True))


def _helper(url: str, wait_s: float) -> Real:
    client, seen = _anthropic(url, wait_s), []
    try:
        with client.messages.stream(model="m", max_tokens=1, messages=[]) as stream:
            seen.append(stream.get_final_message())
    except Exception as error:
        return Real([], type(error).__name__)
    return Real([], None, seen[0])


def _httpx_sse(url: str, wait_s: float) -> Real:
    def events() -> Iterator[Any]:
        with (
            httpx.Client(timeout=wait_s) as client,
            httpx_sse.connect_sse(client, "GET", url) as source,
        ):
            yield from source.iter_sse()

    return drained(events)


class Dialogue(NamedTuple):
    """A client and the dialect that it is sent."""

    client: Client
    package: str
    api: str
    run: Callable[[str, float], Real]

    @property
    def installed(self) -> str:
        return importlib.metadata.version(self.package)

    @property
    def measured(self) -> bool:
        """Whether the installed version is the one that the table is of."""
        return self.installed == self.client.version


DIALOGUES = (
    Dialogue(OPENAI, "openai", "chat", _chat),
    Dialogue(OPENAI, "openai", "responses", _responses),
    Dialogue(ANTHROPIC, "anthropic", "messages", _messages),
    Dialogue(ANTHROPIC_HELPER, "anthropic", "messages", _helper),
    Dialogue(HTTPX_SSE, "httpx-sse", "chat", _httpx_sse),
)


def _chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    payload = {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


def _event(kind: str, **members: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n".encode()


_CHUNK, _STOP, _DONE = _chunk({"content": "a"}), _chunk({}, "stop"), b"data: [DONE]\n\n"
_CREATED = _event("response.created", sequence_number=0, response={"id": "r", "output": []})
_DELTA = _event(
    "response.output_text.delta", sequence_number=1, item_id="i", output_index=0, content_index=0, delta="a"
)
_COMPLETED = _event(
    "response.completed", sequence_number=2, response={"id": "r", "output": [], "status": "completed"}
)
_FAILED = _event("error", sequence_number=1, code="server_error", message="boom")
_BEGUN = _event(
    "message_start",
    message={
        "id": "m",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "m",
        "stop_reason": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    },
)
_BLOCK = _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
_TEXT = _event("content_block_delta", index=0, delta={"type": "text_delta", "text": "a"})
_FINISH = _event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 2})
_STOPPED = _FINISH + _event("message_stop")
_OVERLOADED = _event("error", error={"type": "overloaded_error", "message": "Overloaded"})

# By API: the body of an answer that is cut, whole, an error, empty, and the sentinel alone.
BODIES: dict[str, dict[str, bytes]] = {
    "chat": {
        "cut": _CHUNK,
        "whole": _CHUNK + _STOP + _DONE,
        "error": _CHUNK + b'data: {"error":{"message":"boom","code":500}}\n\n' + _DONE,
        "empty": _STOP + _DONE,
        "[DONE] alone": _DONE,
        "no event": b"",
    },
    "responses": {
        "cut": _CREATED + _DELTA,
        "whole": _CREATED + _DELTA + _COMPLETED,
        "error": _CREATED + _FAILED,
        "empty": _CREATED + _COMPLETED,
        "[DONE] alone": _DONE,
        "no event": b"",
    },
    "messages": {
        "cut": _BEGUN + _BLOCK + _TEXT,
        "whole": _BEGUN + _BLOCK + _TEXT + _event("content_block_stop", index=0) + _STOPPED,
        "error": _BEGUN + _OVERLOADED,
        "empty": _BEGUN + _STOPPED,
        "[DONE] alone": _DONE,
        "no event": b"",
    },
}


class Measurement(NamedTuple):
    """What a client did with a body that ended so: how many events it gave, and the exception, None for none."""

    dialogue: Dialogue
    body: str
    end: End
    events: int
    raised: str | None

    @property
    def lens(self) -> tuple[int, str | None]:
        """The same by the lens."""
        body = BODIES[self.dialogue.api][self.body]
        result = play(self.dialogue.client, body, end=self.end)
        events = 0 if self.dialogue.client is ANTHROPIC_HELPER else len(result.events)
        return events, result.raised.name if result.raised else None


def measure(dialogue: Dialogue, body: str, end: End) -> Measurement:
    """Run the client once."""
    with answering(BODIES[dialogue.api][body], end) as url:
        real = dialogue.run(url, STALL_S if end == "stall" else PATIENCE_S)
    return Measurement(dialogue, body, end, len(real.events), real.raised)


# Every end of an answer that is cut and of one that is whole; of the others the body alone decides.
CONDITIONS: tuple[tuple[str, End], ...] = (
    *(("cut", end) for end in ENDS),
    *(("whole", end) for end in ENDS),
    ("error", "fin"),
    ("empty", "fin"),
    ("[DONE] alone", "fin"),
    ("no event", "fin"),
)


def main() -> None:
    """Print the table."""
    for dialogue in DIALOGUES:
        print(f"{dialogue.client.name} {dialogue.installed}, {dialogue.api}")
        for body, end in CONDITIONS:
            found = measure(dialogue, body, end)
            how = f"raises {found.raised}" if found.raised else "returns normally"
            known = "" if found.lens == (found.events, found.raised) else f"   THE LENS SAYS {found.lens}"
            print(f"  {body:13} {end:11} {found.events:2} events  {how}{known}")


if __name__ == "__main__":
    main()

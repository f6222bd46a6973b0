"""What the installed SDKs do with each kind of end, measured against a raw socket.

``python tests/diagnosis/clients/measure.py`` prints the table, and beside each result what the lens says where that
differs. It is what `known_clients` is checked against.
"""

from __future__ import annotations

import importlib.metadata
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

READ_TIMEOUT_S = 0.4


def _chat(url: str) -> Real:
    client = openai.OpenAI(api_key="k", base_url=f"{url}/v1", max_retries=0, timeout=READ_TIMEOUT_S)
    return drained(lambda: client.chat.completions.create(model="m", messages=[], stream=True))


def _responses(url: str) -> Real:
    client = openai.OpenAI(api_key="k", base_url=f"{url}/v1", max_retries=0, timeout=READ_TIMEOUT_S)
    return drained(lambda: client.responses.create(model="m", input="x", stream=True))


def _anthropic(url: str) -> anthropic.Anthropic:
    return anthropic.Anthropic(api_key="k", base_url=url, max_retries=0, timeout=READ_TIMEOUT_S)


def _messages(url: str) -> Real:
    client = _anthropic(url)
    return drained(lambda: client.messages.create(model="m", max_tokens=1, messages=[], stream=True))


def _helper(url: str) -> Real:
    client, seen = _anthropic(url), []
    try:
        with client.messages.stream(model="m", max_tokens=1, messages=[]) as stream:
            seen.append(stream.get_final_message())
    except Exception as error:
        return Real([], type(error).__name__)
    return Real([], None, seen[0])


def _httpx_sse(url: str) -> Real:
    def events() -> Iterator[Any]:
        with (
            httpx.Client(timeout=READ_TIMEOUT_S) as client,
            httpx_sse.connect_sse(client, "GET", url) as source,
        ):
            yield from source.iter_sse()

    return drained(events)


class Dialogue(NamedTuple):
    """A client and the dialect that it is sent."""

    client: Client
    package: str
    api: str
    run: Callable[[str], Real]

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

_CHUNK = b'data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
_STOP = b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
_DONE = b"data: [DONE]\n\n"
_CREATED = b'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r","output":[]}}\n\n'
_DELTA = (
    b'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":1,"item_id":"i",'
    b'"output_index":0,"content_index":0,"delta":"a"}\n\n'
)
_COMPLETED = (
    b'event: response.completed\ndata: {"type":"response.completed","sequence_number":2,"response":{"id":"r","output":[],'
    b'"status":"completed"}}\n\n'
)
_START = (
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant",'
    b'"content":[],"model":"m","stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}\n\n'
    b'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
    b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}\n\n'
)
_STOPPED = (
    b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n'
    b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},'
    b'"usage":{"output_tokens":2}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n'
)
_EMPTY_MESSAGE = _START.partition(b"event: content_block_start")[0] + _STOPPED.partition(b"\n\n")[2]

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
        "error": _CREATED
        + b'event: error\ndata: {"type":"error","sequence_number":1,"code":"c","message":"boom"}\n\n',
        "empty": _CREATED + _COMPLETED,
        "[DONE] alone": _DONE,
        "no event": b"",
    },
    "messages": {
        "cut": _START,
        "whole": _START + _STOPPED,
        "error": _START
        + b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
        "empty": _EMPTY_MESSAGE,
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
        real = dialogue.run(url)
    return Measurement(dialogue, body, end, len(real.events), real.raised)


# Every end of an answer that is cut and of one that is whole; of the others the body alone decides.
CONDITIONS: tuple[tuple[str, End], ...] = (
    *(("cut", end) for end in ENDS),
    *(("whole", end) for end in ENDS),
    *((body, "fin") for body in ("error", "empty", "[DONE] alone", "no event")),
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

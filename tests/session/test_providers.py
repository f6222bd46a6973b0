"""Chats with providers: a server that answers as each of them does, over a real socket.

It checks what the provider would check (path, key, the members that its API requires) and replays streams of that
provider: samples from tests/data, and a recording where there is one beside the checkout.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from sse_tui.config import Profile
from sse_tui.dialects import Answer, create, senders
from sse_tui.dialects.base import Message
from sse_tui.eventstream import Event, Parser
from sse_tui.session.headless import Headless
from sse_tui.session.spec import SessionSpec
from tests.dialects.answer_data import as_data
from tests.samples import folders

Body = dict[str, Any]


def _texts(body: Body) -> bool:
    return [message["role"] for message in body["messages"]] == ["system", "user"] and body["stream"] is True


# dialect -> path, header of the key, what the API requires of the body, and streams
PROVIDERS: dict[str, tuple[str, str, Callable[[Body], bool], tuple[str, ...]]] = {
    "openai-chat": (
        "/v1/chat/completions", "authorization", _texts,
        ("plain-usage.sse", "chat-keepalives.sse", "deepseek/keep-alive-comments.sse"),
    ),
    "openai-completions": (
        "/v1/completions", "authorization", lambda body: isinstance(body["prompt"], str) and body["stream"],
        ("completions-azure.sse", "completions-length.sse", "openai/completion-streaming-ev-nc-2.sse"),
    ),
    "openai-responses": (
        "/v1/responses", "authorization",
        lambda body: body["instructions"] == "Be brief." and body["input"][0]["role"] == "user" and body["stream"],
        ("responses-refusal-and-tools.sse", "responses-reasoning-summary.sse", "openai/responses-stream-1.sse"),
    ),
    "anthropic-messages": (
        "/v1/messages", "x-api-key",
        lambda body: body["system"] == "Be brief." and body["max_tokens"] > 0 and body["stream"],
        ("anthropic-fallback-model.sse", "anthropic-thinking.sse", "anthropic/thinking-part-stream-0.sse"),
    ),
    "gemini": (
        "/v1beta/models/m:streamGenerateContent?alt=sse", "x-goog-api-key",
        lambda body: body["contents"][0]["parts"] == [{"text": "Hi"}] and "systemInstruction" in body,
        ("gemini-partial-arguments.sse", "gemini-text.sse", "gemini/google-thinking-part-iter-0.sse"),
    ),
    "cohere-v2": (
        "/v2/chat", "authorization", _texts,
        ("cohere-thinking-then-error.sse", "cohere-text.sse", "cohere/stream-0.sse"),
    ),
    "tgi": (
        "/generate_stream", "authorization", lambda body: "User: Hi" in body["inputs"],
        ("tgi-error.sse", "tgi-eos.sse", "hf-tgi/generate-stream-eos.sse"),
    ),
    "llamacpp-native": (
        "/completion", "authorization", lambda body: "User: Hi" in body["prompt"] and body["stream"],
        ("llamacpp-native-progress.sse", "llamacpp-native-limit.sse", "llama-cpp/native-eos.sse"),
    ),
}  # fmt: skip


class Provider:
    """Answers one request with a stream and remembers what was asked."""

    def __init__(self, stream: bytes, content_type: str = "text/event-stream") -> None:
        self.stream = stream
        self.content_type = content_type
        self.path = ""
        self.headers: dict[str, str] = {}
        self.body: Body = {}

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        self.path = head[0].split(" ")[1]
        fields = (line.partition(":") for line in head[1:] if line)
        self.headers = {name.lower(): value.strip() for name, _, value in fields}
        self.body = json.loads(await reader.readexactly(int(self.headers["content-length"])))
        writer.write(
            f"HTTP/1.1 200 OK\r\ncontent-type: {self.content_type}\r\nconnection: close\r\n\r\n".encode()
        )
        for at in range(0, len(self.stream), 700):
            writer.write(self.stream[at : at + 700])
            with contextlib.suppress(ConnectionError):
                await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def serving(provider: Provider) -> AsyncIterator[str]:
    server = await asyncio.start_server(provider, "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()
        yield f"http://{host}:{port}"


def expected(dialect: str, stream: bytes) -> dict[str, Any]:
    reader, answer, parser = create(dialect), Answer(), Parser()
    for item in [*parser.feed(stream), *parser.close()]:
        if isinstance(item, Event) and not reader.ended:  # a client stops at the end marker
            for delta in reader.read(item):
                answer.add(delta)
    return as_data(answer)


def test_all_of_them_but_the_one_that_sends_lines() -> None:
    assert {*PROVIDERS, "ollama"} == set(senders())


async def test_ollama_answers_in_lines_that_are_no_events() -> None:
    lines = [
        {"model": "m", "message": {"role": "assistant", "content": "Hel"}, "done": False},
        {"model": "m", "message": {"role": "assistant", "content": "lo"}, "done": False},
        {"model": "m", "message": {"content": ""}, "done": True, "done_reason": "stop", "eval_count": 2},
    ]
    provider = Provider(b"".join(json.dumps(line).encode() + b"\n" for line in lines), "application/x-ndjson")
    async with serving(provider) as address:
        spec = SessionSpec(mode="chat", profile=Profile(dialect="ollama", base_url=address, model="m"))
        async with Headless(spec) as session:
            entries = [entry async for entry in session.ask([Message("user", "Hi")])]
            turn = session.analysis.turns[0]
            assert session.problem is None
    assert provider.path == "/api/chat"
    assert turn.answer.text == "Hello"
    assert turn.outcome == "complete"
    assert turn.clocks.clocks().ttft is not None
    assert [entry.label for entry in entries if entry.kind == "ignored"] == ["token", "token", "finish"]


async def chat(dialect: str, stream: bytes) -> None:
    path, key_header, complies, _ = PROVIDERS[dialect]
    provider = Provider(stream)
    async with serving(provider) as address:
        base = address + ("/v1" if dialect.startswith("openai") else "")
        profile = Profile(dialect=dialect, base_url=base, model="m")
        spec = SessionSpec(mode="chat", profile=profile, api_key="k")
        async with Headless(spec) as session:
            asked = session.ask([Message("system", "Be brief."), Message("user", "Hi")])
            async for _ in asked:
                pass
            turn = session.analysis.turns[0]
            found = as_data(turn.answer)
    assert provider.path == path
    assert provider.headers[key_header].removeprefix("Bearer ") == "k"
    assert complies(provider.body)
    wanted = expected(dialect, stream)
    for summary in (found, wanted):  # whether what follows the end came in the same read is chance
        del summary["done_sentinel"]
    assert found == wanted
    assert turn.outcome == ("complete" if found["error"] is None else "error")


def streams(dialect: str) -> list[Path]:
    named = [folder / name for name in PROVIDERS[dialect][3] for folder in folders("streams")]
    found = [path for path in named if path.is_file()]
    assert len(found) >= 2
    return found


@pytest.mark.parametrize(
    ("dialect", "path"),
    [pytest.param(dialect, path, id=path.stem) for dialect in PROVIDERS for path in streams(dialect)],
)
async def test_a_chat(dialect: str, path: Path) -> None:
    await chat(dialect, path.read_bytes())

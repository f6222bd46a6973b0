"""What the installed SDKs make of a body that a mock transport answers with."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import anthropic
import httpx
import httpx2
import httpx_sse
import openai

EVENT_STREAM = "text/event-stream"


class Real(NamedTuple):
    """What the caller got: one value an event, and the name of the exception behind them, None without one."""

    events: list[Any]
    raised: str | None
    result: Any = None


def _answering(body: bytes, content_type: str) -> Callable[[Any], Any]:
    return lambda request: httpx2.Response(200, headers={"content-type": content_type}, content=body)


def drained(stream: Callable[[], Any]) -> Real:
    """Everything that the iteration gives, and the exception that ends it."""
    events: list[Any] = []
    try:
        for event in stream():
            events.append(event)  # noqa: PERF402  (those before an exception are kept)
    except Exception as error:
        return Real(events, type(error).__name__)
    return Real(events, None)


def openai_sdk(body: bytes, content_type: str = EVENT_STREAM, dialect: str = "openai-chat") -> Real:
    transport = httpx2.MockTransport(_answering(body, content_type))
    client = openai.OpenAI(
        api_key="k", base_url="http://mock/v1", max_retries=0, http_client=httpx2.Client(transport=transport)
    )
    if dialect == "openai-completions":
        return drained(lambda: client.completions.create(model="m", prompt="x", stream=True))
    if dialect == "openai-responses":
        return drained(lambda: client.responses.create(model="m", input="x", stream=True))
    return drained(lambda: client.chat.completions.create(model="m", messages=[], stream=True))


def _anthropic_client(body: bytes, content_type: str) -> anthropic.Anthropic:
    transport = httpx2.MockTransport(_answering(body, content_type))
    return anthropic.Anthropic(
        api_key="k", base_url="http://mock", max_retries=0, http_client=httpx2.Client(transport=transport)
    )


def anthropic_sdk(body: bytes, content_type: str = EVENT_STREAM) -> Real:
    client = _anthropic_client(body, content_type)
    return drained(lambda: client.messages.create(model="m", max_tokens=1, messages=[], stream=True))


def anthropic_helper(body: bytes, content_type: str = EVENT_STREAM) -> Real:
    client = _anthropic_client(body, content_type)
    try:
        with client.messages.stream(model="m", max_tokens=1, messages=[]) as stream:
            return Real([], None, stream.get_final_message())
    except Exception as error:
        return Real([], type(error).__name__)


def httpx_sse_client(body: bytes, content_type: str = EVENT_STREAM) -> Real:
    transport = httpx.MockTransport(
        lambda request: httpx.Response(200, headers={"content-type": content_type}, content=body)
    )

    def stream() -> Any:
        with (
            httpx.Client(transport=transport) as client,
            httpx_sse.connect_sse(client, "GET", "http://mock/") as source,
        ):
            yield from source.iter_sse()

    return drained(stream)


def contents(events: list[Any]) -> list[str]:
    """The content of each chunk that has any, as people's loops take it; NULL where choices is None."""
    out = []
    for chunk in events:
        if chunk.choices is None:
            out.append("NULL")
        elif chunk.choices and chunk.choices[0].delta.content:
            out.append(chunk.choices[0].delta.content)
    return out


def contents_of_data(datas: list[str]) -> list[str]:
    """The same from the data of the events."""
    out = []
    for data in datas:
        payload = json.loads(data)
        choices = payload.get("choices") if isinstance(payload, dict) else None
        if choices is None:
            out.append("NULL")
        elif choices and choices[0]["delta"].get("content"):
            out.append(choices[0]["delta"]["content"])
    return out

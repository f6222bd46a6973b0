from __future__ import annotations

from typing import Any

import pytest

from sse_tui.dialects import Auto, detect
from sse_tui.dialects.provenance import of_comment, of_headers, of_payload
from sse_tui.eventstream import Event

CHAT = '{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}'


@pytest.mark.parametrize(
    ("header", "provider"),
    [
        (("X-Generation-Id", "gen-1"), "openrouter"),
        (("x-litellm-call-id", "1"), "litellm"),
        (("apim-request-id", "1"), "azure"),
        (("x-groq-region", "us"), "groq"),
        (("anthropic-organization-id", "o"), "anthropic"),
        (("openai-processing-ms", "5"), "openai"),
        (("fireworks-server-time-to-first-token", "0.1"), "fireworks"),
        (("Server", "llama.cpp"), "llama.cpp"),
    ],
)
def test_headers(header: tuple[str, str], provider: str) -> None:
    found = of_headers([("content-type", "text/event-stream"), header])
    assert found is not None
    assert found.name == provider
    assert header[0].lower() in found.reason


def test_azure_passes_on_openais_headers() -> None:
    found = of_headers([("openai-processing-ms", "5"), ("x-ms-region", "East US")])
    assert found is not None
    assert found.name == "azure"


def test_nothing_in_common_headers() -> None:
    assert of_headers([("server", "uvicorn"), ("x-request-id", "1")]) is None
    assert of_comment("ping - 2026-01-01") is None
    assert of_payload({"choices": [{"delta": {"content": "a"}}]}) is None


@pytest.mark.parametrize(
    ("payload", "provider"),
    [
        ({"x_groq": {}, "choices": []}, "groq"),
        ({"choices": [], "prompt_filter_results": []}, "azure"),
        ({"choices": [{"content_filter_results": {}}]}, "azure"),
        ({"choices": [], "timings": {}}, "llama.cpp"),
        ({"choices": [], "provider": "DeepInfra"}, "openrouter"),
        ({"choices": [], "perf_metrics": {}}, "fireworks"),
        ({"choices": [{"matched_stop": None}]}, "sglang"),
        ({"choices": [], "sglext": {}}, "sglang"),
        ({"choices": [], "citations": []}, "perplexity"),
        ({"choices": [], "system_fingerprint": "fp_ollama"}, "ollama"),
        ({"choices": [{"stop_reason": None}]}, "vllm"),
        ({"choices": [], "obfuscation": "x"}, "openai"),
        ({"choices": [], "nvext": {}}, "nvidia-nim"),
    ],
)
def test_members(payload: dict[str, Any], provider: str) -> None:
    found = of_payload(payload)
    assert found is not None
    assert found.name == provider


def test_a_heartbeat_tells_the_provider_before_any_event() -> None:
    found = detect([], [], comments=[" OPENROUTER PROCESSING"])
    assert (found.name, found.provider) == ("openai-chat", "openrouter")
    assert "OPENROUTER PROCESSING" in found.reason


def test_events_win_over_what_the_provider_usually_sends() -> None:
    responses = Event("message", '{"type":"response.created","sequence_number":0}', "", 0, 0)
    found = detect([("x-generation-id", "g")], [responses])
    assert (found.name, found.provider) == ("openai-responses", "openrouter")


def test_while_detecting() -> None:
    dialect = Auto()
    dialect.headers_seen([("content-type", "text/event-stream")])
    dialect.comment_seen(" OPENROUTER PROCESSING")
    dialect.comment_seen(" keep-alive")
    assert (dialect.detection.provider, dialect.decided) == ("openrouter", False)
    dialect.read(Event("message", CHAT, "", 0, 0))
    assert (dialect.name, dialect.detection.provider) == ("openai-chat", "openrouter")
    assert "OPENROUTER PROCESSING" in dialect.detection.reason


def test_sessions_of_mcp_are_told_by_their_header() -> None:
    assert detect([("Mcp-Session-Id", "s")], []).name == "mcp"
    assert detect([("Link", '<https://h/.well-known/mercure>; rel="mercure"')], []).name == "mercure"

"""Who sent a stream, as far as headers, comments or members that only one provider has give it away.

A guess for the user, beside the dialect: most providers speak OpenAI's, and several speak more than one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sse_tui import fields

Headers = Sequence[tuple[str, str]]


class Provider(NamedTuple):
    """`name` of a provider or server software, `reason` in words."""

    name: str
    reason: str


# By the name of a response header, or its beginning when it ends in "-".
_HEADERS = (
    ("x-generation-id", "openrouter"),
    ("x-litellm-", "litellm"),
    ("apim-request-id", "azure"),
    ("x-ms-", "azure"),
    ("x-groq-", "groq"),
    ("anthropic-", "anthropic"),
    ("openai-", "openai"),
    ("x-ds-trace-id", "deepseek"),
    ("mistral-correlation-id", "mistral"),
    ("fireworks-", "fireworks"),
    ("nvcf-", "nvidia-nim"),
    ("x-compute-type", "hf-tgi"),
    ("x-replicate-", "replicate"),
)

# By the value of the server header.
_SERVERS = (
    ("llama.cpp", "llama.cpp"),
    ("openresty/deepseek", "deepseek"),
    ("scaffolding on httpserver2", "google"),
)

_COMMENTS = (("OPENROUTER PROCESSING", "openrouter"), ("keep-alive", "deepseek"))


def of_headers(headers: Headers) -> Provider | None:
    """The provider that a response's headers name. Azure also passes on OpenAI's headers, so it goes first."""
    names = [name.lower() for name, _ in headers]
    for wanted, provider in _HEADERS:
        for name in names:
            if name == wanted or (wanted.endswith("-") and name.startswith(wanted)):
                return Provider(provider, f"the header {name}")
    server = fields.first(headers, "server") or ""
    found = next((provider for wanted, provider in _SERVERS if server.lower().startswith(wanted)), None)
    return Provider(found, f"the header server: {server}") if found else None


def of_comment(text: str) -> Provider | None:
    """The provider whose heartbeat the comment is."""
    said = text.strip()
    found = next((provider for wanted, provider in _COMMENTS if said == wanted), None)
    return Provider(found, f"the comment {said!r}") if found else None


def _has(*names: str) -> Callable[[dict[str, Any], dict[str, Any]], bool]:
    return lambda payload, choice: any(name in payload for name in names)


def _choice_has(*names: str) -> Callable[[dict[str, Any], dict[str, Any]], bool]:
    return lambda payload, choice: any(name in choice for name in names)


def _openrouter(payload: dict[str, Any], choice: dict[str, Any]) -> bool:
    return isinstance(payload.get("provider"), str) and (
        "native_finish_reason" in choice or "choices" in payload
    )


def _fingerprint(prefix: str) -> Callable[[dict[str, Any], dict[str, Any]], bool]:
    return lambda payload, choice: str(payload.get("system_fingerprint") or "").startswith(prefix)


_MEMBERS: tuple[tuple[str, str, Callable[[dict[str, Any], dict[str, Any]], bool]], ...] = (
    ("openrouter", "OpenRouter's provider member", _openrouter),
    ("groq", "Groq's x_groq member", _has("x_groq")),
    ("azure", "Azure's content filter results", _has("prompt_filter_results")),
    (
        "azure",
        "Azure's content filter results",
        _choice_has("content_filter_results", "content_filter_offsets"),
    ),
    ("llama.cpp", "llama.cpp's timings", _has("timings", "prompt_progress")),
    ("fireworks", "Fireworks' perf_metrics", _has("perf_metrics")),
    ("sglang", "SGLang's own members", _has("sglext")),
    ("sglang", "SGLang's matched_stop", _choice_has("matched_stop")),
    ("perplexity", "Perplexity's search results", _has("search_results", "citations")),
    ("nvidia-nim", "Dynamo's nvext member", _has("nvext")),
    ("ollama", "Ollama's system fingerprint", _fingerprint("fp_ollama")),
    ("vllm", "vLLM's stop_reason in a choice", _choice_has("stop_reason", "token_ids")),
    ("openai", "OpenAI's obfuscation padding", _has("obfuscation")),
    ("mistral", "Mistral's p padding", lambda payload, choice: "p" in payload and bool(choice)),
)


def of_payload(payload: dict[str, Any]) -> Provider | None:
    """The provider whose own members a payload has."""
    choices = payload.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    for provider, reason, matches in _MEMBERS:
        if matches(payload, choice):
            return Provider(provider, reason)
    return None

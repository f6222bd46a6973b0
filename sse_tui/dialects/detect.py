"""Telling the dialect of a stream from its response headers and first events, and who sent it.

The first entry of the table in `fingerprints` that matches wins; `provenance` knows members, headers and comments that
only one provider has. What is found here is only ever a proposal: a dialect that the user names is used unchecked.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import NamedTuple

from sse_tui.dialects import provenance
from sse_tui.dialects.fingerprints import FINGERPRINTS, Clue, clue_of
from sse_tui.dialects.generic import Generic
from sse_tui.dialects.payload import JsonError, decode, members
from sse_tui.dialects.provenance import Headers, Provider
from sse_tui.eventstream.items import Event


class Detection(NamedTuple):
    """The dialect to read with, and why, in words for the user; `provider` is a guess at who sent it."""

    name: str
    reason: str
    provider: str | None = None


NO_FINGERPRINT = "no known fingerprint"

# What the methods of MCP begin with, "ping" aside; other protocols on JSON-RPC have other names.
_MCP_METHODS = (
    *("initialize", "tools/", "resources/", "prompts/", "completion/", "logging/", "notifications/"),
    *("sampling/", "roots/", "elicitation/"),
)

# Providers whose streams are chat completions, unless their events say something else.
_CHAT = frozenset(
    {"openrouter", "groq", "deepseek", "litellm", "fireworks", "mistral", "azure", "nvidia-nim"}
)


def detect(
    headers: Headers,
    events: Iterable[Event],
    readers: Container[str] | None = None,
    *,
    comments: Iterable[str] = (),
) -> Detection:
    """The dialect that the headers, the events and the texts of the comments point to.

    `readers` are the names of the dialects that can be read, None for any; the fingerprint of another dialect gives
    "generic" and a reason that names it. Without a fingerprint the reason is `NO_FINGERPRINT`: later events may have
    one.
    """
    guesses = [provenance.of_headers(headers), *map(provenance.of_comment, comments)]
    guess = next(filter(None, guesses), None)
    found = by_headers(headers)
    if found is not None:
        return detection(*found, readers, guess)
    for event in events:
        clue = clue_of(event)
        found = by_event(clue)
        if found is not None:
            return detection(*found, readers, guess or provenance.of_payload(clue.data))
    if guess is not None and guess.name in _CHAT:
        return detection("openai-chat", guess.reason, readers, guess)
    return Detection(Generic.name, NO_FINGERPRINT, guess.name if guess else None)


def by_request(headers: Headers, body: str) -> tuple[str, str] | None:
    """A dialect and why, where the request alone is enough: an MCP stream may begin, and end, with an ID alone."""
    for name, _ in headers:
        if name.lower() in ("mcp-session-id", "mcp-protocol-version"):
            return "mcp", f"the request header {name.lower()}"
    if '"jsonrpc"' not in body:
        return None
    try:
        method = members(decode(body)).get("method")
    except JsonError:
        return None
    if isinstance(method, str) and method.startswith(_MCP_METHODS):
        return "mcp", f"the method {method} of the request"
    return None


def by_headers(headers: Headers) -> tuple[str, str] | None:
    """A dialect and why, where headers alone are enough."""
    for name, value in headers:
        lower = name.lower()
        if lower == "x-vercel-ai-ui-message-stream":
            return "vercel-ui", "the header x-vercel-ai-ui-message-stream"
        if lower == "mcp-session-id":
            return "mcp", "the header mcp-session-id"
        if lower == "link" and 'rel="mercure"' in value.replace("'", '"'):
            return "mercure", "a link header with the relation mercure"
    return None


def by_event(clue: Clue) -> tuple[str, str] | None:
    """A dialect and why, where one event is enough."""
    return next(((entry.dialect, entry.reason) for entry in FINGERPRINTS if entry.matches(clue)), None)


def detection(dialect: str, reason: str, readers: Container[str] | None, guess: Provider | None) -> Detection:
    """What is proposed for a dialect that was recognised; `guess` is the provider, where there is one."""
    provider = guess.name if guess else None
    if guess is not None and guess.reason != reason:
        reason = f"{reason}; {guess.name} by {guess.reason}"
    if readers is None or dialect in readers:
        return Detection(dialect, reason, provider)
    return Detection(Generic.name, f"{reason}: looks like {dialect}, which has no reader", provider)

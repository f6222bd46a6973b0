"""How known clients differ from the standard, as data: what they do with bytes, fields, payloads and the end.

Measured with the versions named, and checked in the tests against the installed SDKs: the ends on a raw socket, by
``tests/diagnosis/clients/measure.py``, which prints them. Newer versions may behave differently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sse_tui.diagnosis.clients.ends import End

Payloads: TypeAlias = Literal["as text", "openai", "anthropic", "anthropic helper"]


@dataclass(frozen=True, slots=True)
class Client:
    """One client.

    `strips_bom`: a byte order mark at the start is removed rather than read as text. `bad_utf8`: bytes that are not
    UTF-8 are replaced, or end the stream with an exception. `phantoms`: a blank line dispatches an event once a type,
    an id or a retry is set, even without data. `int_retry`: retry is parsed by int(), which accepts more than digits.
    `charset`: the header's charset is used instead of UTF-8. `checks_type`: what happens with a content type other than
    text/event-stream: the connection fails for good, an exception is raised, or nothing. `payloads`: how the client
    interprets the data. `ends`: the exception that each kind of end raises, if it does. `speaks`: what the names of the
    dialects begin with that it is made for, "" for any.
    """

    name: str
    version: str
    strips_bom: bool = False
    bad_utf8: Literal["replace", "raise"] = "raise"
    phantoms: bool = True
    int_retry: bool = True
    charset: bool = False
    checks_type: Literal["fails", "raises", "ignores"] = "ignores"
    payloads: Payloads = "as text"
    ends: Mapping[End, str] = field(default_factory=dict, hash=False)
    speaks: str = ""


_HTTPX: Mapping[End, str] = {
    "incomplete": "RemoteProtocolError",
    "reset": "ReadError",
    "stall": "ReadTimeout",
}
_OPENAI: Mapping[End, str] = {
    "incomplete": "APIConnectionError",
    "reset": "APIConnectionError",
    "stall": "APITimeoutError",
}

STANDARD = Client(
    "the standard",
    "HTML 9.2",
    strips_bom=True,
    bad_utf8="replace",
    phantoms=False,
    int_retry=False,
    checks_type="fails",
    ends={"incomplete": "error event", "reset": "error event"},  # and then it reconnects
)
HTTPX_SSE = Client("httpx-sse", "0.4.3", bad_utf8="replace", charset=True, checks_type="raises", ends=_HTTPX)
OPENAI = Client("openai", "3.57.0", payloads="openai", ends=_OPENAI, speaks="openai-")
ANTHROPIC = Client("anthropic", "2.14.0", payloads="anthropic", ends=_HTTPX, speaks="anthropic-")
ANTHROPIC_HELPER = Client(
    "anthropic, get_final_message()", "2.14.0", payloads="anthropic helper", ends=_HTTPX, speaks="anthropic-"
)

CLIENTS: tuple[Client, ...] = (STANDARD, HTTPX_SSE, OPENAI, ANTHROPIC, ANTHROPIC_HELPER)


def at_cut(dialect: str, end: End) -> str:
    """What the SDK for `dialect` makes of an answer that is cut and ends so, as a sentence."""
    made_for = (client for client in CLIENTS if client.speaks and dialect.startswith(client.speaks))
    client = next(made_for, HTTPX_SSE)
    name = f"The {client.name} SDK" if client.speaks else "A client based on httpx"
    raised = client.ends.get(end)
    if raised is not None:
        return f"{name} raises {raised}."
    if client is ANTHROPIC:
        return f"{name} returns normally; its helper returns a message whose stop_reason is None."
    if client is OPENAI:
        return f"{name} returns normally, as if the answer were complete."
    return "A client that does not look for the end marker takes the answer to be complete."

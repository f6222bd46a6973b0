"""How known clients differ from the standard, as data: what they do with bytes, fields, payloads and the end.

Measured with the versions named, and checked against the installed SDKs in the tests. A newer version may have been
mended; the figures say which one they are of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Payloads: TypeAlias = Literal["as text", "openai", "anthropic", "anthropic helper"]


@dataclass(frozen=True, slots=True)
class Client:
    """One client.

    `strips_bom`: a byte order mark at the start is removed, not taken for text. `bad_utf8`: what is no UTF-8 is
    replaced, or ends the stream with an exception. `phantoms`: a blank line makes an event as soon as a type, an id or
    a retry is set, data or not. `int_retry`: retry is read by int(), which takes more than digits. `charset`: the
    header's charset is used instead of UTF-8. `checks_type`: what is done about a content type other than
    text/event-stream: the connection fails for good, an exception is raised, or nothing. `payloads`: what the client
    makes of the data.
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


STANDARD = Client(
    "the standard",
    "HTML 9.2",
    strips_bom=True,
    bad_utf8="replace",
    phantoms=False,
    int_retry=False,
    checks_type="fails",
)
HTTPX_SSE = Client("httpx-sse", "0.4.3", bad_utf8="replace", charset=True, checks_type="raises")
OPENAI = Client("openai", "3.57.0", payloads="openai")
ANTHROPIC = Client("anthropic", "2.14.0", payloads="anthropic")
ANTHROPIC_HELPER = Client("anthropic, get_final_message()", "2.14.0", payloads="anthropic helper")

CLIENTS: tuple[Client, ...] = (STANDARD, HTTPX_SSE, OPENAI, ANTHROPIC, ANTHROPIC_HELPER)

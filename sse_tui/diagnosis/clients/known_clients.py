"""How known clients differ from the standard, as data: what they do with bytes, fields, payloads and the end.

Measured with the versions named, and checked in the tests against the installed SDKs. Newer versions may behave
differently.
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
    interprets the data. `ends`: the exception that each kind of end raises; none for those that are not there.
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

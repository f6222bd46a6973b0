"""Whether the same request may succeed if it is sent again, by the error that a server reported.

The server's troubles pass (overload, rate limits, time-outs, 5xx); what is wrong with the request, its key or its
content does not. The table is read from the top: what a client did wrong comes first, since it is often reported with
the status of the server's trouble (``insufficient_quota`` comes with 429).
"""

from __future__ import annotations

import re

from sse_tui.dialects.base import StreamFault

# What the words of type, code and message say, in the order of their weight.
_WORDS: tuple[tuple[re.Pattern[str], bool], ...] = tuple(
    (re.compile(pattern, re.I), again)
    for pattern, again in (
        (r"insufficient.?(?:quota|balance|credit|fund)|billing|payment|credit balance|your current quota", False),
        (r"invalid.?key|api.?key|unauthori[sz]ed|unauthenticated|authenticat|permission|forbidden|denied", False),
        (r"context.?length|maximum context|too long|too large|max.?tokens|string_above|token count", False),
        (r"content.?(?:policy|filter)|moderation|safety|blocked|prohibited|sensitive|flagged|inspection", False),
        (r"try.?(?:\w+ )?(?:again|later)|retry|temporar", True),
        (r"overload|rate.?limit|too.?many|throttl|capacity|quota|exhausted|concurren|slow down|busy", True),
        (r"time.?(?:d )?out|deadline|unavailable|bad.?gateway|upstream|connection|network|reset|refused", True),
        (r"not.?found|does not exist|unknown model|no such|unsupported|not supported|decommissioned", False),
        (r"expired|too old", False),
        (r"invalid|validation|malformed|bad.?request|missing|unprocessable|parameter|schema|precondition", False),
        (r"internal|server.?err|api_error|engine|crash|out of memory|service|exception|unexpected|aborted", True),
    )
)  # fmt: skip

_AGAIN = frozenset({408, 409, 425, 429})
_NEVER = frozenset({501, 505})


def retry_may_help(fault: StreamFault, status: int | None = None) -> bool | None:
    """Whether another attempt may succeed; None where the error does not say so.

    `status` is the HTTP status that the error gives beside a code of its own.
    """
    named = " ".join(str(part) for part in (fault.type, fault.code) if part is not None)
    for said in (named, fault.message or ""):
        for pattern, again in _WORDS if said else ():
            if pattern.search(said):
                return again
        given = _status(fault.code)
        if given is not None:
            return _of_status(given)
    return _of_status(status) if status is not None else None


def _of_status(status: int) -> bool:
    return status in _AGAIN or (status >= 500 and status not in _NEVER)


def retry_words(fault: StreamFault, status: int | None = None) -> str:
    """The same as a sentence."""
    return {
        True: "A retry may succeed: the cause is on the server's side.",
        False: "A retry is unlikely to help: the cause is in the request or the account.",
        None: "It does not show whether a retry may help.",
    }[retry_may_help(fault, status)]


def _status(code: str | int | None) -> int | None:
    """The HTTP status that a code is."""
    value = int(code) if isinstance(code, str) and len(code) == 3 and code.isdecimal() else code
    return value if isinstance(value, int) and 400 <= value < 600 else None

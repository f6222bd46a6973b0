"""Names that announce an error: of events (``event: exception``), of payloads (``"type": "RUN_ERROR"``), of codes.

A name counts when an error word stands at its end and everything before it belongs to the stream itself (``run_error``,
``streamError``, ``throttlingException``). An event feed has errors of its own (``sensor_error``), and so has an agent
(``tool_error``): those are contents, after which the stream goes on.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

PLAIN = frozenset({"error", "errors", "exception", "failure", "failed", "fail", "fault", "fatal"})
"""Names that say that there is an error, and nothing about it."""

_ENDS = frozenset({"error", "errors", "exception", "failure", "fault"})
_ALONE = PLAIN - {"fail", "failed"}  # that is what jobs do in a feed about them
# What may follow the word at the beginning of a name.
_AFTER = frozenset(
    {"event", "message", "msg", "chunk", "delta", "response", "occurred", "frame", "data", "info"}
)
# The parts of the system that stream, and what servers say of their own errors.
_WHOSE = frozenset(
    (
        *(
            "stream",
            "streaming",
            "sse",
            "event",
            "chat",
            "run",
            "response",
            "message",
            "conversation",
            "thread",
        ),
        *(
            "generation",
            "generate",
            "completion",
            "completions",
            "inference",
            "llm",
            "model",
            "agent",
            "engine",
        ),
        *(
            "server",
            "service",
            "api",
            "gateway",
            "proxy",
            "upstream",
            "backend",
            "worker",
            "provider",
            "runtime",
        ),
        *(
            "system",
            "internal",
            "unexpected",
            "unknown",
            "fatal",
            "http",
            "network",
            "connection",
            "execution",
        ),
        *(
            "workflow",
            "graph",
            "request",
            "invalid",
            "bad",
            "rate",
            "limit",
            "too",
            "many",
            "requests",
            "quota",
        ),
        *(
            "overloaded",
            "overload",
            "timeout",
            "unavailable",
            "throttling",
            "throttled",
            "billing",
            "permission",
        ),
        *(
            "authentication",
            "authorization",
            "not",
            "found",
            "exceeded",
            "context",
            "length",
            "content",
            "on",
        ),
    )
)
# Of these only an answer fails; runs and jobs fail in every feed about them.
_FAILS = frozenset({"chat", "conversation", "response", "generation", "completion", "inference", "stream"})

_EXCEPTION = re.compile(r"[A-Za-z][\w.]*Exception")

_CODE = re.compile(
    r"error|exception|fail|fault|throttl|invalid|denied|forbidden|unauth|not.?found|rate.?limit|quota|exceed|time.?out"
    r"|unavailable|overload|exhausted|refused|bad.?request|too.?many|insufficient",
    re.I,
)


_LONGEST = 80


def announces(name: str) -> bool:
    """Whether an event or a payload of this name is an error that the stream reports."""
    return len(name) <= _LONGEST and _announces(name)


@lru_cache(maxsize=512)
def _announces(name: str) -> bool:
    if _EXCEPTION.fullmatch(name):
        return True
    words = [word.lower() for word in _WORD.findall(name)]
    if not words:
        return False
    first, *rest = words
    *before, last = words
    if not rest:
        return first in _ALONE
    if first == "error":
        return _AFTER.issuperset(rest)
    return (last in _ENDS and _WHOSE.issuperset(before)) or (last == "failed" and _FAILS.issuperset(before))


def is_exception(name: str) -> bool:
    """Whether an event's name is that of an exception, which says what went wrong."""
    return _EXCEPTION.fullmatch(name) is not None


def is_error_code(code: str) -> bool:
    """Whether a code in words is the name of an error: ``Throttling.RateQuota``, ``RESOURCE_EXHAUSTED``."""
    return len(code) <= 120 and _CODE.search(code) is not None

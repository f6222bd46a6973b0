"""What the payloads of a stream mean, by provider.

`create` gives a reader for one response, `Answer` assembles what it reads.
"""

from __future__ import annotations

from sse_tui.dialects.answer import Answer
from sse_tui.dialects.base import Auth, Dialect, Message, Prepared
from sse_tui.dialects.detect import Detection, detect
from sse_tui.dialects.generic import Generic
from sse_tui.dialects.line_dialects import LineDialect
from sse_tui.dialects.providers.openai_chat import OpenAIChat
from sse_tui.dialects.providers.openai_responses import OpenAIResponses
from sse_tui.dialects.registry import READERS, Auto, AutoLines, create, dialect_class, names, senders
from sse_tui.dialects.stray_lines import stray_text

__all__ = [
    "READERS",
    "Answer",
    "Auth",
    "Auto",
    "AutoLines",
    "Detection",
    "Dialect",
    "Generic",
    "LineDialect",
    "Message",
    "OpenAIChat",
    "OpenAIResponses",
    "Prepared",
    "create",
    "detect",
    "dialect_class",
    "names",
    "senders",
    "stray_text",
]

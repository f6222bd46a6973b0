"""sse-tui: chat with, inspect, break, record and replay streamed LLM output and server-sent events.

As a library it reads, analyses and reports on event streams. These names are its whole public interface:

`Parser` reads an event stream as the bytes arrive, and `encode` writes one:

>>> import sse_tui
>>> parser = sse_tui.Parser()
>>> parser.feed(b"id: 1\\ndata: Hel")
[]
>>> [(event.id, event.data) for event in parser.feed(b"lo\\n\\n")]
[('1', 'Hello')]
>>> sse_tui.encode(data="Hello", id="1")
b'id: 1\\ndata: Hello\\n\\n'

`analyse` reads a recording, a raw event stream or a capture of another tool, from a file or from bytes, and says what
it means: the dialect, the answer, how it ended, and what the rules found.

>>> chunk = b'data: {"choices": [{"delta": {"content": "Hello"}, "finish_reason": "stop"}]}\\n\\n'
>>> body = chunk + b'data: [DONE]\\n\\n'
>>> analysis = sse_tui.analyse(body)
>>> turn = analysis.turns[0]
>>> turn.dialect_name, turn.answer.text, turn.events
('openai-chat', 'Hello', 2)

`report` adds expectations, and `render` writes the report as "text", "json", "md", "html" or "junit".

>>> report = sse_tui.report(body, expect="complete, text~Hello")
>>> report.failed("error")
False
>>> print(sse_tui.render(report).splitlines()[1])
1 turn, 1 connection, 2 events, 93 bytes

`read_recording` gives the records themselves: each request, response, read, fault and reconnect with its time in
nanoseconds.

>>> recording = sse_tui.read_recording(body)
>>> [record.kind for record in recording]
['chunk', 'close', 'end']

Errors are `SseTuiError`, with a `code` for programs and a `message` for people.
"""

from sse_tui.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sse_tui.api import *  # noqa: F403

__all__ = [
    "Analysis", "Comment", "Event", "Finding", "Item", "Parser", "Record", "Recording", "Report",  # noqa: F405
    "SseTuiError", "__version__", "analyse", "encode", "read_recording", "render", "report",  # noqa: F405
]  # fmt: skip


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # PEP 562: the program itself imports this package, and must not wait for the library's parts.
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from sse_tui import api

        return getattr(api, name)

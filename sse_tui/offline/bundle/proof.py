"""The proof that a bundle holds no known secret: every file of it is searched after it was written.

In each file as it is, in the bodies of the recording put together from their reads and with their content coding
removed, and in the text that a model spelled out over several events.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from sse_tui.analysis.turn import Turn
from sse_tui.errors import SseTuiError
from sse_tui.recording import read_recording
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.masking import SecretSearch
from sse_tui.recording.records import Chunk, Close, Response

BLOCK = 1 << 18
RULE = "secrets-in-recording"

_INVISIBLE = re.compile(r"<!-- -->|<[^<>]{1,200}>")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def prove_clean(files: Iterable[tuple[str, Callable[[], BinaryIO]]], secrets: list[str]) -> None:
    """SecretSearch the files (a name and what opens it). Raises `SseTuiError` at the first secret."""
    if not secrets:
        return
    for name, opened in files:
        with opened() as file:
            _search_raw(name, file, secrets)
        if name.endswith(".sse.jsonl"):
            with opened() as file:
                _search_bodies(name, file, secrets)
        else:
            with opened() as file:
                _search_texts(name, file.read().decode("utf-8", "replace"), secrets)


def prove_text(turns: Iterable[Turn], secrets: list[str]) -> None:
    """SecretSearch what the events of each turn say together. Raises `SseTuiError`."""
    if not secrets:
        return
    for turn in turns:
        channels = {piece.channel for piece in turn.transcript}
        for channel in sorted(channels):
            search = SecretSearch(secrets)
            for piece in turn.transcript:
                if piece.channel == channel and (
                    found := search.feed(piece.text.encode("utf-8", "surrogatepass"))
                ):
                    raise leak(f"the {channel} of turn {turn.number}, spelled out over several events", found)


def leak(where: str, secret: str) -> SseTuiError:
    """The error that stops a bundle. It does not reveal the secret."""
    return SseTuiError(
        RULE,
        f"A known secret ({secret[:2]}..., {len(secret)} characters) is still in {where}; nothing was written.",
        "Remove it from the recording, or reduce the recording first: sse-tui minimize.",
    )


def _search_raw(name: str, file: BinaryIO, secrets: list[str]) -> None:
    search = SecretSearch(secrets)
    while block := file.read(BLOCK):
        if found := search.feed(block):
            raise leak(name, found)


def _search_bodies(name: str, file: BinaryIO, secrets: list[str]) -> None:
    """Each connection's reads one after another: as they were sent, and decoded where a coding hid them."""
    raw: dict[int, SecretSearch] = {}
    plain: dict[int, tuple[ContentDecoder, SecretSearch]] = {}
    for record in read_recording(file):
        conn = record.conn
        if isinstance(record, Response):
            plain[conn] = ContentDecoder(record.headers), SecretSearch(secrets)
        elif isinstance(record, Chunk):
            data = record.data
            found = raw.setdefault(conn, SecretSearch(secrets)).feed(data)
            if conn in plain and not found:
                decoder, search = plain[conn]
                decoded = decoder.decode(data)
                found = search.feed(decoded) if decoded != data else None
            if found:
                raise leak(f"the body of connection {conn} in {name}", found)
        elif isinstance(record, Close):
            raw.pop(conn, None)
            plain.pop(conn, None)


def _search_texts(name: str, text: str, secrets: list[str]) -> None:
    for form in _as_read(text):
        if found := SecretSearch(secrets).feed(form.encode("utf-8", "surrogatepass")):
            raise leak(name, found)


def _as_read(text: str) -> Iterator[str]:
    """The text as whoever looks at it reads it: without escapes of HTML or Markdown, and without tags."""
    bare = html.unescape(_INVISIBLE.sub("", text))
    yield html.unescape(text)
    yield bare
    yield _ESCAPED.sub(r"\1", bare)

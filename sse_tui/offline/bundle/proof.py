"""The proof that a bundle holds no known secret: every file of it is searched after it was written.

In each file as it is, in the bodies of the recording put together from their reads and with their content coding
removed, and in the text that a model spelled out over several events.
"""

from __future__ import annotations

import html
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, BinaryIO, cast

from sse_tui.analysis.turn import Turn
from sse_tui.errors import SseTuiError
from sse_tui.recording import read_recording
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.masking import SecretSearch
from sse_tui.recording.records import Chunk, Close, Response
from sse_tui.recording.secret_hashes import HashedSecrets

BLOCK = 1 << 18
RULE = "secrets-in-recording"

_INVISIBLE = re.compile(r"<!-- -->|<[^<>]{1,200}>")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def prove_clean(files: Iterable[Path | zipfile.Path], secrets: list[str]) -> None:
    """Search the files of a folder or an archive. Raises `SseTuiError` at the first secret."""
    if not secrets:
        return
    for path in files:
        with path.open("rb") as file:
            _search_raw(path.name, file, secrets)
        with path.open("rb") as file:
            if path.name.endswith(".sse.jsonl"):
                _search_bodies(path.name, cast(BinaryIO, file), secrets)
            else:
                _search_texts(path.name, file.read().decode("utf-8", "replace"), secrets)


def prove_text(turns: Iterable[Turn], secrets: list[str], used: HashedSecrets | None = None) -> None:
    """Search what the events of each turn say together. Raises `SseTuiError`."""
    for where, secret in spelled_out(turns, secrets, used):
        raise leak(f"{where}, spelled out over several events", secret)


def spelled_out(
    turns: Iterable[Turn], secrets: list[str], used: HashedSecrets | None = None
) -> Iterator[tuple[str, str]]:
    """The secrets that events spell out together, of those known and of those that the session `used`, and where."""
    if not secrets and used is None:
        return
    for turn in turns:
        searches = defaultdict[str, SecretSearch](lambda: SecretSearch(secrets))
        before = defaultdict[str, bytes](bytes)
        for piece in turn.transcript:
            where = f"the {piece.channel} of turn {turn.number}"
            data = piece.text.encode("utf-8", "surrogatepass")
            if found := searches[piece.channel].feed(data):
                yield where, found
            if used is None:
                continue
            window = before[piece.channel] + data
            before[piece.channel] = window[-used.reach :]
            for each in used.found(window):
                if SecretSearch([each]).feed(window):
                    yield where, each


def leak(where: str, secret: str) -> SseTuiError:
    """The error that stops a bundle. It does not reveal the secret."""
    return SseTuiError(
        RULE,
        f"A known secret ({secret[:2]}..., {len(secret)} characters) is still in {where}; nothing was written.",
        "Remove it from the recording, or reduce the recording first: sse-tui minimize.",
    )


def _search_raw(name: str, file: IO[bytes], secrets: list[str]) -> None:
    search = SecretSearch(secrets)
    while block := file.read(BLOCK):
        if found := search.feed(block):
            raise leak(name, found)


def _search_bodies(name: str, file: BinaryIO, secrets: list[str]) -> None:
    """Each connection's reads one after another: as they were sent, and decoded where a coding hid them."""
    raw = defaultdict[int, SecretSearch](lambda: SecretSearch(secrets))
    plain: dict[int, tuple[ContentDecoder, SecretSearch]] = {}
    for record in read_recording(file):
        conn = record.conn
        if isinstance(record, Response):
            plain[conn] = ContentDecoder(record.headers), SecretSearch(secrets)
        elif isinstance(record, Chunk):
            data = record.data
            found = raw[conn].feed(data)
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
    """The text as whoever looks at it reads it: without escapes of HTML or Markdown, and without tags."""
    bare = html.unescape(_INVISIBLE.sub("", text))
    for form in (html.unescape(text), bare, _ESCAPED.sub(r"\1", bare)):
        if found := SecretSearch(secrets).feed(form.encode("utf-8", "surrogatepass")):
            raise leak(name, found)

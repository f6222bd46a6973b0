"""VCR cassettes, YAML or JSON, of vcrpy, Ruby's vcr or go-vcr. They contain complete bodies and no times.

YAML is read as text, lists and mappings only: a tag never creates a Python object, except that ``!!binary`` is decoded
to bytes.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

import msgspec

from sse_tui.recording.imports.exchange import ConnectionNumbers, Exchange, streams_of
from sse_tui.recording.imports.piece import Piece, malformed
from sse_tui.recording.imports.whole_documents import (
    BROKEN,
    decoded,
    encoded,
    fields,
    items,
    text,
    whole,
    whole_number,
)
from sse_tui.recording.records import End, Headers, Record

YAML_LIMIT = 64 << 20
_BINARY = ("tag:yaml.org,2002:binary", "!binary")
# Aliases let a small document stand for a large one.
_REPEATED = 4


def read(pieces: Iterable[Piece]) -> tuple[str, Iterator[Record]]:
    """The clock, "none", and the records of a cassette's streams. Raises RecordingError."""
    document = whole(pieces, "cassette").removeprefix(b"\xef\xbb\xbf")
    size = len(document)
    content = fields(_json(document) if document.lstrip().startswith(b"{") else _yaml(document))
    del document
    found = [
        _exchange(fields(interaction))
        for interaction in items(content.get("interactions") or content.get("http_interactions"))
    ]
    taken = streams_of(found)
    if not any(taken):
        raise malformed(
            "cassette-no-stream", f"None of the {len(found)} interactions in the cassette is an event stream."
        )
    streams = [exchange for exchange, stream in zip(found, taken, strict=True) if stream]
    if sum(len(exchange.body) for exchange in streams) > _REPEATED * size:
        raise malformed("cassette", "The aliases in the cassette repeat more data than the file contains.")
    return "none", _records(streams)


def _records(streams: list[Exchange]) -> Iterator[Record]:
    numbering = ConnectionNumbers()
    for exchange in streams:
        yield from exchange.records(*numbering.next(exchange))
    yield End(t=0, reason="imported")


def _json(document: bytes) -> Any:
    try:
        return msgspec.json.decode(document)
    except BROKEN as error:
        raise malformed("cassette", f"The cassette is not valid JSON: {error}.") from None


def _yaml(document: bytes) -> Any:
    import yaml

    if len(document) > YAML_LIMIT:
        raise malformed(
            "size",
            f"The cassette is larger than {YAML_LIMIT >> 20} MiB.",
            "Remove the interactions you do not need.",
        )
    try:
        return yaml.load(document, Loader=_loader())
    except (yaml.YAMLError, *BROKEN) as error:
        problem = getattr(error, "problem", None) or str(error)
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark is not None else ""
        raise malformed(
            "cassette", f"The cassette is not valid YAML: {' '.join(str(problem).split())}{where}."
        ) from None


def _exchange(interaction: dict[str, Any]) -> Exchange:
    request, response = fields(interaction.get("request")), fields(interaction.get("response"))
    status = response.get("status")
    code = fields(status).get("code", response.get("code", response.get("status_code", status)))
    version = text(response.get("http_version")) or text(response.get("proto"))
    return Exchange(
        text(request.get("method")).upper() or "GET",
        text(request.get("uri")) or text(request.get("url")),
        _headers(request.get("headers")),
        _body(request),
        _status(code),
        f"HTTP/{version}" if version[:1].isdigit() else version,
        _headers(response.get("headers")),
        _body(response),
    )


def _status(code: object) -> int:
    if isinstance(code, str):
        digits = code.strip()[:3]
        code = int(digits) if digits.isascii() and digits.isdigit() else None
    return whole_number(code, 0, 999) or 0


def _headers(value: object) -> Headers:
    headers: Headers = []
    for name, values in fields(value).items():
        for one in values if isinstance(values, list) else [values]:
            if isinstance(one, bytes):
                one = one.decode("latin-1")
            if isinstance(name, str) and isinstance(one, str):
                headers.append((name, one))
    return headers


def _body(message: dict[str, Any]) -> bytes:
    body = message.get("body")
    if isinstance(body, dict):
        if isinstance(body.get("base64_string"), str):
            return decoded(body["base64_string"], "A body of the cassette")
        body = body.get("string")
    return body if isinstance(body, bytes) else encoded(text(body))


@cache
def _loader() -> Any:
    """The class to pass to ``yaml.load``; uses libyaml, which is ten times faster, if PyYAML has it."""
    yaml = import_module("yaml")
    parser = getattr(yaml, "CParser", None)
    readers = (
        (parser,)
        if parser is not None
        else (yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser, yaml.composer.Composer)
    )
    rest = (yaml.constructor.BaseConstructor, yaml.resolver.BaseResolver)

    def begin(self: Any, stream: Any) -> None:
        readers[0].__init__(self, stream)
        for base in (*readers[1:], *rest):
            base.__init__(self)

    def binary(self: Any, node: Any) -> bytes:
        try:
            return base64.b64decode("".join(str(self.construct_scalar(node)).split()), validate=True)
        except (binascii.Error, ValueError) as error:
            raise yaml.constructor.ConstructorError(
                None, None, f"broken binary: {error}", node.start_mark
            ) from error

    made: Any = type("CassetteLoader", (*readers, *rest), {"__init__": begin})
    for tag in _BINARY:
        made.add_constructor(tag, binary)
    return made

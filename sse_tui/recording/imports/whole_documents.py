"""Documents that can only be read as a whole, and checks of the values in them, which may be anything."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from typing import Any

import msgspec

from sse_tui.recording.imports.piece import Piece, malformed
from sse_tui.recording.records import Headers

DOCUMENT_LIMIT = 256 << 20
# What decoding invalid JSON may raise.
BROKEN = (msgspec.MsgspecError, ValueError, RecursionError)


def whole(pieces: Iterable[Piece], what: str) -> bytes:
    """All bytes of a document, at most `DOCUMENT_LIMIT` of them. Raises RecordingError."""
    read = bytearray()
    for _, data in pieces:
        read += data
        if len(read) > DOCUMENT_LIMIT:
            raise malformed(
                "size",
                f"The {what} is larger than {DOCUMENT_LIMIT >> 20} MiB.",
                "Remove the entries you do not need.",
            )
    return bytes(read)


def fields(value: object) -> dict[str, Any]:
    """The fields of an object; {} for any other value."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """The items of a list; [] for any other value."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """A string; "" for any other value."""
    return value if isinstance(value, str) else ""


def number(value: object) -> float | None:
    """A number; None for anything else (a boolean, NaN, an absurdly large one)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -1e18 < value < 1e18 else None


def whole_number(value: object, least: int = 0, most: int = 2**62) -> int | None:
    """An integer within bounds; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        return None
    return value


def pairs(value: object) -> Headers:
    """Headers as a list of objects with name and value."""
    found = [fields(item) for item in items(value)]
    return [(text(item.get("name")), text(item.get("value"))) for item in found if text(item.get("name"))]


def encoded(value: str) -> bytes:
    """UTF-8; a lone surrogate, which JSON can express, becomes U+FFFD."""
    return (
        value.encode("utf-8", "surrogatepass")
        if value.isascii()
        else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    )


def decoded(value: str, what: str) -> bytes:
    """Base64, with or without line ends. Raises RecordingError."""
    try:
        return base64.b64decode("".join(value.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise malformed("base64", f"{what} is not valid base64: {error}.") from None

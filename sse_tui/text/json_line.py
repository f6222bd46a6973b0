"""Any value as one line of JSON."""

from __future__ import annotations

from typing import Any

# JSON allows these inside strings, but many readers of lines end a line at them: Python's `str.splitlines`, Node's
# `readline`. Escaped they are the same JSON.
_LINE_ENDS = tuple((end.encode(), f"\\u{ord(end):04x}".encode()) for end in "\x85\u2028\u2029")


def to_json(value: Any) -> str:
    """`value` as compact JSON without a line end, and without any character that a reader may take for one."""
    import msgspec

    try:
        return one_line(msgspec.json.encode(value)).decode()
    except UnicodeEncodeError:
        # A lone surrogate: msgspec refuses it, ASCII escapes can say it.
        import json

        return json.dumps(msgspec.to_builtins(value), separators=(",", ":"))


def one_line(encoded: bytes) -> bytes:
    """Compact JSON in UTF-8, with every character escaped at which any reader would end a line."""
    if not encoded.isascii():
        for end, escape in _LINE_ENDS:
            encoded = encoded.replace(end, escape)
    return encoded

"""Any value as one line of JSON."""

from __future__ import annotations

from typing import Any


def to_json(value: Any) -> str:
    """`value` as compact JSON without a line end."""
    import msgspec

    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        # A lone surrogate: msgspec refuses it, ASCII escapes can say it.
        import json

        return json.dumps(msgspec.to_builtins(value), separators=(",", ":"))

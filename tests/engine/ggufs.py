"""Small GGUF files made by hand, after ggml's docs/gguf.md."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence


def string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def value(item: object) -> bytes:
    """A typed value: bool 7, int as uint32 4, float as float32 6, str 8, list of str or int 9."""
    if isinstance(item, bool):
        return struct.pack("<I?", 7, item)
    if isinstance(item, int):
        return struct.pack("<II", 4, item)
    if isinstance(item, float):
        return struct.pack("<If", 6, item)
    if isinstance(item, str):
        return struct.pack("<I", 8) + string(item)
    assert isinstance(item, list)
    if item and isinstance(item[0], str):
        return struct.pack("<IIQ", 9, 8, len(item)) + b"".join(map(string, item))
    return struct.pack("<IIQ", 9, 5, len(item)) + struct.pack(f"<{len(item)}i", *item)


def tensor(name: str, shape: Sequence[int], kind: int, offset: int) -> bytes:
    return string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)


METADATA: Mapping[str, object] = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "llama.context_length": 256,
    "llama.block_count": 2,
    "llama.embedding_length": 64,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "tokenizer.ggml.tokens": ["a", "b"],
    "tokenizer.ggml.token_type": [1, 3],
    "tokenizer.chat_template": "{{ messages }}",
    "some.flag": True,
    "some.float": 0.5,
}


def build(
    metadata: Mapping[str, object] = METADATA,
    tensors: Sequence[bytes] = (tensor("w", [32, 2], 2, 0), tensor("v", [8], 0, 64)),
    data: int = 96,
    version: int = 3,
) -> bytes:
    """A file; the two default tensors are 2 blocks of Q4_0 (36 bytes) and 8 floats (32 bytes at 64)."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    head += b"".join(string(key) + value(item) for key, item in metadata.items()) + b"".join(tensors)
    return head + b"\0" * (-len(head) % 32) + b"\1" * data

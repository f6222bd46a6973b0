"""The header of a GGUF file: whether the file is one, whether it is whole, and how much memory it will take.

llama.cpp aborts its process on some damaged files and says little about others. Reading the header first costs a few
milliseconds and gives an error that a person can act on. No length in the file is trusted: nothing is read or
allocated beyond the file's own size. Format: ggml, docs/gguf.md, versions 2 and 3.
"""

from __future__ import annotations

import mmap
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sse_tui.errors import ModelError
from sse_tui.text.wording import many

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_DIMENSIONS = 4
_DEFAULT_ALIGNMENT = 32
# Long arrays (the vocabulary) are walked over, not kept.
_KEPT_ITEMS = 64

_SCALARS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
_STRING, _ARRAY = 8, 9

# ggml_type: (elements in a block, bytes of a block)
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """The fields of the header. Sizes in bytes; `size_needed` is where the last tensor of a known type ends."""

    path: Path
    size: int
    size_needed: int
    metadata: dict[str, Any]

    @property
    def n_ctx_train(self) -> int:
        """The longest context that the model was trained with, in tokens."""
        return self._number("context_length")

    @property
    def cache_bytes_per_token(self) -> int:
        """Bytes of one token's keys and values in 16-bit floats, over all layers; 0 if the header lacks the sizes."""
        heads = self._number("attention.head_count")
        kv_heads = self._number("attention.head_count_kv") or heads
        width = self._number("embedding_length")
        head = width // heads if heads else 0
        keys = self._number("attention.key_length") or head
        values = self._number("attention.value_length") or head
        return 2 * self._number("block_count") * kv_heads * (keys + values)

    def _number(self, key: str) -> int:
        value = self.metadata.get(f"{self.metadata.get('general.architecture')}.{key}", 0)
        if isinstance(value, list):  # one a layer, in some architectures
            value = max((item for item in value if isinstance(item, int)), default=0)
        return value if isinstance(value, int) and value > 0 else 0


def read(path: Path) -> GgufHeader:
    """Read and check a file. Raises `ModelError`: model-missing, model-not-gguf, model-version, model-cut."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size == 0:
                raise _not_gguf(path, "it is empty")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                header = _Reader(path, data).header()
    except FileNotFoundError as error:
        raise ModelError("model-missing", f"The model file {path} does not exist.") from error
    except IsADirectoryError as error:
        raise ModelError("model-missing", f"{path} is a directory, not a model file.") from error
    except OSError as error:
        raise ModelError("model-unreadable", f"{path} cannot be read: {error.strerror or error}.") from error
    if header.size < header.size_needed:
        raise _cut(path, header.size, f"{header.size_needed:,}")
    return header


def check_memory(header: GgufHeader, *, n_ctx: int, n_seq: int) -> None:
    """Raise `ModelError` "model-memory" when weights and cache do not fit into the memory that is
    available."""
    available = available_memory()
    needed = memory_needed(header, n_ctx=n_ctx, n_seq=n_seq)
    if available is not None and needed > available:
        raise ModelError(
            "model-memory",
            f"{header.path.name} needs {needed / 2**30:.1f} GiB with {many(n_seq, 'context')} of "
            f"{many(n_ctx, 'token')}, but only {available / 2**30:.1f} GiB of memory are available.",
            "Lower --n-ctx or --n-seq, or use a smaller model.",
        )


def memory_needed(header: GgufHeader, *, n_ctx: int, n_seq: int) -> int:
    """An estimate in bytes: the weights, the cache of every sequence, and 128 MiB for computing."""
    length = min(n_ctx or header.n_ctx_train, header.n_ctx_train or n_ctx)
    return header.size_needed + header.cache_bytes_per_token * length * n_seq + 128 * 2**20


def available_memory() -> int | None:
    """Bytes that can be had without swapping, None if the platform does not report them."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


class _Reader:
    """Walks over the header; every step is checked against the file's end."""

    def __init__(self, path: Path, data: mmap.mmap) -> None:
        self._path = path
        self._data = data
        self._size = len(data)
        self._at = 0

    def header(self) -> GgufHeader:
        if self._data[:4] != MAGIC:
            raise _not_gguf(self._path, f"it begins with {bytes(self._data[:4])!r}")
        self._at = 4
        version = self._scalar("<I")
        if version not in _VERSIONS:
            raise ModelError(
                "model-version", f"{self._path} is GGUF version {version}; versions 2 and 3 are supported."
            )
        tensors, pairs = self._scalar("<Q"), self._scalar("<Q")
        metadata = {}
        for _ in range(pairs):
            key = self._string().decode("utf-8", "replace")
            metadata[key] = self._value(self._scalar("<I"))
        end = self._tensors(tensors)
        alignment = metadata.get("general.alignment", _DEFAULT_ALIGNMENT)
        if not isinstance(alignment, int) or alignment <= 0 or alignment > 2**20:
            raise _not_gguf(self._path, f"its alignment is {alignment!r}")
        start = -(-self._at // alignment) * alignment
        return GgufHeader(self._path, self._size, start + end if tensors else self._at, metadata)

    def _tensors(self, count: int) -> int:
        """Read the tensor list; the end of the last tensor from the beginning of the data."""
        end = 0
        for _ in range(count):
            self._string()
            dimensions = self._scalar("<I")
            if dimensions > _MOST_DIMENSIONS:
                raise _not_gguf(self._path, f"a tensor has {dimensions} dimensions")
            elements = 1
            for _ in range(dimensions):
                elements *= self._scalar("<Q")
            kind, offset = self._scalar("<I"), self._scalar("<Q")
            # A tensor of an unknown type counts as empty: a cut is then only seen in the tensors after it.
            block, size = _BLOCKS.get(kind, (1, 0))
            end = max(end, offset + elements // block * size)
        return end

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string().decode("utf-8", "replace")
        if kind == _ARRAY:
            return self._array()
        form = _SCALARS.get(kind)
        if form is None:
            raise _not_gguf(self._path, f"a value has the unknown type {kind}")
        return self._scalar(form)

    def _array(self) -> list[Any]:
        kind, count = self._scalar("<I"), self._scalar("<Q")
        if kind == _STRING:
            kept = []
            for index in range(count):
                text = self._string()
                if index < _KEPT_ITEMS:
                    kept.append(text.decode("utf-8", "replace"))
            return kept
        form = _SCALARS.get(kind)
        if form is None:
            raise _not_gguf(self._path, f"an array has items of type {kind}")
        self._need(count * struct.calcsize(form))
        start = self._at
        self._at += count * struct.calcsize(form)
        few = min(count, _KEPT_ITEMS)
        return list(struct.unpack_from(f"<{few}{form[1]}", self._data, start))

    def _string(self) -> bytes:
        length = self._scalar("<Q")
        self._need(length)
        self._at += length
        return self._data[self._at - length : self._at]

    def _scalar(self, form: str) -> Any:
        size = struct.calcsize(form)
        self._need(size)
        self._at += size
        return struct.unpack_from(form, self._data, self._at - size)[0]

    def _need(self, count: int) -> None:
        if count > self._size - self._at:
            raise _cut(self._path, self._size, f"more than {self._at + count:,}")


def _cut(path: Path, size: int, needed: str) -> ModelError:
    return ModelError(
        "model-cut",
        f"{path} is truncated or damaged: it has {size:,} bytes, but its header requires {needed}.",
        "Delete it and download it again.",
    )


def _not_gguf(path: Path, why: str) -> ModelError:
    return ModelError("model-not-gguf", f"{path} is not a GGUF model: {why}.")

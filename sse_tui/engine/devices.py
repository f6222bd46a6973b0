"""The compute devices that ggml sees, from its own libraries: llama-cpp-python has no bindings for them.

`folder` holds the libraries, beside libllama.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

from sse_tui.engine.interface import DeviceInfo

# ggml_backend_dev_type
_KINDS = {0: "cpu", 1: "gpu", 2: "igpu", 3: "accelerator", 4: "meta"}


def ggml_version(folder: Path) -> str:
    """ggml's version, "?" where its library cannot be found."""
    base = _ggml(folder, "ggml-base")
    if base is None:
        return "?"
    base.ggml_version.restype = ctypes.c_char_p
    return str(base.ggml_version().decode())


def devices(folder: Path) -> list[DeviceInfo]:
    """ggml's devices with their memory now; empty where its library cannot be found."""
    registry, base = _ggml(folder, "ggml"), _ggml(folder, "ggml-base")
    if registry is None or base is None:
        return []
    registry.ggml_backend_dev_count.restype = ctypes.c_size_t
    registry.ggml_backend_dev_get.restype = ctypes.c_void_p
    registry.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
    for name in ("name", "description"):
        function = getattr(base, f"ggml_backend_dev_{name}")
        function.restype, function.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
    base.ggml_backend_dev_type.argtypes = [ctypes.c_void_p]
    size = ctypes.POINTER(ctypes.c_size_t)
    base.ggml_backend_dev_memory.argtypes = [ctypes.c_void_p, size, size]
    found = []
    for index in range(registry.ggml_backend_dev_count()):
        device = registry.ggml_backend_dev_get(index)
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        base.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
        kind = base.ggml_backend_dev_type(device)
        found.append(
            DeviceInfo(
                name=base.ggml_backend_dev_name(device).decode("utf-8", "replace"),
                kind=_KINDS.get(kind, str(kind)),
                description=base.ggml_backend_dev_description(device).decode("utf-8", "replace"),
                memory_total=total.value or None,
                # On the CPU ggml reports all of the memory as free.
                memory_free=free.value if kind and total.value else None,
            )
        )
    return found


def _ggml(folder: Path, name: str) -> ctypes.CDLL | None:
    """One of ggml's libraries, None if it is missing."""
    for path in (folder / f"lib{name}.so", folder / f"lib{name}.dylib", folder / f"{name}.dll"):
        if path.exists():
            return ctypes.CDLL(str(path))
    return None

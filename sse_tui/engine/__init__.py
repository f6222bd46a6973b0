"""Token sources behind one interface: llama.cpp in a process of its own, and a script.

Importing this package loads neither llama_cpp nor numpy: an engine is imported when its name is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sse_tui.engine.llamacpp import LlamaCppEngine
    from sse_tui.engine.scripted import ScriptedEngine

__all__ = ["LlamaCppEngine", "ScriptedEngine"]


def __getattr__(name: str) -> Any:
    if name == "LlamaCppEngine":
        from sse_tui.engine.llamacpp import LlamaCppEngine

        return LlamaCppEngine
    if name == "ScriptedEngine":
        from sse_tui.engine.scripted import ScriptedEngine

        return ScriptedEngine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

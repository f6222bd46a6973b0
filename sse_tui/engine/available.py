"""Whether local models can be run here: they need packages that a base install leaves out."""

from __future__ import annotations

from importlib.util import find_spec

from sse_tui.errors import EngineError

# What the engine's process imports; the extra `local` brings them.
_MODULES = ("llama_cpp", "numpy", "jinja2")
MISSING = "Local models need llama-cpp-python: pip install 'sse-tui[local]'"


def local_models_available() -> bool:
    """True when every package of the extra `local` that the engine needs can be imported. Imports none."""
    return all(find_spec(name) is not None for name in _MODULES)


def require_local_models() -> None:
    """Raise `EngineError` "local-extra-missing" where local models cannot be run."""
    if not local_models_available():
        raise EngineError("local-extra-missing", MISSING)

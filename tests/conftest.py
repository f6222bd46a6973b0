"""What every test may ask for: the default model, and the maker of small model files."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def model_path() -> Path:
    """The default model's file, downloaded once into the user's data folder. For tests marked `model`."""
    from sse_tui import models

    return models.ensure(models.DEFAULT_MODEL)


@pytest.fixture(scope="session")
def ggufs() -> ModuleType:
    """The maker of small GGUF files, tests/engine/ggufs.py."""
    spec = importlib.util.spec_from_file_location("ggufs", Path(__file__).parent / "engine" / "ggufs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

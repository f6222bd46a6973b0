"""The models that the local engine can run: which there are, where they lie, and how to get one.

A model is named by its name in the catalogue, a path, an ``http(s)://`` address of a GGUF file, or
``hf:owner/repo/file.gguf``. Everything here blocks; callers run it in a thread or a process of their own.
"""

from __future__ import annotations

from sse_tui.models.catalogue import CATALOGUE, DEFAULT_MODEL, CatalogueModel
from sse_tui.models.model_folder import (
    ModelState,
    NeedsDownload,
    ensure,
    list_models,
    model_dir,
    remove,
    resolve,
)
from sse_tui.models.progress import Cancelled, Progress, Report

__all__ = [
    "CATALOGUE",
    "DEFAULT_MODEL",
    "Cancelled",
    "CatalogueModel",
    "ModelState",
    "NeedsDownload",
    "Progress",
    "Report",
    "ensure",
    "list_models",
    "model_dir",
    "remove",
    "resolve",
]

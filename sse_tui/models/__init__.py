"""The models that the local engine can run: which exist, where they are stored, and how to download one.

A model is given as its catalogue name, a path, the ``http(s)://`` URL of a GGUF file, or
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
from sse_tui.models.progress import Cancelled, DownloadProgress, ProgressReporter

__all__ = [
    "CATALOGUE",
    "DEFAULT_MODEL",
    "Cancelled",
    "CatalogueModel",
    "DownloadProgress",
    "ModelState",
    "NeedsDownload",
    "ProgressReporter",
    "ensure",
    "list_models",
    "model_dir",
    "remove",
    "resolve",
]

"""The models that the local engine can run: which exist, where they are stored, and how to download one.

A model is given as its catalogue name, a path, the ``http(s)://`` URL of a GGUF file, or
``hf:owner/repo/file.gguf``. Everything here blocks; callers run it in a thread or a process of their own.
"""

from __future__ import annotations

from sse_tui.models.catalogue import CATALOGUE, DEFAULT_MODEL
from sse_tui.models.model_folder import ensure, list_models, remove, resolve
from sse_tui.models.progress import DownloadProgress

__all__ = [
    "CATALOGUE",
    "DEFAULT_MODEL",
    "DownloadProgress",
    "ensure",
    "list_models",
    "remove",
    "resolve",
]

"""What the engine and its worker process say to each other, as lines of `sse_tui.processes.messages`.

The worker sends one `Steps` message a decode step, with what every running generation gained in it; so the cost of
a step does not grow with the number of generations. A generation is named by a small number, its `key`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from sse_tui.engine.interface import EngineInfo, Final, GenRequest, ModelOptions
from sse_tui.processes.messages import ErrorMessage, reader


class Load(ModelOptions, tag="load", kw_only=True, frozen=True):
    """The first message to a worker: what to load and how."""

    model_path: str
    name: str


class Submit(msgspec.Struct, tag="submit", frozen=True):
    """Queue a generation."""

    key: int
    request: GenRequest


class Cancel(msgspec.Struct, tag="cancel", frozen=True):
    """End a generation; a key that is no longer known is ignored."""

    key: int


class ModelLoaded(msgspec.Struct, tag="model-loaded", frozen=True):
    """The model is loaded and warm."""

    info: EngineInfo


class LoadFailed(msgspec.Struct, tag="load-failed", frozen=True):
    """The model could not be loaded; the worker ends after it."""

    error: ErrorMessage


class Steps(msgspec.Struct, tag="steps", omit_defaults=True):
    """What one step gave: pieces (key, index, token, text), progress (key, done, total), finals (key,
    final)."""

    pieces: list[tuple[int, int, int, str]] = []
    progress: list[tuple[int, int, int]] = []
    finals: list[tuple[int, Final]] = []

    def __bool__(self) -> bool:
        return bool(self.pieces or self.progress or self.finals)


Command: TypeAlias = Load | Submit | Cancel
Report: TypeAlias = ModelLoaded | LoadFailed | Steps

read_command: Callable[[bytes], Command] = reader(Command)
read_report: Callable[[bytes], Report] = reader(Report)

"""The engine as the endpoint sees it: maybe still loading, maybe failed, ready at best."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from sse_tui.engine.interface import Engine
from sse_tui.errors import SseTuiError
from sse_tui.server.api_errors import ApiError, unavailable

STATES = ("starting", "downloading", "loading", "ready", "failed", "stopping", "stopped")


StateWatcher: TypeAlias = Callable[[str, dict[str, Any]], None]


def error_object(error: SseTuiError) -> dict[str, str]:
    """An error as programs read it."""
    return {"code": error.code, "message": error.message, "hint": error.hint}


class Backend:
    """One engine and its state, one of `STATES`. `watch` hears every change."""

    def __init__(self, engine: Engine | None = None, watch: StateWatcher | None = None) -> None:
        self.state = "starting" if engine is None else "ready"
        self.engine = engine
        self.error: SseTuiError | None = None
        self.details: dict[str, Any] = {}
        self._watch = watch

    def turn(self, state: str, **details: Any) -> None:
        """Enter `state`; the details, such as a download's progress, are for people and a parent process."""
        self.state = state
        self.details = details
        if self._watch is not None:
            self._watch(state, details)

    def fail(self, error: SseTuiError) -> None:
        """There will be no engine."""
        self.error = error
        self.turn("failed", error=error_object(error))

    def require(self) -> Engine:
        """The engine, or a 503 that says why there is none."""
        if self.state == "ready" and self.engine is not None:
            return self.engine
        raise self.unavailable()

    def unavailable(self) -> ApiError:
        """Why a request cannot be served now."""
        if self.error is not None:
            return unavailable("model_failed", f"The model could not be loaded: {self.error}", 60)
        if self.state in ("stopping", "stopped"):
            return unavailable("shutting_down", "The server is shutting down.", 5)
        return unavailable("loading", f"The model is not ready: {self.state}.", 1)

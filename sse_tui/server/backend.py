"""The engine as the endpoint sees it: perhaps still loading, perhaps failed, ready at best."""

from __future__ import annotations

from typing import Any

from sse_tui.engine.interface import Engine
from sse_tui.errors import SseTuiError
from sse_tui.processes.messages import ErrorMessage
from sse_tui.server.api_errors import ApiError, unavailable
from sse_tui.server.status import EndpointState, EndpointStatus, StatusWatcher


class Backend:
    """One engine and its status; `watch` is called with each new one. `url` is where the endpoint listens."""

    def __init__(
        self, engine: Engine | None = None, watch: StatusWatcher | None = None, url: str = ""
    ) -> None:
        state = EndpointState.STARTING if engine is None else EndpointState.READY
        self.status = EndpointStatus(state=state, url=url)
        self.engine = engine
        self.error: SseTuiError | None = None
        self._watch = watch

    @property
    def state(self) -> EndpointState:
        """The status's state."""
        return self.status.state

    def enter(self, state: EndpointState, **changes: Any) -> None:
        """Take the next status: see `EndpointStatus.entering`."""
        self.status = self.status.entering(state, **changes)
        if self._watch is not None:
            self._watch(self.status)

    def fail(self, error: SseTuiError) -> None:
        """There will be no engine."""
        self.error = error
        self.enter(EndpointState.FAILED, error=ErrorMessage.of(error))

    def require(self) -> Engine:
        """The engine. Raises a 503 that says why there is none."""
        if self.state == EndpointState.READY and self.engine is not None:
            return self.engine
        raise self.unavailable()

    def unavailable(self) -> ApiError:
        """Why a request cannot be served now."""
        if self.error is not None:
            return unavailable("model_failed", f"The model could not be loaded: {self.error}", 60)
        if self.state in (EndpointState.STOPPING, EndpointState.STOPPED):
            return unavailable("shutting_down", "The server is shutting down.", 5)
        return unavailable("loading", f"The model is not ready: {self.state}.", 1)

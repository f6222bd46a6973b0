"""The endpoint's status: what it says about itself, and the lines that it sends to a parent process."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeAlias

import msgspec

from sse_tui.engine.interface import EngineInfo
from sse_tui.processes.messages import ErrorMessage, reader


class EndpointState(StrEnum):
    """The states in their order. `FAILED` can replace any but the last two."""

    STARTING = "starting"
    DOWNLOADING = "downloading"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"
    STOPPING = "stopping"
    STOPPED = "stopped"


class EndpointStatus(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One status. `url` is where it listens, `model` and `engine` what it runs once that is loaded.

    `done` of `total` bytes are downloaded, `total` None where it is not known. `error` is why it failed.
    """

    state: EndpointState = msgspec.field(name="status")
    url: str = ""
    model: str = ""
    engine: EngineInfo | None = None
    done: int = 0
    total: int | None = None
    error: ErrorMessage | None = None

    def entering(self, state: EndpointState, **changes: Any) -> EndpointStatus:
        """The status after this one: in `state`, with `changes`, and without the details of the state before."""
        passing = {"done": 0, "total": None, "error": None}
        return msgspec.structs.replace(self, state=state, **passing | changes)

    @property
    def details(self) -> dict[str, Any]:
        """What belongs to the state alone: the progress of a download, or the failure."""
        if self.state == EndpointState.DOWNLOADING:
            return {"done": self.done, "total": self.total}
        return {} if self.error is None else {"error": msgspec.to_builtins(self.error)}

    @property
    def message(self) -> str:
        """The failure in words, "" without one."""
        return "" if self.error is None else str(self.error.error())


StatusWatcher: TypeAlias = Callable[[EndpointStatus], None]

read_status: Callable[[bytes], EndpointStatus] = reader(EndpointStatus)

"""The local endpoint as a child process: started, watched and ended by whoever needs it."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from asyncio.subprocess import Process
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from sse_tui.config import state_dir
from sse_tui.errors import EngineError, ModelError, SseTuiError
from sse_tui.session import children
from sse_tui.session.spec import SessionSpec

# Nobody but us reads this endpoint, over loopback: a second's wait after each cut would be for nothing.
RETRY_MS = "200"


@dataclass(frozen=True)
class EndpointStatus:
    """What the endpoint last said of itself.

    `state`: starting, downloading (`done` of `total` bytes), loading, ready, failed, stopped. `engine` is the
    engine's own account of what is loaded and where it runs.
    """

    state: str = "starting"
    message: str = ""
    done: int = 0
    total: int = 0
    url: str = ""
    model: str = ""
    engine: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ready:
    """How to reach the endpoint."""

    base_url: str
    token: str
    model: str


class LocalEndpoint:
    """One endpoint process on an ephemeral loopback port with a random bearer token.

    `changed` is called in the loop with each new status. `ready()` waits for the model.
    """

    def __init__(
        self, spec: SessionSpec, changed: Callable[[EndpointStatus], None] = lambda _status: None
    ) -> None:
        self._spec = spec
        self._changed = changed
        self._token = secrets.token_urlsafe(24)
        self._process: Process | None = None
        self._listener: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Ready] | None = None
        self._closing = False
        self._failure: SseTuiError | None = None
        self.status = EndpointStatus()

    async def start(self) -> None:
        """Start the process; returns at once, the model loads in the background."""
        self._ready = asyncio.get_running_loop().create_future()
        # A failure that nobody waits for is shown by the status; it must not be reported as forgotten.
        self._ready.add_done_callback(lambda future: future.cancelled() or future.exception())
        self._process = await children.start(
            [
                "-m",
                "sse_tui",
                "serve",
                "--supervised",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                *self._options(),
            ],
            env={"SSE_TUI_TOKEN": self._token, "SSE_TUI_SERVER__RETRY_MS": RETRY_MS},
            log=state_dir() / "endpoint.log",
        )
        self._listener = asyncio.ensure_future(self._listen(self._process))

    def _options(self) -> list[str]:
        local = self._spec.config.local
        options = ["--engine", self._spec.engine]
        if self._spec.engine == "llamacpp":
            options += ["--model", self._spec.profile.model or local.model]
            options += ["--n-gpu-layers", str(local.n_gpu_layers), "--n-ctx", str(local.n_ctx)]
            options += ["--n-seq", str(local.n_seq)]
            if local.n_threads is not None:
                options += ["--n-threads", str(local.n_threads)]
        return [*options, *self._spec.engine_args]

    async def ready(self) -> Ready:
        """Wait until the endpoint answers. Raises the error that it failed with."""
        assert self._ready is not None
        if self._failure is not None:
            raise self._failure
        return await asyncio.shield(self._ready)

    async def close(self) -> None:
        """End the process. Idempotent."""
        self._closing = True
        if self._process is not None:
            await children.end(self._process, grace_s=5.0)
        if self._listener is not None:
            await self._listener

    async def _listen(self, process: Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            with contextlib.suppress(msgspec.DecodeError):
                self._hear(msgspec.json.decode(line, type=dict[str, Any]))
        code = await process.wait()
        if not self._closing and self.status.state != "failed":
            self._fail(
                EngineError(
                    "endpoint-gone",
                    f"The local endpoint ended with code {code}.",
                    f"Its log is {state_dir() / 'endpoint.log'}. F8 starts it again.",
                )
            )

    def _hear(self, said: dict[str, Any]) -> None:
        state = str(said.get("status", ""))
        if state == "failed":
            error = said.get("error") or {}
            self._fail(
                ModelError(
                    str(error.get("code", "endpoint-failed")),
                    str(error.get("message", "The local endpoint could not start.")),
                    str(error.get("hint", "")),
                )
            )
            return
        self.status = EndpointStatus(
            state,
            str(said.get("message", "")),
            int(said.get("done") or 0),
            int(said.get("total") or 0),
            str(said.get("url", self.status.url)),
            str(said.get("model", self.status.model)),
            said.get("engine") or self.status.engine,
        )
        if state == "ready" and self._ready is not None and not self._ready.done():
            base = self.status.url.rstrip("/")
            base = base if base.endswith("/v1") else base + "/v1"
            self._ready.set_result(Ready(base, self._token, self.status.model))
        self._changed(self.status)

    def _fail(self, error: SseTuiError) -> None:
        self._failure = error
        self.status = EndpointStatus("failed", str(error), model=self.status.model)
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(error)
        self._changed(self.status)

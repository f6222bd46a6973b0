"""The local endpoint as a child process: its start, its status, its end."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass

from sse_tui.config import state_dir
from sse_tui.engine.interface import EngineInfo
from sse_tui.errors import EngineError
from sse_tui.processes.child import Child
from sse_tui.processes.messages import ErrorMessage
from sse_tui.server.status import EndpointState, EndpointStatus, StatusWatcher, read_status
from sse_tui.session.spec import SessionSpec

# Only this program reads the endpoint, and over loopback: a second's wait after each cut would be wasted.
_RETRY_MS = "200"
# Until its first status: many times what Python takes to start on a busy machine. Loading a model comes later, and has
# no limit.
_START_S = 60.0
_GRACE_S = 5.0


@dataclass(frozen=True)
class EndpointAddress:
    """How to reach the endpoint, and what it runs."""

    base_url: str
    token: str
    model: str
    engine: EngineInfo


class LocalEndpoint:
    """One endpoint process on an ephemeral loopback port with a random bearer token.

    `changed` is called in the loop with each new status. `ready()` waits for the model.
    """

    def __init__(self, spec: SessionSpec, changed: StatusWatcher = lambda _status: None) -> None:
        self._spec = spec
        self._changed = changed
        self._token = secrets.token_urlsafe(24)
        self._child: Child[EndpointStatus] | None = None
        self._listener: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[EndpointAddress] | None = None
        self._closing = False
        self.status = EndpointStatus(state=EndpointState.STARTING)

    async def start(self) -> None:
        """Start the process; returns at once, the model loads in the background."""
        self._ready = asyncio.get_running_loop().create_future()
        # A failure that nobody waits for is shown by the status; it must not be reported as forgotten.
        self._ready.add_done_callback(lambda future: future.cancelled() or future.exception())
        self._child = await Child.start(
            "sse_tui", "serve", "--supervised", "--host", "127.0.0.1", "--port", "0", *self._options(),
            reports=read_status,
            env={"SSE_TUI_TOKEN": self._token, "SSE_TUI_SERVER__RETRY_MS": _RETRY_MS},
            log=state_dir() / "endpoint.log",
        )  # fmt: skip
        self._listener = asyncio.ensure_future(self._listen(self._child))

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

    async def ready(self) -> EndpointAddress:
        """Wait until the endpoint answers. Raises the error that it failed with."""
        assert self._ready is not None
        if self.status.error is not None:
            raise self.status.error.error()
        # Shielded: one caller that gives up must not cancel the future of all.
        return await asyncio.shield(self._ready)

    async def close(self) -> None:
        """End the process. Idempotent."""
        self._closing = True
        if self._child is not None:
            await self._child.end(_GRACE_S)
        if self._listener is not None:
            await self._listener

    async def _listen(self, child: Child[EndpointStatus]) -> None:
        late = f"It did not start within {_START_S:g} s."
        timer = asyncio.get_running_loop().call_later(_START_S, child.kill, late)
        async for status in child.reports():
            timer.cancel()
            self._take(status)
        end = await child.exit_text()
        timer.cancel()
        if not self._closing and self.status.state != EndpointState.FAILED:
            hint = f"Its log is {state_dir() / 'endpoint.log'}. F8 restarts it."
            gone = EngineError("endpoint-gone", f"The local endpoint {end.rstrip('.')}.", hint)
            self._take(self.status.entering(EndpointState.FAILED, error=ErrorMessage.of(gone)))

    def _take(self, status: EndpointStatus) -> None:
        self.status = status
        if self._ready is not None and not self._ready.done():
            if status.error is not None:
                self._ready.set_exception(status.error.error())
            elif status.state == EndpointState.READY and status.engine is not None:
                address = EndpointAddress(
                    status.url.rstrip("/") + "/v1", self._token, status.model, status.engine
                )
                self._ready.set_result(address)
        self._changed(status)

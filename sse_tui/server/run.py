"""Serving: the endpoint listens at once, its engine loads beside it, and all of it ends cleanly."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import math
from collections.abc import Awaitable, Callable, Generator
from typing import TypeAlias

import msgspec
import uvicorn

from sse_tui.engine.interface import Engine
from sse_tui.errors import EngineError, SseTuiError, UsageError
from sse_tui.server.admission import Admission
from sse_tui.server.asgi_app import build_app
from sse_tui.server.backend import Backend
from sse_tui.server.delivery import QuietDrops
from sse_tui.server.endpoint_state import Endpoint
from sse_tui.server.http_connection import HttpConnection
from sse_tui.server.listener import listen, url_of
from sse_tui.server.settings import ServerSettings, require_safe
from sse_tui.server.status import EndpointState, StatusWatcher

EngineMaker: TypeAlias = Callable[[Backend], Awaitable[Engine]]


async def serve(
    make_engine: Engine | EngineMaker,
    settings: ServerSettings,
    *,
    stop: asyncio.Event,
    on_status: StatusWatcher | None = None,
) -> None:
    """Serve until `stop` is set, then end every stream properly and free the engine.

    The engine is started here, after the socket is bound; a function in its place makes one first, which may take a
    download. `on_status` is called with every status. Raises `UsageError` when the address cannot be bound, and
    what the engine raised when it did not load.
    """
    listener = listen(settings.host, settings.port)
    try:
        # The address, not the name: only the resolver knows where a name leads.
        require_safe(settings, listener.getsockname()[0])
    except UsageError:
        listener.close()
        raise
    backend = Backend(watch=on_status, url=url_of(listener))
    endpoint = Endpoint(backend, settings)
    server = _Server(_config(endpoint))
    backend.enter(EndpointState.STARTING)
    serving = asyncio.create_task(server.serve(sockets=[listener]), name="http")
    loading = asyncio.create_task(_load(backend, make_engine), name="load")
    stopping = asyncio.create_task(stop.wait(), name="stop")
    try:
        await asyncio.wait({serving, stopping, loading}, return_when=asyncio.FIRST_COMPLETED)
        if backend.state == EndpointState.READY:
            await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        loading.cancel()
        await asyncio.wait({loading})
        await _end(endpoint, server, serving)
    if backend.error is not None:
        raise backend.error


async def _load(backend: Backend, make_engine: Engine | EngineMaker) -> None:
    """Bring the backend to "ready" or to "failed"."""
    try:
        engine = await make_engine(backend) if callable(make_engine) else make_engine
        backend.engine = engine
        backend.enter(EndpointState.LOADING)
        info = await engine.start()
    except SseTuiError as error:
        backend.fail(error)
    except Exception as error:
        backend.fail(EngineError("engine-failed", f"The engine could not be started: {error!r}."))
    else:
        # The template can be many pages long, and nobody who watches needs it.
        engine_info = msgspec.structs.replace(info, chat_template="")
        backend.enter(EndpointState.READY, model=info.model, engine=engine_info)


async def _end(endpoint: Endpoint, server: uvicorn.Server, serving: asyncio.Task[None]) -> None:
    """End in order: new requests get 503, streams their last event, then the connections close, then the engine."""
    backend = endpoint.backend
    try:
        await endpoint.shut_down()
        server.should_exit = True
        await serving
    finally:
        if backend.engine is not None:
            await backend.engine.close()
        backend.enter(EndpointState.STOPPED)


class _Server(uvicorn.Server):
    """uvicorn without signal handlers: the caller of `serve` decides what ends it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def _config(endpoint: Endpoint) -> uvicorn.Config:
    settings = endpoint.settings
    _log_to_stderr(settings.access_log)
    return uvicorn.Config(
        build_app(endpoint),
        http=functools.partial(HttpConnection, admission=Admission(settings)),  # type: ignore[arg-type]
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=settings.access_log,
        server_header=False,
        timeout_graceful_shutdown=math.ceil(settings.drain_s),
    )


def _log_to_stderr(access_log: bool) -> None:
    """Send uvicorn's logs to standard error: errors always, requests if wanted."""
    for name, level in (("uvicorn.error", logging.ERROR), ("uvicorn.access", logging.INFO)):
        logger = logging.getLogger(name)
        logger.propagate = False
        logger.setLevel(level)
        if not logger.handlers:
            logger.addHandler(logging.StreamHandler())
            logger.addFilter(QuietDrops())
    logging.getLogger("uvicorn.access").disabled = not access_log

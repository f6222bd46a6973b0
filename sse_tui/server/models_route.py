"""``/health`` and ``/v1/models``: what is loaded, where it runs, and whether it is ready."""

from __future__ import annotations

import time
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from sse_tui.engine.interface import EngineInfo
from sse_tui.server.auth import KNOWN
from sse_tui.server.endpoint_state import Endpoint
from sse_tui.server.status import EndpointState
from sse_tui.version import __version__

_started = int(time.time())


async def health(request: Request) -> Response:
    """200 with the engine's description when it is ready, else 503 with the state."""
    endpoint: Endpoint = request.app.state.endpoint
    backend = endpoint.backend
    if backend.state != EndpointState.READY or backend.engine is None:
        error = backend.unavailable()
        document = {"status": backend.state, "version": __version__, "details": backend.status.details}
        return _json(document | error.document(), error.status, error.headers)
    document = {"status": "ok", "version": __version__}
    if request.scope[KNOWN]:
        document["engine"] = describe(backend.engine.info)
        document["stats"] = msgspec.to_builtins(await backend.engine.stats())
        document["streams"] = {"running": len(endpoint.runs), "max": endpoint.settings.max_streams}
    return _json(document)


def describe(info: EngineInfo) -> dict[str, Any]:
    """The engine's description of itself, without its chat template, which can be many pages long."""
    described: dict[str, Any] = msgspec.to_builtins(info)
    described.pop("chat_template", None)
    return described


async def models(request: Request) -> Response:
    """OpenAI's list, with the one model that is loaded."""
    endpoint: Endpoint = request.app.state.endpoint
    return _json({"object": "list", "data": [_model(endpoint.backend.require().info)]})


async def model(request: Request) -> Response:
    """One model of the list."""
    endpoint: Endpoint = request.app.state.endpoint
    info = endpoint.backend.require().info
    endpoint.check_model(request.path_params["id"], info)
    return _json(_model(info))


def _model(info: EngineInfo) -> dict[str, Any]:
    meta = {"n_ctx": info.n_ctx, "n_params": info.parameters, "size": info.size_bytes}
    return {"id": info.model, "object": "model", "created": _started, "owned_by": "sse-tui", "meta": meta}


def _json(document: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(document), status, headers=headers, media_type="application/json")

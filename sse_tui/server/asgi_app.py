"""The ASGI application: routes, authentication, errors as JSON."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sse_tui.server.api_errors import ApiError
from sse_tui.server.auth import RequireToken
from sse_tui.server.chat_route import chat_completions
from sse_tui.server.endpoint_state import Endpoint
from sse_tui.server.models_route import health, model, models
from sse_tui.server.sources import RequireAllowedSource
from sse_tui.server.streams import cancel, follow

ROUTES = [
    Route("/v1/chat/completions", chat_completions, methods=["POST"]),
    Route("/v1/streams/{id}", follow, methods=["GET"]),
    Route("/v1/streams/{id}", cancel, methods=["DELETE"]),
    Route("/v1/models", models, methods=["GET"]),
    Route("/v1/models/{id:path}", model, methods=["GET"]),
    Route("/health", health, methods=["GET"]),
]
_KNOWN = "POST /v1/chat/completions, GET and DELETE /v1/streams/{id}, GET /v1/models, GET /health"


def build_app(endpoint: Endpoint) -> Starlette:
    """An application around `endpoint`."""
    settings = endpoint.settings
    middleware = [Middleware(RequireAllowedSource, settings=settings)]
    if settings.allow_origins:
        # Outside the authentication: a preflight carries no token.
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=settings.allow_origins,
                allow_methods=["GET", "POST", "DELETE"],
                allow_headers=["Authorization", "Content-Type", "Last-Event-ID"],
                expose_headers=["Last-Event-ID", "X-Stream-Id", "Location", "Retry-After"],
            )
        )
    if settings.token is not None:
        middleware.append(Middleware(RequireToken, token=settings.token))
    handlers = {ApiError: _api_error, HTTPException: _http_error, Exception: _internal_error}
    app = Starlette(routes=ROUTES, middleware=middleware, exception_handlers=handlers)
    app.state.endpoint = endpoint
    return app


async def _api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    return error.response()


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    what = f"{request.method} {request.url.path}"
    if error.status_code == 404:
        message, code = f"{what} does not exist. Known: {_KNOWN}.", "unknown_url"
    elif error.status_code == 405:
        message, code = f"{what} is not allowed. Known: {_KNOWN}.", "method_not_allowed"
    else:
        message, code = str(error.detail), "http_error"
    return ApiError(error.status_code, code, message, headers=dict(error.headers or {})).response()


async def _internal_error(request: Request, error: Exception) -> Response:
    return ApiError(500, "internal_error", f"Internal error: {error!r}", kind="server_error").response()

"""Bearer token authentication (RFC 6750) as middleware.

``/health`` needs no token, as load balancers expect, but returns more with it.
"""

from __future__ import annotations

import hmac

from starlette.types import ASGIApp, Receive, Scope, Send

from sse_tui.server.api_errors import ApiError

OPEN_PATHS = ("/health",)
KNOWN = "sse_tui.known"
"""The key of an ASGI scope that holds whether the client may use the endpoint: knows the token, where there is one."""


class RequireToken:
    """Passes on only requests with ``Authorization: Bearer <token>``."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        known = scope["type"] != "http" or self._knows(scope)
        if known or scope["path"] in OPEN_PATHS:
            scope[KNOWN] = known
            await self._app(scope, receive, send)
            return
        headers = {"WWW-Authenticate": 'Bearer realm="sse-tui"'}
        message = "Missing or wrong bearer token; send Authorization: Bearer <token>."
        error = ApiError(401, "invalid_api_key", message, kind="authentication_error", headers=headers)
        await error.response()(scope, receive, send)

    def _knows(self, scope: Scope) -> bool:
        for name, value in scope["headers"]:
            if name == b"authorization":
                scheme, _, given = value.partition(b" ")
                if scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self._token):
                    return True
        return False

"""Who may ask: requests that a foreign web page can make a browser send are refused before anything else.

A page cannot choose the fields ``Host`` and ``Origin``. A page whose name was made to point to this machine after it
was loaded (DNS rebinding) shows that name in ``Host``, and needs no permission to read the answer; a page of another
origin shows that in ``Origin``.
"""

from __future__ import annotations

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from sse_tui.loopback import is_loopback
from sse_tui.server.api_errors import ApiError
from sse_tui.server.auth import KNOWN
from sse_tui.server.settings import ServerSettings

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+,;=%-]*)(?::\d*)?")
"""A host with a port, in lower case (RFC 9110, section 7.2)."""

ANY = "*"


class RequireAllowedSource:
    """Passes on only requests with a ``Host`` that is served and, if there is one, an ``Origin`` that is allowed."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._open = settings.token is None
        # A web page does not know the token: with it, any name may lead here.
        self._any_host = not self._open or ANY in settings.allow_hosts
        self._hosts = frozenset(map(_name, settings.allow_hosts))
        self._origins = frozenset(settings.allow_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            refused = self._refused(scope)
            if refused is not None:
                await refused.response()(scope, receive, send)
                return
            scope[KNOWN] = self._open
        await self._app(scope, receive, send)

    def _refused(self, scope: Scope) -> ApiError | None:
        hosts = _values(scope, b"host")
        if len(hosts) > 1:
            return ApiError(400, "bad_host", "The request has more than one Host field.")
        if not hosts and scope["http_version"] != "1.0":
            return ApiError(400, "bad_host", "The request has no Host field, which HTTP/1.1 requires.")
        host = hosts[0].lower() if hosts else None
        if host is not None:
            if _HOST.fullmatch(host) is None:
                return ApiError(400, "bad_host", "The Host field is not a host with an optional port.")
            if not self._serves(_name(host)):
                return _host_not_allowed(host)
        for origin in _values(scope, b"origin"):
            if not self._allows(origin, f"{scope['scheme']}://{host}"):
                return _origin_not_allowed(origin)
        return None

    def _serves(self, host: str) -> bool:
        return self._any_host or is_loopback(host) or host in self._hosts

    def _allows(self, origin: str, own: str) -> bool:
        return origin == own or origin in self._origins or ANY in self._origins


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for given, value in scope["headers"] if given == name]


def _name(host: str) -> str:
    """The name or address alone: without port, the brackets of an IPv6 address or the dot of a complete name."""
    found = _HOST.fullmatch(host.lower())
    return (found[1] if found else host).strip("[]").removesuffix(".")


def _host_not_allowed(host: str) -> ApiError:
    message = (
        f"The host {host[:80]!r} is not served: without a bearer token only names of this machine itself are, because "
        "any web page could use the endpoint under a name of its own. Set a token in SSE_TUI_TOKEN, or allow the name "
        "with --allow-host or server.allow_hosts."
    )
    return ApiError(403, "host_not_allowed", message)


def _origin_not_allowed(origin: str) -> ApiError:
    message = (
        f"Pages of {origin[:80]!r} may not use this endpoint; allow the origin with --allow-origin or "
        "server.allow_origins."
    )
    return ApiError(403, "origin_not_allowed", message)

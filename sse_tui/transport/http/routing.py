"""Which transport carries a request: the stamping one, or httpcore for proxies and HTTP/2."""

from __future__ import annotations

import urllib.request

import httpx

from sse_tui.errors import UsageError
from sse_tui.loopback import is_loopback
from sse_tui.transport.clock import SessionClock
from sse_tui.transport.http.stamping import StampingTransport
from sse_tui.transport.http.tls import create_context


class RoutingTransport(httpx.AsyncBaseTransport):
    """Chooses a transport for each request."""

    def __init__(self, clock: SessionClock, verify: bool | str = True, http2: bool = False) -> None:
        self._clock = clock
        self._verify = verify
        self._http2 = http2
        self._stamping = StampingTransport(clock, lambda: create_context(verify, "http/1.1"))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        proxy = _proxy(proxy_for(request.url))
        if proxy is None and not (self._http2 and request.url.scheme == "https"):
            return await self._stamping.handle_async_request(request)
        # httpcore takes tens of milliseconds to import, and nothing else needs it.
        from sse_tui.transport.http.fallback import FallbackTransport

        # A context of its own: httpcore sets the ALPN protocols before each handshake.
        context = create_context(self._verify)
        fallback = FallbackTransport(self._clock, context, self._http2, proxy)
        return await fallback.handle_async_request(request)


def _proxy(url: str | None) -> httpx.Proxy | None:
    """The proxy at `url`. Raises UsageError where it cannot be used."""
    if url is None:
        return None
    scheme = url.partition(":")[0].lower()
    if scheme not in ("http", "https"):
        raise UsageError(
            "proxy",
            f"{'SOCKS' if scheme.startswith('socks') else scheme} proxies are not supported.",
            "Set HTTP_PROXY or HTTPS_PROXY to an http or https proxy, or exempt the host with NO_PROXY.",
        )
    try:
        return httpx.Proxy(url)
    except httpx.InvalidURL as error:
        raise UsageError(
            "proxy",
            f"The proxy set in the environment is not a URL ({error}).",
            "Check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY.",
        ) from error


def proxy_for(url: httpx.URL) -> str | None:
    """The proxy that the environment sets for a URL; never one for a loopback address, which no proxy can reach."""
    if is_loopback(url.host) or urllib.request.proxy_bypass(url.host):
        return None
    proxies = urllib.request.getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy:
        return None
    return proxy if "://" in proxy else f"http://{proxy}"

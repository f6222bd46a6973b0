"""Which transport carries a request: the stamping one, or httpx's own for proxies and HTTP/2."""

from __future__ import annotations

import functools
import ipaddress
import ssl
import urllib.request

import httpx

from sse_tui.errors import UsageError
from sse_tui.transport.clock import SessionClock
from sse_tui.transport.http.fallback import FallbackTransport
from sse_tui.transport.http.stamping import StampingTransport
from sse_tui.transport.http.tls import create_context


class RoutingTransport(httpx.AsyncBaseTransport):
    """Chooses a transport for each request."""

    def __init__(self, clock: SessionClock, verify: bool | str = True, http2: bool = False) -> None:
        self._clock = clock
        self._verify = verify
        self._http2 = http2
        self._stamping = StampingTransport(clock, lambda: _http1_context(verify))
        self._fallbacks: dict[str | None, FallbackTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        proxy = proxy_for(request.url)
        if proxy is None and not (self._http2 and request.url.scheme == "https"):
            return await self._stamping.handle_async_request(request)
        if proxy not in self._fallbacks:
            context = create_context(
                self._verify
            )  # not the shared one: httpx sets its own ALPN protocols on it
            try:
                self._fallbacks[proxy] = FallbackTransport(self._clock, context, self._http2, proxy)
            except httpx.InvalidURL as error:
                raise UsageError(
                    "proxy",
                    f"The proxy set in the environment is not a URL ({error}).",
                    "Check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY.",
                ) from error
            except (ImportError, ValueError) as error:  # httpx raises these for schemes that it cannot use
                scheme = str(proxy).partition(":")[0]
                kind = "SOCKS" if scheme.startswith("socks") else scheme
                raise UsageError(
                    "proxy",
                    f"{kind} proxies are not supported.",
                    "Set HTTP_PROXY or HTTPS_PROXY to an http or https proxy, or exempt the host with NO_PROXY.",
                ) from error
        return await self._fallbacks[proxy].handle_async_request(request)

    async def aclose(self) -> None:
        for fallback in self._fallbacks.values():
            await fallback.aclose()


@functools.cache
def _http1_context(verify: bool | str) -> ssl.SSLContext:
    """Made once per process: reading the authorities' certificates takes tens of milliseconds."""
    context = create_context(verify)
    context.set_alpn_protocols(["http/1.1"])
    return context


def proxy_for(url: httpx.URL) -> str | None:
    """The proxy that the environment sets for a URL; never one for a loopback address, which no proxy can reach."""
    if _is_loopback(url.host) or urllib.request.proxy_bypass(url.host):
        return None
    proxies = urllib.request.getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy:
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

"""Origins, and the cookies that each of them set."""

from __future__ import annotations

from collections import defaultdict
from typing import TypeAlias

import httpx

from sse_tui.transport.problems import PORTS

Origin: TypeAlias = tuple[str, str, int | None]
"""The scheme, host and port of a URL."""

# As many as browsers keep of one domain: a server must not make each request larger than the last.
_MAX_COOKIES = 180


def origin(url: httpx.URL) -> Origin:
    """The origin of an http or https URL."""
    return url.scheme, url.host, url.port or PORTS.get(url.scheme)


class OriginCookies:
    """The cookies of one turn. They go back to the origin that set them and to no other.

    By RFC 6265 alone, those of one port would go to every port of the host.
    """

    def __init__(self) -> None:
        self._jars: defaultdict[Origin, httpx.Cookies] = defaultdict(httpx.Cookies)

    def of(self, url: httpx.URL) -> httpx.Cookies:
        """The cookies for a request to `url`."""
        return self._jars[origin(url)]

    def keep(self, response: httpx.Response) -> None:
        """Keep what the response sets."""
        cookies = self.of(response.request.url)
        cookies.extract_cookies(response)
        for cookie in list(cookies.jar)[:-_MAX_COOKIES]:
            cookies.jar.clear(cookie.domain, cookie.path, cookie.name)

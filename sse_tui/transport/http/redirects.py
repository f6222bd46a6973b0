"""Redirects: the request that follows one, and what it must not carry (Fetch standard, section 4.4).

Another origin is one with another scheme, host or port, as in the Fetch standard and in curl, so a server that moves
from http to https is one, too. It gets neither keys nor a body, unless the user trusts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import httpx

from sse_tui import fields
from sse_tui.secret_names import may_be_secret
from sse_tui.transport.http.message import sendable, without_userinfo
from sse_tui.transport.http.origins import origin
from sse_tui.transport.problems import became_get, key_withheld, misdirected, not_repeated
from sse_tui.transport.stream_request import StreamRequest

MAX_REDIRECTS = 20
_STATUSES = frozenset((301, 302, 303, 307, 308))
_SAFE = ("GET", "HEAD")
# What describes a body, and goes with it.
_BODY_HEADERS = ("content-type", "content-encoding", "content-language", "content-location", "content-length")


class Redirect(NamedTuple):
    """The request that follows a redirect; `withheld` names the headers that another origin does not get.

    `was` is the method of the request before, and `detail` says in words where this one goes and how it differs.
    """

    request: StreamRequest
    was: str
    withheld: Sequence[str]
    detail: str


def is_redirect(response: httpx.Response) -> bool:
    """Whether the response sends the client elsewhere."""
    return response.status_code in _STATUSES and bool(response.headers.get("location", "").strip())


def follow(request: StreamRequest, response: httpx.Response) -> Redirect:
    """What to request after `response`, the redirect that answered `request`.

    Raises HttpError for a target that cannot be requested, or must not be.
    """
    request = without_userinfo(request)
    here, there = httpx.URL(request.url), _target(request, response)
    method, headers, body = request.method.upper(), list(request.headers), request.body
    status, changes = response.status_code, list[str]()
    if (status in (301, 302) and method == "POST") or (status == 303 and method not in _SAFE):
        changes.append(f"as a GET, no longer a {method}")
        method, body, headers = "GET", None, fields.without(headers, *_BODY_HEADERS)
    withheld: list[str] = []
    if origin(there) != origin(here):
        headers = fields.without(headers, "host")
        if not request.trusted:
            if body is not None or method not in _SAFE:
                raise not_repeated(method, str(there), status)
            withheld = [name for name, _ in headers if name.lower() in request.private or may_be_secret(name)]
            headers = fields.without(headers, *withheld)
    if withheld:
        changes.append(f"another origin, without {' and '.join(withheld)}")
    following = replace(request, method=method, url=str(there), headers=tuple(headers), body=body)
    # The credentials of the target's own URL are for it, and take the place of those that were withheld.
    following = without_userinfo(following)
    detail = f"redirected to {following.url}" + (f" ({'; '.join(changes)})" if changes else "")
    return Redirect(following, request.method.upper(), withheld, detail)


def refusal_hint(followed: Sequence[Redirect], status: int) -> str:
    """What to advise when the server at the end of the redirects refuses; "" where they are not to blame."""
    for redirect in followed:
        if redirect.withheld and status in (401, 403):
            return key_withheld(redirect.withheld, httpx.URL(redirect.request.url))
        if redirect.was != redirect.request.method and status in (400, 404, 405, 422):
            return became_get(redirect.was, redirect.request.url)
    return ""


def _target(request: StreamRequest, response: httpx.Response) -> httpx.URL:
    locations = sorted(set(response.headers.get_list("location")))
    if len(locations) > 1:
        # Which one is meant cannot be known; browsers and curl refuse it as well.
        raise misdirected(locations, "one URL")
    try:
        url = httpx.URL(request.url).join(locations[0].strip())
    except httpx.InvalidURL:
        raise misdirected(locations) from None
    if not sendable(url):
        raise misdirected([str(url)])
    return url

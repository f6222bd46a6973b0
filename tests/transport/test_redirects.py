"""Redirects: what is requested next, where reconnects go, and what another origin never gets."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from sse_tui.errors import HttpError
from sse_tui.recording.records import Close, Reconnect, Request, Response
from sse_tui.transport import StreamRequest
from sse_tui.transport.http.redirects import follow
from tests.transport.playbook import Asks, Closes, Ends, Waits, conversation
from tests.transport.turns import QUICK, Marked, run
from tests.transport.wire import Seen, chunked, response, wire

A, B = b"id: 1\ndata: a\n\n", b"id: 2\ndata: b\n\n"
DONE = b"data: [DONE]\n\n"
KEY = "sk-0123456789abcdef0123"

# The headers in which providers and gateways take a key (openai/openai-python#3516, parnurzeal/gorequest#298,
# oryx-labs/oryxos#240).
KEY_HEADERS = [
    "Authorization",  # OpenAI and most others
    "x-api-key",  # Anthropic
    "x-goog-api-key",  # Gemini
    "api-key",  # Azure
    "Ocp-Apim-Subscription-Key",  # Azure API Management
    "X-Amz-Security-Token",  # Bedrock
    "Helicone-Auth",
    "x-portkey-api-key",
    "X-Litellm-Key",
    "cf-aig-authorization",  # Cloudflare AI Gateway
    "Proxy-Authorization",
    "Cookie",
    "X-Functions-Key",
    "X-Auth",
    "X-Auth-Token",
    "Authentication",
    "X-Master-Key",
    "Private-Key",
    "X-JWT",
    "Key",
    "API-Key",
]


def moved(status: int, location: str, **headers: Any) -> bytes:
    return response(f"{status} Moved", Location=location, **headers)


def key_of(seen: Seen) -> bool:
    return KEY.encode() in seen.request


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_reconnect_goes_where_the_redirect_led(status: int) -> None:
    """whatwg/html#503"""
    hop = response(f"{status} Moved", Location="/elsewhere")
    ran, server = await conversation(
        Asks(target="/stream"),
        hop,
        Closes("client", "redirected to"),
        Asks(target="/elsewhere"),
        chunked(A, last=False),
        Closes("incomplete"),
        Waits("1"),
        Asks("1", target="/elsewhere"),
        chunked(B, DONE),
        Closes("eof"),
        Ends("complete"),
        policy=QUICK,
        dialect=Marked(),
    )
    assert [record.status for record in ran.of(Response)] == [status, 200, 200]
    assert [record.conn for record in ran.of(Request)] == [1, 2, 3]
    # The wire log says where the reconnect goes.
    assert [record.url for record in ran.of(Reconnect)] == [f"{server.url.removesuffix('/stream')}/elsewhere"]


@pytest.mark.parametrize(
    ("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]
)
async def test_a_redirected_post_keeps_its_body_only_where_http_says_so(status: int, method: str) -> None:
    await conversation(
        Asks(method="POST", body=b"{}"),
        response(f"{status} Moved", Location="/b"),
        Closes("client"),
        Asks(method=method, target="/b", body=b"{}" if method == "POST" else b""),
        chunked(A),
        Closes("eof"),
        Ends("ended"),
        method="POST",
        body=b"{}",
    )


async def test_a_redirect_loop_is_an_error() -> None:
    hop = (Asks(), response("302 Found", Location="/stream"))
    await conversation(
        *(line for _ in range(20) for line in (*hop, Closes("client"))),
        *hop,
        Closes("refused", "in a loop"),
        Ends("refused", "redirects", "More than 20 redirects"),
        policy=QUICK,
    )


@pytest.mark.parametrize("headers", [{}, {"Location": ""}])
async def test_a_redirect_to_nowhere_is_an_error(headers: dict[str, Any]) -> None:
    async with wire([response("302 Found", **headers)], then=[chunked(A)]) as server:
        ran = await run(server.url, policy=QUICK)
        assert len(server.seen) == 1
    assert ran.outcome == "refused"
    assert ran.driver.error is not None
    assert "no Location" in ran.driver.error.hint


@pytest.mark.parametrize(
    "location", ["ftp://host/", "file:///etc/passwd", "http://127.0.0.1:99999/", "http://[::1"]
)
async def test_a_redirect_to_what_is_no_http_url_is_the_servers_fault(location: str) -> None:
    async with wire([response("302 Found", Location=location)]) as server:
        ran = await run(server.url)
    assert ran.outcome == "refused"
    assert isinstance(ran.driver.error, HttpError)
    assert ran.driver.error.code == "redirect"
    assert ran.closes == ["refused"]


@pytest.mark.parametrize(
    "there", ["ftp://me:secret@h/x?key=secret#secret", "http://me:secret@h/x?key=secret#secret"]
)
async def test_errors_do_not_show_what_may_be_secret_in_a_location(there: str) -> None:
    async with wire([moved(307, there)]) as server:
        ran = await run(server.url, method="POST", body=b"{}")
    assert ran.driver.error is not None
    assert "://h/x?…" in ran.driver.error.message
    assert "secret" not in ran.driver.error.message


async def test_twenty_redirects_are_followed() -> None:
    hops = (line for n in range(20) for line in (Asks(), moved(302, f"/{n}"), Closes("client")))
    await conversation(*hops, Asks(target="/19"), chunked(A), Closes("eof"), Ends("ended"))


async def test_a_redirect_to_two_places_is_an_error() -> None:
    two = moved(302, "/a").replace(b"Location: /a", b"Location: /a\r\nLocation: /b")
    async with wire([two]) as server:
        ran = await run(server.url)
    assert isinstance(ran.driver.error, HttpError)
    assert ran.driver.error.code == "redirect"


@pytest.mark.parametrize(
    ("status", "method", "then"),
    [(301, "REPORT", "REPORT"), (302, "REPORT", "REPORT"), (303, "REPORT", "GET"), (307, "REPORT", "REPORT")],
)
async def test_only_a_post_becomes_a_get_by_301_and_302(status: int, method: str, then: str) -> None:
    await conversation(
        Asks(method=method, body=b"q"),
        moved(status, "/b"),
        Closes("client", "as a GET, no longer a REPORT" if then == "GET" else "redirected to"),
        Asks(method=then, target="/b", body=b"" if then == "GET" else b"q"),
        chunked(A),
        Closes("eof"),
        Ends("ended"),
        method=method,
        body=b"q",
    )


async def test_a_get_has_no_headers_of_the_body_that_it_lost() -> None:
    async with wire([moved(303, "/b")], [chunked(A)]) as server:
        await run(
            server.url,
            method="POST",
            body=b"{}",
            headers=[("Content-Type", "application/json"), ("X-One", "1")],
        )
    assert [server.seen[1].header(name) for name in ("content-type", "content-length", "x-one")] == [
        None,
        None,
        b"1",
    ]


async def test_what_a_post_was_redirected_to_is_resumed_by_get() -> None:
    """The answer of the POST is at that URL: the POST itself is not sent twice."""
    await conversation(
        Asks(method="POST"),
        moved(303, "/answers/1"),
        Closes("client"),
        Asks(method="GET", target="/answers/1"),
        chunked(A, last=False),
        Closes("incomplete"),
        Waits("1"),
        Asks("1", method="GET", target="/answers/1"),
        chunked(B, DONE),
        Closes("eof"),
        Ends("complete"),
        method="POST",
        body=b"{}",
        policy=QUICK,
        dialect=Marked(),
    )


@pytest.mark.parametrize("elsewhere", ["port", "host"])
@pytest.mark.parametrize("name", KEY_HEADERS)
async def test_another_origin_gets_no_key(name: str, elsewhere: str) -> None:
    async with wire([chunked(A, last=False)], [chunked(B, DONE)]) as other, wire(then=[chunked(A)]) as first:
        # The same server by another name, or the same host by another port.
        there = f"http://localhost:{first.port}/b" if elsewhere == "host" else other.url
        first.scripts = [[moved(307, there)], [chunked(A, last=False)], [chunked(B, DONE)]]
        ran = await run(first.url, headers=[(name, KEY), ("X-Trace", "1")], policy=QUICK, dialect=Marked())
        seen = [*first.seen[1:], *other.seen]
    assert ran.outcome == "complete"
    assert key_of(first.seen[0])
    # Nor does the reconnect carry it; what is no key stays.
    assert [(key_of(one), one.header("x-trace")) for one in seen] == [(False, b"1")] * 2
    assert f"another origin, without {name}" in ran.of(Close)[0].detail
    assert KEY not in ran.of(Close)[0].detail


@pytest.mark.parametrize("name", KEY_HEADERS)
async def test_the_same_origin_gets_the_key_again(name: str) -> None:
    async with wire([moved(307, "/b")], [chunked(A)]) as server:
        await run(server.url, headers=[(name, KEY)])
    assert [key_of(seen) for seen in server.seen] == [True, True]


async def test_headers_that_the_caller_calls_private_stay_at_their_origin() -> None:
    async with wire([chunked(A)]) as other, wire([moved(302, other.url)]) as first:
        ran = await run(
            first.url, headers=[("X-Team", "red"), ("X-Trace", "1")], private=frozenset(["x-team"])
        )
    assert ran.outcome == "ended"
    assert [other.seen[0].header(name) for name in ("x-team", "x-trace")] == [None, b"1"]


async def test_a_key_that_was_withheld_does_not_come_back() -> None:
    """Also not to the origin that it belongs to: another server decided what is requested there."""
    async with wire(then=[chunked(A)]) as first, wire([moved(302, first.url)]) as other:
        first.scripts = [[moved(302, other.url)], [chunked(A)]]
        await run(first.url, headers=[("X-Api-Key", KEY)])
    assert [key_of(seen) for seen in (*first.seen, *other.seen)] == [True, False, False]


async def test_credentials_in_the_url_stay_at_its_origin() -> None:
    async with wire([chunked(A)]) as other, wire([moved(302, "/b")], [moved(302, other.url)]) as first:
        await run(first.url.replace("http://", "http://me:secret@"))
    seen = [*first.seen, *other.seen]
    assert [one.header("authorization") for one in seen] == [b"Basic bWU6c2VjcmV0"] * 2 + [None]


async def test_credentials_in_the_location_are_for_it() -> None:
    async with (
        wire([chunked(A)]) as other,
        wire([moved(302, other.url.replace("http://", "http://you:there@"))]) as first,
    ):
        ran = await run(first.url, headers=[("Authorization", f"Bearer {KEY}")])
    assert other.seen[0].header("authorization") == b"Basic eW91OnRoZXJl"
    assert all("you:there" not in str(record) for record in ran.of(Request))


async def test_cookies_go_back_to_the_origin_that_set_them() -> None:
    cookie = {"Set_Cookie": "session=s1; Path=/"}
    async with wire([chunked(A)]) as other, wire(then=[chunked(A)]) as first:
        first.scripts = [[moved(302, "/b", **cookie)], [moved(302, other.url)]]
        await run(first.url)
    assert first.seen[1].header("cookie") == b"session=s1"
    assert other.seen[0].header("cookie") is None


async def test_a_host_header_is_not_sent_to_another_host() -> None:
    async with wire([chunked(A)]) as other, wire([moved(302, "/b")], [moved(302, other.url)]) as first:
        await run(first.url, headers=[("Host", "virtual.example")])
    hosts = [seen.header("host") for seen in (*first.seen, *other.seen)]
    assert hosts == [b"virtual.example"] * 2 + [f"127.0.0.1:{other.port}".encode()]


@pytest.mark.parametrize("method", ["POST", "REPORT"])
@pytest.mark.parametrize("status", [307, 308])
async def test_a_post_is_not_repeated_at_another_origin(status: int, method: str) -> None:
    async with wire(then=[chunked(A)]) as other, wire([moved(status, other.url)]) as first:
        ran = await run(first.url, method=method, body=b"{}", policy=QUICK)
        assert other.seen == []
    assert (ran.outcome, ran.closes) == ("refused", ["refused"])
    error = ran.driver.error
    assert isinstance(error, HttpError)
    assert error.code == "redirect-origin"
    assert f"redirects the {method} to {other.url} ({status})" in error.message
    assert "--location-trusted" in error.hint


async def test_a_trusted_location_gets_everything() -> None:
    async with wire([chunked(A)]) as other, wire([moved(307, other.url)]) as first:
        ran = await run(
            first.url,
            method="POST",
            body=b"{}",
            headers=[("X-Api-Key", KEY), ("Cookie", "a=b")],
            trusted=True,
        )
    assert ran.outcome == "ended"
    seen = other.seen[0]
    assert (seen.method, seen.body, seen.header("cookie")) == ("POST", b"{}", b"a=b")
    assert key_of(seen)


@pytest.mark.parametrize("status", [404, 405])
async def test_a_refusal_of_the_get_that_a_post_became_says_so(status: int) -> None:
    """As where a path lacks a slash at its end: the server redirects with 301, and takes only a POST there.

    conbench/conbench#1150, tokio-rs/axum#681
    """
    async with wire([moved(301, "/v1/")], [response(f"{status} No")]) as server:
        ran = await run(server.url, method="POST", body=b"{}")
    assert ran.driver.error is not None
    assert ran.driver.error.hint == (
        f"The redirect to http://127.0.0.1:{server.port}/v1/ turned the POST into a GET. Use that URL."
    )


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("b", "/b"),
        ("../b", "/b"),
        ("?q=1", "/stream?q=1"),
        ("//127.0.0.1:{port}/b", "/b"),
        ("/b#part", "/b"),
        (" /b ", "/b"),
        ("/ü", "/%C3%BC"),
    ],
)
async def test_a_location_is_relative_to_what_was_requested(location: str, target: str) -> None:
    """EventSource/eventsource#277"""
    async with wire(then=[chunked(A)]) as server:
        server.scripts = [[moved(302, location.format(port=server.port))], [chunked(A)]]
        await run(server.url, headers=[("X-Api-Key", KEY)])
    assert [(seen.target, key_of(seen)) for seen in server.seen] == [("/stream", True), (target, True)]


@pytest.mark.parametrize(
    ("there", "other"),
    [
        ("http://h:80/b", False),
        ("http://H/b", False),
        ("https://h/b", True),  # curl drops the key as well; the hint of a 401 then names the URL
        ("http://h:8080/b", True),
        ("https://h:80/b", True),
        ("http://www.h/b", True),
        ("http://h./b", True),
        ("http://h@h2/b", True),
    ],
)
def test_what_another_origin_is(there: str, other: bool) -> None:
    asked = httpx.Request("GET", "http://h/a")
    answer = httpx.Response(302, headers={"location": there}, request=asked)
    redirect = follow(StreamRequest("GET", "http://h/a", [("X-Api-Key", KEY)]), answer)
    assert redirect.withheld == (["X-Api-Key"] if other else [])
    assert any(value == KEY for _, value in redirect.request.headers) is not other


async def test_a_server_cannot_make_requests_grow_by_cookies() -> None:
    hops = []
    for hop in range(10):
        cookies = "".join(f"Set-Cookie: c{hop}-{n}=1\r\n" for n in range(100))
        hops.append(moved(302, f"/{hop}").replace(b"\r\n\r\n", b"\r\n" + cookies.encode() + b"\r\n"))
    async with wire(*([hop] for hop in hops), [chunked(A)]) as server:
        await run(server.url)
    assert (server.seen[-1].header("cookie") or b"").count(b"=") == 180
    assert b"c9-99=1" in server.seen[-1].request


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refusal_for_want_of_the_key_says_why_it_was_not_sent(status: int) -> None:
    """halcy/Mastodon.py#84, tiylabs/tiygate#26"""
    async with wire([response(f"{status} No")]) as other, wire([moved(302, other.url)]) as first:
        ran = await run(first.url, headers=[("X-Api-Key", KEY)])
    assert ran.driver.error is not None
    assert f"X-Api-Key did not follow the redirect to 127.0.0.1:{other.port}" in ran.driver.error.hint
    assert "--location-trusted" in ran.driver.error.hint

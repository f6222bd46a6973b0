"""What a web page can make a browser send is refused by Host and Origin, before anything runs."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from sse_tui.engine.scripted import ScriptedEngine
from tests.server.raw_http import exchange

EVIL = {"Origin": "https://evil.example"}


class Counting(ScriptedEngine):
    """Counts the requests that reach it."""

    def __init__(self) -> None:
        super().__init__("a b c")
        self.asked = 0

    def submit(self, request: Any) -> Any:
        self.asked += 1
        return super().submit(request)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200), ("LOCALHOST:1234", 200), ("localhost.", 200), ("app.localhost:80", 200),
        ("127.0.0.1", 200), ("127.9.9.9:8321", 200), ("[::1]:8321", 200), ("[::1]", 200),
        ("evil.example", 403), ("evil.example:8321", 403), ("127.0.0.1.evil.example", 403), ("0.0.0.0:8321", 403),
        ("localhost.evil.example", 403), ("192.168.1.5", 403), ("", 403), ("[::2]", 403),
        ("user@localhost", 400), ("localhost:8x", 400), ("local host", 400), ("localhost/", 400), ("[::1", 400),
    ],
)  # fmt: skip
async def test_only_names_of_this_machine_without_a_token(serving: Any, host: str, status: int) -> None:
    served = await serving(ScriptedEngine("a"))
    answer = await served.http.get("/v1/models", headers={"Host": host})
    assert answer.status_code == status, answer.text
    if status == 403:
        assert answer.json()["error"]["code"] == "host_not_allowed"
        assert "--allow-host" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "settings", [{"token": "secret"}, {"allow_hosts": ["*"]}, {"allow_hosts": ["Box.lan:80"]}]
)
async def test_any_name_with_a_token_or_where_it_is_allowed(serving: Any, settings: dict[str, Any]) -> None:
    served = await serving(ScriptedEngine("a"), **settings)
    assert (await served.http.get("/v1/models", headers={"Host": "box.lan:8321"})).status_code == 200


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /v1/models HTTP/1.1\r\n", 400),
        (b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n", 400),
        (b"GET /v1/models HTTP/1.0\r\n", 200),
        (b"GET /v1/models HTTP/1.0\r\nHost: evil.example\r\n", 403),
        (b"GET http://evil.example/v1/models HTTP/1.1\r\nHost: localhost\r\n", 403),
        (b"GET http://localhost:9/v1/models HTTP/1.1\r\nHost: evil.example\r\n", 200),
    ],
)
async def test_a_host_is_required_once_and_the_url_has_precedence(
    serving: Any, head: bytes, status: int
) -> None:
    served = await serving(ScriptedEngine("a"))
    answer = await exchange(served, head + b"Connection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 %d " % status), answer


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
async def test_a_foreign_origin_is_refused_before_anything_runs(serving: Any, method: str) -> None:
    engine = Counting()
    served = await serving(engine, token="secret", allow_origins=["https://app.example"])
    path = "/v1/chat/completions" if method == "POST" else "/v1/models"
    for origin in ("https://evil.example", "null", "https://app.example.evil.example", "http://app.example"):
        answer = await served.http.request(method, path, json=served.body(), headers={"Origin": origin})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "origin_not_allowed"), origin
        assert "access-control-allow-origin" not in answer.headers
    assert engine.asked == 0


async def test_no_origin_is_allowed_unless_it_is_named(serving: Any) -> None:
    engine = Counting()
    served = await serving(engine)
    for path in ("/health", "/v1/models", "/v1/streams/x"):
        assert (await served.http.get(path, headers=EVIL)).status_code == 403
    assert (
        await served.http.post("/v1/chat/completions", json=served.body(), headers=EVIL)
    ).status_code == 403
    assert engine.asked == 0


async def test_the_endpoint_s_own_origin_and_allowed_ones_are_served(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"), allow_origins=["https://app.example"])
    own = await served.http.get("/v1/models", headers={"Origin": served.url})
    assert own.status_code == 200
    allowed = await served.http.get("/v1/models", headers={"Origin": "https://app.example"})
    assert allowed.headers["access-control-allow-origin"] == "https://app.example"
    every = await serving(ScriptedEngine("a"), allow_origins=["*"])
    assert (await every.http.get("/v1/models", headers=EVIL)).headers["access-control-allow-origin"] == "*"


async def test_a_rebound_name_never_reads_an_answer(serving: Any) -> None:
    """The page's own name leads here, so its requests have no Origin, or its own as the Host's."""
    served = await serving(ScriptedEngine("a"))
    port = httpx.URL(served.url).port
    rebound = {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"}
    answer = await served.http.post("/v1/chat/completions", json=served.body(), headers=rebound)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "host_not_allowed")

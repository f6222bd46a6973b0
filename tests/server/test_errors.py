"""Every refusal is JSON in OpenAI's form, with the right status and what to do next."""

from __future__ import annotations

from typing import Any

import pytest

from sse_tui.engine.scripted import ScriptedEngine


def code_of(response: Any) -> str:
    error = response.json()["error"]
    assert {"message", "type", "param", "code"} <= error.keys()
    assert response.headers["content-type"] == "application/json"
    return str(error["code"])


async def test_unknown_urls_name_the_known_ones(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"))
    response = await served.http.get("/v1/chat")
    assert (response.status_code, code_of(response)) == (404, "unknown_url")
    assert "POST /v1/chat/completions" in response.json()["error"]["message"]
    response = await served.http.get("/v1/chat/completions")
    assert (response.status_code, code_of(response)) == (405, "method_not_allowed")
    assert response.headers["allow"] == "POST"


async def test_bodies(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"), max_body_bytes=1000)
    url, json_type = "/v1/chat/completions", {"Content-Type": "application/json"}
    response = await served.http.post(url, content=b"{", headers=json_type)
    assert (response.status_code, code_of(response)) == (400, "invalid_json")
    response = await served.http.post(url, content=b"{}", headers={"Content-Type": "text/plain"})
    assert (response.status_code, code_of(response)) == (415, "unsupported_media_type")
    response = await served.http.post(url, content=b"{}")
    assert (response.status_code, code_of(response)) == (415, "unsupported_media_type")
    response = await served.http.post(url, content=b" " * 1001, headers=json_type)
    assert (response.status_code, code_of(response)) == (413, "body_too_large")

    async def chunked() -> Any:
        for _ in range(11):
            yield b" " * 100

    response = await served.http.post(url, content=chunked(), headers=json_type)
    assert (response.status_code, code_of(response)) == (413, "body_too_large")
    types = {"Content-Type": "application/json; charset=utf-8"}
    body = b'{"messages":[{"role":"user","content":"x"}]}'
    assert (await served.http.post(url, content=body, headers=types)).status_code == 200


async def test_a_full_engine_says_when_to_come_back(serving: Any) -> None:
    served = await serving(ScriptedEngine("a " * 50, gap_ms=20, n_seq=1, max_queue=0))
    async with served.http.stream("POST", "/v1/chat/completions", json=served.body()):
        response = await served.ask()
    assert (response.status_code, code_of(response)) == (503, "overloaded")
    assert int(response.headers["retry-after"]) >= 1


async def test_no_more_streams_than_allowed(serving: Any) -> None:
    served = await serving(ScriptedEngine("a " * 50, gap_ms=20), max_streams=1)
    async with served.http.stream("POST", "/v1/chat/completions", json=served.body()):
        for stream in (True, False):
            response = await served.ask(stream=stream)
            assert (response.status_code, code_of(response)) == (429, "too_many_streams")
            assert int(response.headers["retry-after"]) >= 1


async def test_unknown_model(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"))
    for response in (await served.ask(model="gpt-5"), await served.http.get("/v1/models/gpt-5")):
        assert (response.status_code, code_of(response)) == (404, "model_not_found")
    assert (await served.ask(model="default")).status_code == 200


async def test_whole_answers_fail_by_status(serving: Any) -> None:
    served = await serving(ScriptedEngine("a b c", error_at=1))
    response = await served.ask(stream=False)
    assert (response.status_code, code_of(response)) == (500, "scripted_error")


@pytest.mark.parametrize(
    "authorization", [None, "Bearer wrong", "Basic secret", "secret", "Bearer secre", "Bearer"]
)
async def test_only_the_token_opens(serving: Any, authorization: str | None) -> None:
    served = await serving(ScriptedEngine("a"), token="secret")
    served.http.headers.pop("Authorization")
    headers = {"Authorization": authorization} if authorization else {}
    for method, url in (("POST", "/v1/chat/completions"), ("GET", "/v1/models"), ("GET", "/nothing")):
        response = await served.http.request(method, url, headers=headers)
        assert (response.status_code, code_of(response)) == (401, "invalid_api_key")
        assert response.headers["www-authenticate"].startswith("Bearer")
    health = (await served.http.get("/health", headers=headers)).json()
    assert health == {"status": "ok", "version": health["version"]}, "no more than that for strangers"


async def test_the_scheme_is_case_insensitive(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"), token="secret")
    assert (
        await served.http.get("/v1/models", headers={"Authorization": "bearer secret"})
    ).status_code == 200


async def test_other_origins_only_where_allowed(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"), token="secret", allow_origins=["https://app.example"])
    asked = {
        "Origin": "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type, last-event-id",
    }
    served.http.headers.pop("Authorization")
    allowed = await served.http.options("/v1/chat/completions", headers=asked)
    assert allowed.status_code == 200
    assert allowed.headers["access-control-allow-origin"] == "https://app.example"
    refused = await served.http.options(
        "/v1/chat/completions", headers=asked | {"Origin": "https://evil.example"}
    )
    assert "access-control-allow-origin" not in refused.headers

"""Resuming: exactly the rest, from every event, by POST and by GET, of running and of finished streams."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
from typing import Any

import httpx
import pytest

from sse_tui.engine.scripted import ScriptedEngine
from sse_tui.eventstream import Event, Parser

TEXT = "Water wears down rocks 🪨, the rivers carry their salts to the sea — and there they stay.\nFor ever."


def content(found: list[Event]) -> str:
    chunks = [json.loads(event.data) for event in found if event.data != "[DONE]"]
    return "".join(choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"])


async def test_a_whole_stream_has_consecutive_ids_and_ends_with_done(serving: Any) -> None:
    served = await serving(ScriptedEngine(TEXT))
    found = await served.whole(stream_options={"include_usage": True})
    stream = found[0].id.rpartition("-")[0]
    assert [event.id for event in found] == [f"{stream}-{seq}" for seq in range(len(found))]
    assert found[-1].data == "[DONE]"
    assert json.loads(found[-2].data)["usage"]["completion_tokens"] == len(found) - 4
    assert json.loads(found[-3].data)["choices"][0]["finish_reason"] == "stop"
    assert content(found) == TEXT


@pytest.mark.parametrize("way", ["post", "get", "query"])
async def test_every_event_of_a_finished_stream(serving: Any, events: Any, way: str) -> None:
    served = await serving(ScriptedEngine(TEXT))
    full = await served.whole()
    for place, event in enumerate(full):
        response = await resume(served, event.id, way)
        rest = full[place + 1 :]
        assert response.status_code == (200 if rest else 204)
        assert response.headers.get("last-event-id") == (event.id if rest else None)
        assert events(response.content) == rest


async def resume(served: Any, last_event_id: str, way: str) -> httpx.Response:
    response: httpx.Response
    if way == "post":
        response = await served.resume_by_post(last_event_id)
    elif way == "get":
        response = await served.resume_by_get(last_event_id)
    else:
        stream = last_event_id.rpartition("-")[0]
        response = await served.http.get(f"/v1/streams/{stream}", params={"last_event_id": last_event_id})
    return response


@pytest.mark.parametrize("way", ["post", "get"])
async def test_every_event_of_a_running_stream(serving: Any, events: Any, way: str) -> None:
    """A second reader starts at each event, while the first goes on."""
    served = await serving(ScriptedEngine(TEXT, gap_ms=4))
    parser, full, others = Parser(), [], []
    async with served.http.stream("POST", "/v1/chat/completions", json=served.body()) as response:
        async for chunk in response.aiter_raw():
            for item in parser.feed(chunk):
                if isinstance(item, Event):
                    full.append(item._replace(start=0, end=0))
                    others.append(asyncio.create_task(resume(served, item.id, way)))
    for place, other in enumerate(others):
        response = await other
        assert events(response.content) == full[place + 1 :], place
    assert len(full) > 15


async def test_the_header_beats_the_query(serving: Any, events: Any) -> None:
    served = await serving(ScriptedEngine(TEXT))
    full = await served.whole()
    stream = full[0].id.rpartition("-")[0]
    params, headers = {"last_event_id": full[0].id}, {"Last-Event-ID": full[5].id}
    response = await served.http.get(f"/v1/streams/{stream}", params=params, headers=headers)
    assert events(response.content) == full[6:]


async def test_without_a_place_the_stream_comes_whole(serving: Any, events: Any) -> None:
    served = await serving(ScriptedEngine(TEXT))
    response = await served.ask()
    assert response.headers["location"] == f"/v1/streams/{response.headers['x-stream-id']}"
    again = await served.http.get(response.headers["location"])
    assert events(again.content) == events(response.content)
    assert "last-event-id" not in again.headers


async def test_a_replay_of_a_finished_stream_is_the_same_bytes(serving: Any) -> None:
    served = await serving(ScriptedEngine(TEXT))
    body = (await served.ask()).content
    blocks = body.removeprefix(b": heartbeat\n").split(b"\n\n")
    last_event_id = blocks[3].split(b"\n")[0].removeprefix(b"id: ").decode()
    response = await served.resume_by_get(last_event_id)
    assert response.content == b"\n\n".join(blocks[4:])


async def cut(served: Any, size: int, last_event_id: str, stream: str) -> tuple[list[Event], str, str, bool]:
    """Read at most `size` bytes and go: the events in them, the last id, the stream, whether it ended."""
    parser, taken, ended = Parser(last_event_id=last_event_id), 0, False
    found: list[Event] = []
    if last_event_id:
        headers = {"Last-Event-ID": last_event_id}
        asked = served.http.stream("POST", "/v1/chat/completions", json=served.body(), headers=headers)
    elif stream:
        asked = served.http.stream("GET", f"/v1/streams/{stream}")
    else:
        asked = served.http.stream("POST", "/v1/chat/completions", json=served.body(seed=1))
    async with asked as response:
        if response.status_code == 204:
            return [], last_event_id, stream, True
        assert response.status_code == 200
        stream = response.headers["x-stream-id"]
        ended = True
        async for chunk in response.aiter_raw():
            chunk = chunk[: size - taken]
            taken += len(chunk)
            found += [item for item in parser.feed(chunk) if isinstance(item, Event)]
            if taken >= size:
                ended = False
                break
    found = [item._replace(start=0, end=0) for item in found]
    return found, parser.last_event_id, stream, ended


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("gap_ms", [0, 2])
async def test_cut_at_random_bytes_and_resumed_it_is_the_uncut_stream(
    serving: Any, seed: int, gap_ms: float
) -> None:
    served = await serving(ScriptedEngine(TEXT, gap_ms=gap_ms))
    draw = random.Random(seed)
    found, last_event_id, stream, ended = [], "", "", False
    while not ended:
        size = draw.choice([1, draw.randrange(1, 400), draw.randrange(1, 4000)])
        more, last_event_id, stream, ended = await cut(served, size, last_event_id, stream)
        found += more
    uncut = await served.http.get(f"/v1/streams/{stream}")
    parser = Parser()
    whole = [each._replace(start=0, end=0) for each in parser.feed(uncut.content) if isinstance(each, Event)]
    assert found == whole
    assert content(found) == TEXT
    health = (await served.http.get("/health")).json()
    assert health["stats"]["predicted_tokens"] == len(whole) - 3, "one generation, however often it was cut"


@pytest.mark.parametrize(
    "where", ["f" * 24 + "-0", "nonsense", "-1", "{stream}-99999", "{stream}--1", "{stream}-01", "é"]
)
async def test_an_id_that_is_not_known_is_404_and_never_a_new_generation(serving: Any, where: str) -> None:
    served = await serving(ScriptedEngine(TEXT))
    full = await served.whole()
    stream = full[0].id.rpartition("-")[0]
    headers = {b"Last-Event-ID": where.format(stream=stream).encode()}
    before = (await served.http.get("/health")).json()["stats"]
    for response in (
        await served.http.post("/v1/chat/completions", json=served.body(), headers=headers),
        await served.http.get(f"/v1/streams/{stream}", headers=headers),
    ):
        assert response.status_code == 404
        assert response.json()["error"]["code"] == "unknown_event_id"
    assert (await served.http.get("/health")).json()["stats"] == before


async def test_an_id_of_another_stream_does_not_fit_this_ones_url(serving: Any) -> None:
    served = await serving(ScriptedEngine(TEXT))
    one, other = (await served.whole())[3].id, (await served.whole())[0].id.rpartition("-")[0]
    response = await served.http.get(f"/v1/streams/{other}", headers={"Last-Event-ID": one})
    assert response.status_code == 404


async def test_an_evicted_event_is_409_with_the_oldest_that_is_kept(serving: Any, events: Any) -> None:
    served = await serving(ScriptedEngine(TEXT), store_max_events=6)
    full = await served.whole()
    oldest = full[-6].id
    for place, event in enumerate(full[:-1]):
        response = await served.resume_by_get(event.id)
        if place + 1 < len(full) - 6:
            assert response.status_code == 409
            error = response.json()["error"]
            assert (error["code"], error["oldest_event_id"]) == ("event_evicted", oldest)
        else:
            assert events(response.content) == full[place + 1 :]
    stream = full[0].id.rpartition("-")[0]
    assert (await served.http.get(f"/v1/streams/{stream}")).status_code == 409


async def test_a_stream_is_its_owners_alone() -> None:
    """The store holds a stream of another token: it does not exist for this one."""
    from sse_tui.server.asgi_app import build_app
    from sse_tui.server.backend import Backend
    from sse_tui.server.endpoint_state import Endpoint
    from sse_tui.server.settings import ServerSettings
    from sse_tui.server.store import EventStore

    store, stream = EventStore(ServerSettings(), lambda: 0.0), "ab" * 12
    for token, status in (("one", 200), ("two", 404)):
        endpoint = Endpoint(Backend(ScriptedEngine()), ServerSettings(token=token), store=store)
        if token == "one":
            store.create(stream, endpoint.owner)
            store.append(stream, b"id: x\ndata: x\n\n")
            store.append(stream, b"id: y\ndata: y\n\n")
            store.finish(stream)
        transport = httpx.ASGITransport(build_app(endpoint))
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost", headers=headers
        ) as http:
            assert (await http.get(f"/v1/streams/{stream}")).status_code == status
            response = await http.get(f"/v1/streams/{stream}", headers={"Last-Event-ID": f"{stream}-0"})
            assert response.status_code == status
            assert (await http.delete(f"/v1/streams/{stream}")).status_code == status


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
async def test_curl_gets_exactly_the_rest_of_every_event(serving: Any, events: Any) -> None:
    served = await serving(ScriptedEngine("Salt comes from rocks."))
    full = await served.whole()
    stream = full[0].id.rpartition("-")[0]
    for place, event in enumerate(full):
        url = f"{served.url}/v1/streams/{stream}"
        curl = await asyncio.create_subprocess_exec(
            "curl", "-sN", "-H", f"Last-Event-ID: {event.id}", url, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await curl.communicate()
        assert events(out) == full[place + 1 :]

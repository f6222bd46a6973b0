"""What a redirect to another origin carries, for every way in which a dialect, a profile or a user sends a key."""

from __future__ import annotations

from typing import Any

import pytest

from sse_tui import dialects
from sse_tui.config import Config, Profile
from sse_tui.config.schema import RecordingSection
from sse_tui.dialects.base import Message
from sse_tui.session.headless import Headless
from sse_tui.session.requests import inspect_turn
from sse_tui.session.spec import SessionSpec
from sse_tui.transport import StreamRequest
from tests.transport.wire import chunked, response, wire

KEY = "sk-0123456789abcdef0123"
EVENT = b"data: a\n\n"


def conversation(dialect: str, url: str, **options: Any) -> SessionSpec:
    profile = Profile(dialect=dialect, base_url=url, model="m", headers={"X-Team": "red"})
    return SessionSpec(
        "chat", profile=profile, api_key=KEY, secrets=(KEY,), headers=(("X-Trace", "1"),), **options
    )


async def ask(spec: SessionSpec) -> Headless:
    async with Headless(spec) as session:
        async for _ in session.ask([Message("user", "Hi")]):
            pass
    return session


@pytest.mark.parametrize("dialect", dialects.senders())
async def test_no_dialects_key_goes_to_another_origin(dialect: str) -> None:
    async with (
        wire(then=[chunked(EVENT)]) as other,
        wire([response("303 See", Location=other.url)], [response("307 Moved", Location=other.url)]) as first,
    ):
        await ask(conversation(dialect, first.url))
        session = await ask(conversation(dialect, first.url))
    assert [KEY.encode() in seen.request for seen in first.seen] == [True, True]
    # The 303 was followed by a GET without a key; the POST was not repeated for the 307.
    [seen] = other.seen
    assert (seen.method, seen.body, seen.header("x-trace")) == ("GET", b"", b"1")
    assert KEY.encode() not in seen.request
    assert seen.header("x-team") is None
    assert session.problem is not None
    assert session.problem.code == "redirect-origin"


@pytest.mark.parametrize("dialect", dialects.senders())
async def test_a_trusted_origin_gets_every_dialects_key(dialect: str) -> None:
    async with (
        wire([chunked(EVENT)]) as other,
        wire([response("307 Moved", Location=other.url)]) as first,
    ):
        await ask(conversation(dialect, first.url, trusted=True))
    [seen] = other.seen
    assert seen.method == "POST"
    assert KEY.encode() in seen.request
    assert seen.header("x-team") == b"red"


@pytest.mark.parametrize(
    ("recording", "header"),
    [
        (RecordingSection(redact_headers=["x-int*"]), ("X-Internal", "a")),
        (RecordingSection(redact_patterns=["hush-[0-9]+"]), ("X-One", "hush-12")),
        (RecordingSection(), ("X-One", f"prefix {KEY}")),
        (RecordingSection(), ("X-One", "sk-ant-abcdefghijklmnopqrstuvwxyz")),
    ],
)
def test_a_secret_under_any_name_stays_at_its_origin(
    recording: RecordingSection, header: tuple[str, str]
) -> None:
    request = StreamRequest("GET", "http://h/", [header, ("X-Trace", "1")])
    spec = SessionSpec(
        "inspect", config=Config(recording=recording), request=request, api_key=KEY, secrets=(KEY,)
    )
    assert inspect_turn(spec).request.private >= {header[0].lower()}
    assert "x-trace" not in inspect_turn(spec).request.private


def test_the_key_is_added_to_an_inspection_unless_it_has_one() -> None:
    def headers(*given: tuple[str, str], dialect: str | None = None) -> list[tuple[str, str]]:
        request = StreamRequest("GET", "http://h/", given)
        return list(
            inspect_turn(
                SessionSpec("inspect", request=request, api_key=KEY, dialect=dialect)
            ).request.headers
        )

    assert headers() == [("Authorization", f"Bearer {KEY}")]
    assert headers(dialect="anthropic-messages") == [("x-api-key", KEY)]
    assert headers(("authorization", "mine")) == [("authorization", "mine")]
    assert headers(("X-API-Key", "mine"), dialect="anthropic-messages") == [("X-API-Key", "mine")]

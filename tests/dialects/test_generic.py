from __future__ import annotations

import pytest

from sse_tui.dialects import Generic, create, names
from sse_tui.dialects.base import Meta, StreamFault
from sse_tui.errors import UsageError
from sse_tui.eventstream import Event


def event(data: str, type: str = "message") -> Event:
    return Event(type, data, "", 0, 0)


@pytest.mark.parametrize(
    "data", ["", "hello", '{"a": 1}', "[1", ": x", '{"choices":[{"delta":{"content":"a"}}]}']
)
def test_nothing_is_read_into_unknown_payloads(data: str) -> None:
    dialect = Generic()
    assert list(dialect.read(event(data))) == []
    assert (dialect.ended, dialect.complete) == (False, None)


def test_the_sentinel_ends_the_stream_and_tells_nothing_about_completeness() -> None:
    dialect = Generic()
    assert list(dialect.read(event("[DONE]"))) == [Meta("done", "[DONE]")]
    assert (dialect.ended, dialect.complete) == (True, None)


def test_pings() -> None:
    assert list(Generic().read(event("x", "ping"))) == [Meta("ping", "x")]


@pytest.mark.parametrize(
    ("data", "type", "fault"),
    [
        ('{"error":{"type":"t","code":1,"message":"m"}}', "message", StreamFault("t", 1, "m")),
        ('{"id":1,"error":{"code":-32601,"message":"m"}}', "message", StreamFault(None, -32601, "m")),
        ("plain", "error", StreamFault(None, None, "plain")),
        ("", "error", StreamFault(None, None, None)),
        ('{"message":"m"}', "error", StreamFault(None, None, "m")),
    ],
)  # fmt: skip
def test_errors_that_are_plainly_there(data: str, type: str, fault: StreamFault) -> None:
    assert list(Generic().read(event(data, type))) == [fault]


@pytest.mark.parametrize(
    "data", ['{"error":null}', '{"text":"\\"error\\""}', '"error"', '{"error": ', '["error"]']
)
def test_the_word_alone_is_no_error(data: str) -> None:
    assert list(Generic().read(event(data))) == []


def test_every_name_can_be_created() -> None:
    assert [create(name).name for name in names()] == names()
    assert "generic" in names()


def test_an_unknown_name_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        create("openai_chat")
    assert caught.value.code == "unknown-dialect"
    assert caught.value.hint.startswith("Did you mean openai-chat?")
    with pytest.raises(UsageError, match="Valid names: openai-chat"):
        create("zzz")

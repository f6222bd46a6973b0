from __future__ import annotations

from typing import Any

import pytest

from sse_tui.dialects.base import Malformed, Meta, StreamFault


def rpc(**members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", **members}


def test_a_stream_that_answers_a_request(read: Any) -> None:
    told = read(
        "mcp",
        "",
        rpc(method="notifications/progress", params={"progress": 1, "total": 3}),
        rpc(method="notifications/message", params={"level": "info", "data": "x"}),
        rpc(id=7, method="sampling/createMessage", params={}),
        rpc(id=2, result={"content": []}),
    )
    assert told.deltas[0] == [Meta("ping", "")], "the priming event has an id and nothing else"
    assert told.answer.jsonrpc == {"notifications": 2, "requests": 1, "responses": 1}
    assert told.metas("progress") == [{"progress": 1, "total": 3}]
    assert (told.dialect.ended, told.dialect.complete) == (True, True)
    assert read("mcp", rpc(method="ping", id=1)).dialect.complete is False


def test_an_error_is_an_answer_too(read: Any) -> None:
    told = read("mcp", rpc(id=4, error={"code": -32601, "message": "Method not found"}))
    assert told.answer.error == StreamFault(None, -32601, "Method not found")
    assert told.answer.jsonrpc == {"errors": 1}
    assert (told.dialect.ended, told.dialect.complete) == (True, True)


def test_the_older_transport(read: Any) -> None:
    told = read("mcp", ("endpoint", "/messages?sid=1"), rpc(id=1, result={}))
    assert told.metas("endpoint") == ["/messages?sid=1"]
    assert told.answer.json_errors == 1
    assert told.of(Malformed) == []
    assert (told.dialect.ended, told.dialect.complete) == (False, None), "it stays open"


def test_batches(read: Any) -> None:
    told = read("auto", '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"a"}]')
    assert told.dialect.name == "mcp"
    assert told.answer.jsonrpc == {"responses": 1, "notifications": 1}


def test_messages_after_the_response_are_still_read(read: Any) -> None:
    told = read("mcp", rpc(id=1, result={}), rpc(method="notifications/message", params={}))
    assert told.answer.jsonrpc == {"responses": 1, "notifications": 1}


@pytest.mark.parametrize("data", ["{}", '{"jsonrpc":"2.0","id":1}', "nonsense", "3"])
def test_what_is_no_message(data: str, read: Any) -> None:
    assert len(read("mcp", data).of(Malformed)) == 1

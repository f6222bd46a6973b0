"""Which recorded connection answers which request."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import pytest

from sse_tui.offline.export import read_tape
from sse_tui.offline.replay import Script
from sse_tui.offline.replay.script import ScriptedResponse
from sse_tui.recording.records import (
    Close,
    Fault,
    Header,
    Headers,
    Record,
    Request,
    Response,
    chunk,
)

STREAM: Headers = [("content-type", "text/event-stream"), ("transfer-encoding", "chunked")]


def connection(
    conn: int,
    *reads: bytes,
    turn: int = 1,
    path: str = "/s",
    after: str = "",
    reason: str = "eof",
    status: int = 200,
    headers: Headers = STREAM,
    version: str = "HTTP/1.1",
) -> list[Record]:
    """A connection at `conn` seconds, its headers 10 ns later, its reads from 20 ns on."""
    t = conn * 10**9
    at: dict[str, Any] = {"turn": turn, "conn": conn}
    asked = [("last-event-id", after)] if after else []
    return [
        Request(t=t, method="GET", url=f"http://h{path}", headers=asked, **at),
        Response(t=t + 10, status=status, http_version=version, headers=headers, **at),
        *(chunk(t + 20 + number, data, **at) for number, data in enumerate(reads)),
        Close(t=t + 90, reason=reason, **at),
    ]


def script(*connections: Sequence[Record]) -> Script:
    return Script(read_tape(Header(), [record for records in connections for record in records]))


def body(answer: ScriptedResponse) -> bytes:
    return b"".join(data for _, data in answer.pieces)


A, B, C = b"id: a\ndata: 1\n\n", b"id: b\ndata: 2\n\n", b"id: c\ndata: 3\n\n"


def test_a_connection_as_it_was() -> None:
    answer = script(connection(3, A, B)).answer("/s", "")
    assert answer == ScriptedResponse(
        200, [STREAM[0]], "chunked", [(20, A), (21, B)], headers_at=10, ending="whole", ends_at=90, conn=3
    )


def test_turns_come_in_their_order_over_and_over() -> None:
    found = script(connection(1, A), connection(2, B, turn=2), connection(3, C, turn=3, path="/other"))
    assert [found.answer("/s?x=1", "").conn for _ in range(3)] == [1, 2, 1]
    assert found.answer("/other", "").conn == 3
    assert [found.answer("/unknown", "").conn for _ in range(4)] == [1, 2, 3, 1]


def redirect(conn: int, location: str, **options: Any) -> list[Record]:
    return connection(conn, status=302, headers=[("location", location)], reason="client", **options)


@pytest.mark.parametrize(
    ("location", "path"),
    [("http://far/b?q=1", "/b?q=1"), ("/b", "/b"), ("b", "/b"), ("?q=1", "/s?q=1"), ("http://far", "/")],
)
def test_a_redirect_leads_to_the_replay_itself(location: str, path: str) -> None:
    found = script(redirect(1, location), connection(2, A, path=path), connection(3, B, path=path, after="a"))
    for _ in range(2):
        answer = found.answer("/s", "")
        assert (answer.status, answer.headers) == (302, [("Location", path)])
        assert found.answer(path, "").conn == 2
    assert found.answer(path, "a").conn == 3


def test_a_redirect_to_the_same_path_elsewhere_is_left_out() -> None:
    found = script(redirect(1, "https://h/s"), connection(2, A))
    assert [found.answer("/s", "").conn for _ in range(2)] == [2, 2]


def test_the_recorded_resume_answers_the_same_id() -> None:
    found = script(connection(1, A, B, reason="reset"), connection(2, C, after="b"))
    assert found.answer("/s", "").ending == "reset"
    answer = found.answer("/s", "b")
    assert (answer.conn, body(answer)) == (2, C)


def test_any_other_id_gets_the_rest_with_the_recorded_times() -> None:
    found = script(connection(1, A[:5], A[5:] + B[:4], B[4:], C, reason="incomplete"))
    answer = found.answer("/s", "a")
    assert (body(answer), answer.ending, answer.conn) == (B + C, "cut", 1)
    assert [t for t, _ in answer.pieces] == [0, 1, 2]
    assert ("Last-Event-ID", "a") in answer.headers
    assert found.answer("/s", "c").status == 204
    assert found.answer("/s", "zz").status == 404


def test_an_event_without_an_id_of_its_own_is_not_lost() -> None:
    found = script(connection(1, A + b"data: more\n\n" + B))
    assert body(found.answer("/s", "a")) == b"data: more\n\n" + B


def test_crlf_and_an_id_without_data() -> None:
    found = script(connection(1, b"id: a\r\ndata: 1\r\n\r\n", b"id: b\r\n\r\n", b"data: 2\r\n\r\n"))
    assert body(found.answer("/s", "a")).lstrip(b"\n") == b"id: b\r\n\r\ndata: 2\r\n\r\n"
    assert body(found.answer("/s", "b")).lstrip(b"\n") == b"data: 2\r\n\r\n"


def test_the_rest_of_a_packed_body_is_sent_unpacked() -> None:
    packer = zlib.compressobj(wbits=31)
    packed = packer.compress(A + B) + packer.flush()
    found = script(connection(1, packed, headers=[*STREAM, ("content-encoding", "gzip")]))
    whole, rest = found.answer("/s", ""), found.answer("/s", "a")
    assert body(whole) == packed
    assert ("content-encoding", "gzip") in whole.headers
    assert body(rest) == B
    assert "content-encoding" not in dict(rest.headers)


@pytest.mark.parametrize(
    ("headers", "version", "reason", "framing"),
    [
        (STREAM, "HTTP/1.1", "eof", "chunked"),
        ([("content-length", "15")], "HTTP/1.1", "eof", "length"),
        ([("content-length", "99")], "HTTP/1.1", "incomplete", "length"),
        ([("content-length", "99")], "HTTP/1.1", "eof", "chunked"),
        ([("content-length", "7")], "HTTP/1.1", "incomplete", "chunked"),
        ([], "HTTP/1.1", "eof", "close"),
        ([], "HTTP/1.0", "reset", "close"),
        ([], "HTTP/1.1", "fault", "chunked"),
        ([], "HTTP/2", "eof", "chunked"),
    ],
)
def test_the_framing_is_the_recorded_one_where_it_can_be(
    headers: Headers, version: str, reason: str, framing: str
) -> None:
    answer = script(connection(1, A, headers=headers, version=version, reason=reason)).answer("/s", "")
    assert answer.framing == framing
    assert ("content-length" in dict(answer.headers)) == (framing == "length")


@pytest.mark.parametrize(
    ("reason", "ending"),
    [
        ("eof", "whole"),
        ("client", "whole"),
        ("incomplete", "cut"),
        ("fault", "cut"),
        ("timeout", "hang"),
        ("error", "cut"),
    ],
)
def test_how_it_ends(reason: str, ending: str) -> None:
    assert script(connection(1, A, reason=reason)).answer("/s", "").ending == ending


def test_a_fault_that_reset_resets() -> None:
    fault = Fault(t=0, turn=1, conn=1, plan="reset@event=1", at="event 1", did="reset")
    assert script([*connection(1, A, reason="fault"), fault]).answer("/s", "").ending == "reset"


def test_what_cannot_be_sent_again_is_left_out() -> None:
    headers = [
        *STREAM,
        ("set-cookie", "[redacted]"),
        (":status", "200"),
        ("x", "a\r\nb"),
        ("y z", "1"),
        ("ok", "1"),
    ]
    assert script(connection(1, A, headers=headers)).answer("/s", "").headers == [STREAM[0], ("ok", "1")]


def test_a_raw_stream_is_served_as_one() -> None:
    records: list[Record] = [chunk(0, A + B, turn=1, conn=1), Close(t=0, turn=1, conn=1, reason="eof")]
    found = script(records)
    assert found.path == "/"
    assert found.answer("/any", "").headers == [("content-type", "text/event-stream")]
    assert body(found.answer("/", "a")) == B


def test_nothing_to_serve() -> None:
    assert script([]).answer("/", "").status == 404
    assert not script([]).connections

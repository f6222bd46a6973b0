"""What LaunchDarkly's contract tests ask of a client, kind by kind, of ``tail --json --reconnect always``.

The kinds are those of their suite (launchdarkly/sse-contract-tests): parsing, comments, byte order marks, line ends,
sizes, the request, and reconnection. The streams are our own.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
PAUSE, BREAK, HANG = b"pause", b"break", b"hang"  # steps of a connection, by identity
BIG = b"0123456789abcdef" * 65536


@dataclass
class Peer:
    """Serves each connection its pieces; a connection without any is closed, one that is not broken stays open."""

    connections: list[list[bytes]]
    heads: list[bytes] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def __call__(self, connection: socket.socket, head: bytes) -> None:
        head, _, body = head.partition(b"\r\n\r\n")
        length = self.value(head, "content-length")
        while length and len(body) < int(length):
            body += connection.recv(65536)
        self.heads.append(head)
        self.bodies.append(body)
        connection.sendall(HEAD)
        for piece in self.connections[min(len(self.heads), len(self.connections)) - 1]:
            if piece is BREAK:
                return
            if piece is PAUSE:
                time.sleep(0.05)
            elif piece is HANG:
                time.sleep(2)
            else:
                connection.sendall(piece)
        connection.recv(1)

    @staticmethod
    def value(head: bytes, name: str) -> str | None:
        for line in head.split(b"\r\n")[1:]:
            key, _, value = line.partition(b":")
            if key.strip().lower() == name.encode():
                return value.strip().decode()
        return None

    def sent(self, name: str) -> list[str | None]:
        """The values of a header, request by request."""
        return [self.value(head, name) for head in self.heads]


@pytest.fixture
def tail(cli: Callable[..., Any], server: Callable[..., Any]) -> Callable[..., list[tuple[str, str, str]]]:
    """Follows a peer until it has sent as many events as it should; type, data and ID of each."""

    def follow(peer: Peer, events: int, *options: str) -> list[tuple[str, str, str]]:
        url = server(peer)
        done = cli("tail", url, "--json", "--reconnect", "always", "--max-events", str(events), *options)
        assert done.code == 0, done.err
        rows = [json.loads(line) for line in done.out.splitlines()]
        return [(row["type"], row["data"], row["id"]) for row in rows if row["kind"] == "event"]

    return follow


def message(data: str, id: str = "") -> tuple[str, str, str]:
    return "message", data, id


PARSED: dict[str, tuple[list[bytes], list[tuple[str, str, str]]]] = {
    "fields": (
        [
            b"data: one\n\ndata: two\ndata:lines\n\ndata\n\ndata:\n\nevent: kind\ndata: typed\n\n",
            b"id: 7\ndata: with an id\n\ndata: keeps it\n\nother: x\ndata:  two spaces\nnothing\n\n",
        ],
        [
            *(message(data) for data in ("one", "two\nlines", "", "")),
            ("kind", "typed", ""),
            *(message(data, "7") for data in ("with an id", "keeps it", " two spaces")),
        ],
    ),
    "an event without data": ([b"event: kind\n\nid: 3\n\ndata: x\n\n"], [message("x", "3")]),
    "characters and fields in pieces": (
        [b"da", PAUSE, b"ta: \xe2", PAUSE, b"\x98\x83\n", PAUSE, b"\ndata: b\n\n"],
        [message("☃"), message("b")],
    ),
    "comments": (
        [b":\n\n: hello\ndata: a\n: inside\n\n:", PAUSE, b"data: no\n\ndata: :b\n\n"],
        [message("a"), message(":b")],
    ),
    "a byte order mark": (
        [b"\xef", PAUSE, b"\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: ignored\n\ndata: \xef\xbb\xbfb\n\n"],
        [message("a"), message("\ufeffb")],
    ),
    "LF": ([b"event: k\ndata: a\n\ndata: b\n\n"], [("k", "a", ""), message("b")]),
    "CR": ([b"event: k\rdata: a\r\rdata: b\r\r"], [("k", "a", ""), message("b")]),
    "CRLF": ([b"event: k\r\ndata: a\r\n\r\ndata: b\r\n\r\n"], [("k", "a", ""), message("b")]),
    "CRLF in pieces, and mixed": (
        [b"data: a\r", PAUSE, b"\n\r", PAUSE, b"\ndata: b\r\rdata: c\n\r\ndata: d\r\n\n"],
        [message(data) for data in "abcd"],
    ),
    "a big event": (
        [b"data: " + BIG[: 1 << 19], PAUSE, BIG[1 << 19 :] + b"\n\n", b"data: small\n\n"],
        [message(BIG.decode()), message("small")],
    ),
    "many lines of data": (
        [b"".join(b"data: %d\n" % n for n in range(5000)) + b"\n"],
        [message("\n".join(map(str, range(5000))))],
    ),
}


@pytest.mark.parametrize("name", PARSED)
def test_what_is_read(name: str, tail: Callable[..., Any]) -> None:
    pieces, events = PARSED[name]

    assert tail(Peer([pieces]), len(events)) == events


def test_the_request(tail: Callable[..., Any]) -> None:
    peer = Peer([[b"data: x\n\n"]])

    tail(peer, 1, "-H", "Name-1: a", "-H", "Name-2: b")

    assert peer.heads[0].startswith(b"GET /")
    wanted = {
        "accept": "text/event-stream",
        "cache-control": "no-cache",
        "last-event-id": None,
        "name-1": "a",
        "name-2": "b",
    }
    assert {name: peer.sent(name)[0] for name in wanted} == wanted


def test_an_id_to_begin_with(tail: Callable[..., Any]) -> None:
    peer = Peer([[b"data: x\n\n"]])

    tail(peer, 1, "-H", "Last-Event-ID: abc")

    assert peer.sent("last-event-id") == ["abc"]


@pytest.mark.parametrize("method", ["POST", "REPORT"])
@pytest.mark.parametrize("first", [[BREAK], [b"data: x\n\n", BREAK], [b"id: 1\ndata: x\n\n", BREAK]])
def test_a_request_with_a_body_is_sent_again_whole(
    method: str, first: list[bytes], tail: Callable[..., Any]
) -> None:
    peer = Peer([first, [b"data: y\n\n"]])
    body = '{"hello": "world"}'
    kind = "application/json; charset=utf-8"

    tail(peer, len(first), "-X", method, "-d", body, "-H", f"Content-Type: {kind}")

    assert [head.split()[0].decode() for head in peer.heads] == [method, method]
    assert peer.bodies == [body.encode()] * 2
    assert peer.sent("content-type") == [kind] * 2
    assert peer.sent("last-event-id") == [None, "1" if b"id: 1" in first[0] else None]


@pytest.mark.parametrize(
    ("first", "id"),
    [
        (b"id: abc\ndata: a\n\ndata: b\n\n", "abc"),  # of the last event that had one
        (b"id: abc\ndata: a\n\nid\ndata: b\n\n", None),  # reset
        (b"id: abc\ndata: a\n\nid: x\0y\ndata: b\n\n", "abc"),  # not an ID
        (b"data: a\n\ndata: b\n\n", None),
    ],
)
def test_which_id_a_reconnect_sends(first: bytes, id: str | None, tail: Callable[..., Any]) -> None:
    peer = Peer([[b"retry: 100\n", first, BREAK], [b"data: c\n\n"]])

    assert [data for _, data, _ in tail(peer, 3)] == ["a", "b", "c"]
    assert peer.sent("last-event-id") == [None, id]


def test_the_servers_retry(tail: Callable[..., Any]) -> None:
    peer = Peer([[b"retry: 400\ndata: a\n\n", BREAK], [b"retry: x\ndata: b\n\n", BREAK], [b"data: c\n\n"]])

    began = time.monotonic()
    tail(peer, 3)

    assert time.monotonic() - began > 0.8


def test_a_restart_by_the_client(tail: Callable[..., Any]) -> None:
    peer = Peer([[b"retry: 100\nid: 1\ndata: Hello\n\n"], [b"data: Thanks\n\n"]])

    events = tail(peer, 2, "--fault", "cut@event=1")

    assert events == [message("Hello", "1"), message("Thanks", "1")]
    assert peer.sent("last-event-id") == [None, "1"]


def test_a_read_timeout(tail: Callable[..., Any]) -> None:
    peer = Peer([[b"retry: 100\ndata: Hello\n\n", HANG], [b"data: Thanks\n\n"]])

    assert tail(peer, 2, "--idle-timeout", "0.3") == [message("Hello"), message("Thanks")]

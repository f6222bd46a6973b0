"""Racing the addresses of a host."""

from __future__ import annotations

import asyncio
import socket
import time
from typing import Any

import pytest

from sse_tui.transport.http.addresses import Address, connect, resolve
from tests.transport.turns import run
from tests.transport.wire import chunked, wire


def _ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@pytest.mark.skipif(not _ipv6(), reason="no IPv6 on the loopback")
async def test_ipv6() -> None:
    async with wire([chunked(b"data: x\n\n")], host="::1") as server:
        ran = await run(server.url)
    assert server.url.startswith("http://[::1]:")
    assert ran.body() == b"data: x\n\n"


async def test_families_are_interleaved(monkeypatch: pytest.MonkeyPatch) -> None:
    six, four = socket.AF_INET6, socket.AF_INET
    order = [
        (six, "::a"),
        (six, "::b"),
        (six, "::b"),
        (four, "1.1.1.1"),
        (four, "2.2.2.2"),
        (four, "3.3.3.3"),
    ]
    tried: list[str] = []

    async def getaddrinfo(*_: object, **__: object) -> list[Any]:
        return [(family, socket.SOCK_STREAM, 6, "", (name, 80)) for family, name in order]

    async def sock_connect(sock: socket.socket, address: Any) -> None:
        tried.append(address[0])
        raise ConnectionRefusedError(111, f"no {address[0]}")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(asyncio.get_running_loop(), "sock_connect", sock_connect)
    with pytest.raises(ConnectionRefusedError):
        await connect(await resolve("h", 80))
    assert tried == ["::a", "1.1.1.1", "::b", "2.2.2.2", "3.3.3.3"]


@pytest.mark.parametrize(("host", "family"), [("127.0.0.1", socket.AF_INET), ("::1", socket.AF_INET6)])
async def test_an_address_is_not_looked_up(host: str, family: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", None)
    ((*kind, _, name, where),) = await resolve(host, 80)
    assert (kind, name, where[:2]) == ([family, socket.SOCK_STREAM], "", (host, 80))


async def test_names_are_looked_up() -> None:
    assert any(address[4][1] == 80 for address in await resolve("localhost", 80))


def _ipv4(host: str, port: int) -> Address:
    return (socket.AF_INET, socket.SOCK_STREAM, 0, "", (host, port))


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


async def test_a_refused_address_gives_way_to_the_next_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        good = _ipv4(*listener.getsockname())
        bad = _ipv4("127.0.0.1", _free_port())
        began = time.monotonic()
        sock = await connect([bad, bad, good])
        assert time.monotonic() - began < 0.2
        assert sock.getpeername() == listener.getsockname()
        sock.close()


async def test_a_silent_address_gives_way_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    real = loop.sock_connect

    async def sock_connect(sock: socket.socket, address: Any) -> None:
        if address[0] == "192.0.2.1":
            await asyncio.sleep(10)
        await real(sock, address)

    monkeypatch.setattr(loop, "sock_connect", sock_connect)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        began = time.monotonic()
        sock = await connect([_ipv4("192.0.2.1", 9), _ipv4(*listener.getsockname())])
        assert 0.2 < time.monotonic() - began < 2
        sock.close()


async def test_when_all_refuse_that_is_the_error() -> None:
    bad = [_ipv4("127.0.0.1", _free_port()) for _ in range(3)]
    with pytest.raises(ConnectionRefusedError):
        await connect(bad)

"""From a host name to a connected socket, racing its addresses.

Addresses are tried in the resolver's order with the two families interleaved; the next one starts when the
one before it failed or has not answered for 250 ms (RFC 8305, "Happy Eyeballs"). The first to connect wins.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
from collections.abc import Sequence
from typing import Any, NamedTuple

_STAGGER_S = 0.25


class Address(NamedTuple):
    """One place to connect to."""

    family: int
    sockaddr: tuple[Any, ...]


async def resolve(host: str, port: int) -> list[Address]:
    """The addresses of `host`, families interleaved. Raises socket.gaierror.

    An address is not looked up: the resolver works in a thread, which takes longer to start than to answer.
    """
    for family in (socket.AF_INET, socket.AF_INET6):
        if _is_literal(family, host):
            return [Address(family, (host, port))]
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(Address(family, sockaddr) for family, _, _, _, sockaddr in found))
    first = [a for a in addresses if a.family == addresses[0].family]
    other = [a for a in addresses if a.family != addresses[0].family]
    paired = itertools.zip_longest(first, other)
    return [address for pair in paired for address in pair if address is not None]


async def connect(addresses: Sequence[Address]) -> socket.socket:
    """The first socket that connects. Raises the first address's OSError when none does."""
    attempts: list[asyncio.Task[socket.socket]] = []
    waiting = list(addresses)
    try:
        while True:
            if waiting:
                attempts.append(asyncio.create_task(_connect_one(waiting.pop(0))))
            running = {attempt for attempt in attempts if not attempt.done()}
            if running:
                await asyncio.wait(
                    running,
                    timeout=_STAGGER_S if waiting else None,
                    return_when=asyncio.FIRST_COMPLETED,
                )
            for attempt in attempts:
                if attempt.done() and attempt.exception() is None:
                    attempts.remove(attempt)
                    return attempt.result()
            if not waiting and all(attempt.done() for attempt in attempts):
                attempts[0].result()  # raises
    finally:
        await _abandon(attempts)


def _is_literal(family: int, host: str) -> bool:
    try:
        socket.inet_pton(family, host)
    except (OSError, UnicodeError, ValueError):
        return False
    return True


async def _connect_one(address: Address) -> socket.socket:
    sock = socket.socket(address.family, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        await asyncio.get_running_loop().sock_connect(sock, address.sockaddr)
    except BaseException:
        sock.close()
        raise
    return sock


async def _abandon(attempts: Sequence[asyncio.Task[socket.socket]]) -> None:
    for attempt in attempts:
        attempt.cancel()
    for result in await asyncio.gather(*attempts, return_exceptions=True):
        if isinstance(result, socket.socket):
            result.close()

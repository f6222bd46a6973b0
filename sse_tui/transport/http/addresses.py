"""From a host name to a connected socket, racing its addresses (RFC 8305, "Happy Eyeballs")."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from typing import Any, TypeAlias

import aiohappyeyeballs

# Family, type, protocol, canonical name and socket address, as getaddrinfo gives them.
Address: TypeAlias = tuple[int, int, int, str, tuple[Any, ...]]

# How long an address may stay silent before the next one is tried as well: the value that RFC 8305 recommends.
_STAGGER_S = 0.25


async def resolve(host: str, port: int) -> list[Address]:
    """The addresses of `host`, in the resolver's order. Raises socket.gaierror, or UnicodeError for no valid name."""
    try:
        # An IP address needs no lookup, and the resolver's thread takes longer to start than to answer.
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except socket.gaierror:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(found))


async def connect(addresses: Sequence[Address]) -> socket.socket:
    """The first socket that connects, the families taken in turn. Raises OSError when none does."""
    return await aiohappyeyeballs.start_connection(addresses, happy_eyeballs_delay=_STAGGER_S)

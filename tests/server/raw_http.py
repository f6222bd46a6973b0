"""A client of the endpoint that sends bytes as it is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

LIMIT_S = 10


@asynccontextmanager
async def connected(served: Any) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection to the endpoint."""
    url = httpx.URL(served.url)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def rest(reader: asyncio.StreamReader) -> bytes:
    """All that comes until the endpoint closes or resets the connection."""
    received = b""
    async with asyncio.timeout(LIMIT_S):
        try:
            while chunk := await reader.read(65536):
                received += chunk
        except ConnectionError:
            pass
    return received


async def exchange(served: Any, *pieces: bytes) -> bytes:
    """What comes back for the pieces, each sent by itself, until the connection ends."""
    async with connected(served) as (reader, writer):
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(0)
        return await rest(reader)

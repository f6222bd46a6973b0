"""TLS over a stamped TCP connection, with the stamps kept.

`ssl.MemoryBIO` keeps TLS apart from the socket. A record can be decrypted only once its last byte is there, so the time
of decrypted bytes is that of the socket's read that completed their record.
"""

from __future__ import annotations

import contextlib
import functools
import os
import ssl
from typing import TypeAlias

import httpx

from sse_tui.transport.http.tcp import READ_SIZE, Read, TcpStream
from sse_tui.transport.problems import unreadable_authorities


class TruncatedTls(ConnectionError):  # noqa: N818 - named for what happened
    """The TCP connection ended without close_notify: what came may have been cut off by anybody on the way."""


class TlsStream:
    """A client's TLS session; the interface is that of `TcpStream`. `session` tells what was negotiated."""

    def __init__(self, tcp: WireStream, context: ssl.SSLContext, server_name: str) -> None:
        self._tcp = tcp
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self.session = context.wrap_bio(self._incoming, self._outgoing, server_hostname=server_name)
        self._aborting = False
        self._last = Read(b"", 0, "read")

    async def handshake(self) -> None:
        """Agree on keys and verify the certificate. Raises ssl.SSLError."""
        while True:
            try:
                self.session.do_handshake()
            except ssl.SSLWantReadError:
                await self._flush()
                await self._receive()
            except ssl.SSLError:
                await self._flush()  # the alert that tells the server why
                raise
            else:
                await self._flush()
                return

    async def read(self) -> Read:
        """Decrypted bytes and the stamp of the read that completed them; no data at the orderly end."""
        while True:
            pieces: list[bytes] = []
            ended = False
            try:
                while piece := self.session.read(READ_SIZE):
                    pieces.append(piece)
                ended = True
            except ssl.SSLWantReadError:
                pass
            except ssl.SSLZeroReturnError:
                ended = True
            except ssl.SSLEOFError as error:
                if not pieces:  # otherwise the bytes first; the next read comes here again
                    raise TruncatedTls("the TLS connection ended without close_notify") from error
            if self._outgoing.pending:  # TLS's own messages, such as the answer to a key update
                await self._flush()
            if pieces or ended:
                return self._last._replace(data=b"".join(pieces))
            await self._receive()

    async def write(self, data: bytes) -> None:
        """Encrypt all of `data` and hand it to the kernel."""
        self.session.write(data)
        await self._flush()

    def write_now(self, data: bytes) -> None:
        """Encrypt `data` and hand over what the kernel takes without waiting."""
        self.session.write(data)
        self._tcp.write_now(self._outgoing.read())

    def close(self) -> None:
        """Close with close_notify and a FIN."""
        if not self._aborting:
            with contextlib.suppress(ssl.SSLError, OSError, ValueError):
                self.session.unwrap()
            if self._outgoing.pending:
                self._tcp.write_now(self._outgoing.read())
        self._tcp.close()

    def abort_on_close(self) -> None:
        """Make the next close a RST with nothing before it."""
        self._aborting = True
        self._tcp.abort_on_close()

    async def _flush(self) -> None:
        if self._outgoing.pending:
            await self._tcp.write(self._outgoing.read())

    async def _receive(self) -> None:
        self._last = await self._tcp.read()
        if self._last.data:
            self._incoming.write(self._last.data)
        else:
            self._incoming.write_eof()


WireStream: TypeAlias = TcpStream | TlsStream


@functools.cache
def create_context(verify: bool | str, *protocols: str) -> ssl.SSLContext:
    """A client context: True for the usual authorities, False for none, a path for a CA file or directory.

    Made once per process: reading the authorities' certificates takes tens of milliseconds. Raises UsageError when they
    cannot be read.
    """
    try:
        if not isinstance(verify, str):
            context = httpx.create_ssl_context(verify=verify)
        elif os.path.isdir(verify):
            context = ssl.create_default_context(capath=verify)
        else:
            context = ssl.create_default_context(cafile=verify)
    except OSError as error:
        where = verify if isinstance(verify, str) else f"{os.environ.get('SSL_CERT_FILE')} (SSL_CERT_FILE)"
        raise unreadable_authorities(where, error) from error
    if protocols:
        context.set_alpn_protocols(protocols)
    return context

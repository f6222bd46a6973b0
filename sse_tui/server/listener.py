"""The listening socket, bound before anything else: port 0 becomes a number, a port in use a clear error."""

from __future__ import annotations

import errno
import os
import socket

from sse_tui.errors import UsageError


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to `host`, a name or an address, and `port` (0: a free one). Raises `UsageError`."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError) as error:
        raise UsageError("host-unknown", f"The host {host!r} has no address: {error}.") from None
    # A name like localhost may have IPv6 and IPv4 addresses; nearly every client tries IPv4, not all try IPv6.
    family, kind, protocol, _, address = min(found, key=lambda each: each[0] != socket.AF_INET)
    listener = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        # Here, not in the server: with SO_REUSEADDR two sockets can bind one port, and only listening fails.
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise _explain(error, host, port) from None
    listener.setblocking(False)
    return listener


def url_of(listener: socket.socket) -> str:
    """The URL for clients on this machine, without a path."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _explain(error: OSError, host: str, port: int) -> UsageError:
    if error.errno == errno.EADDRINUSE:
        message = f"Port {port} on {host} is in use by another program."
        return UsageError("port-taken", message, "Choose another --port, or 0 for any free one.")
    if error.errno == errno.EACCES:
        message = f"Port {port} on {host} cannot be used: {error.strerror}."
        return UsageError("port-forbidden", message, "Choose a --port from 1024 up, or 0 for any free one.")
    if error.errno == errno.EADDRNOTAVAIL:
        message = f"This machine does not have the address {host}."
        return UsageError("host-not-here", message, "Use --host 127.0.0.1 or 0.0.0.0.")
    return UsageError("cannot-listen", f"Cannot listen on {host} port {port}: {error.strerror or error}.")

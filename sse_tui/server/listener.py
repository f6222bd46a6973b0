"""The listening socket, bound before anything else: port 0 gets a number, a taken port a clear error."""

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
        raise UsageError("host-unknown", f"There is no address for the host {host!r}: {error}.") from None
    # A name like localhost has both kinds of addresses; most clients try IPv4 somewhere on their way.
    family, kind, protocol, _, address = min(found, key=lambda each: each[0] != socket.AF_INET)
    listener = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        # Here and not later: two sockets may be bound to one port, but only one may listen.
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise _explain(error, host, port) from None
    listener.setblocking(False)
    return listener


def url_of(listener: socket.socket) -> str:
    """Where clients on this machine reach it, without a path."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _explain(error: OSError, host: str, port: int) -> UsageError:
    if error.errno == errno.EADDRINUSE:
        message = f"Port {port} on {host} is taken by another program."
        return UsageError("port-taken", message, "Choose another port, or 0 for any free one.")
    if error.errno == errno.EACCES:
        message = f"Port {port} on {host} may not be used: {error.strerror}."
        return UsageError("port-forbidden", message, "Choose a port from 1024 up, or 0 for any free one.")
    if error.errno == errno.EADDRNOTAVAIL:
        message = f"{host} is not an address of this machine."
        return UsageError("host-not-here", message, "Bind 127.0.0.1 or 0.0.0.0.")
    return UsageError("cannot-listen", f"Cannot listen on {host} port {port}: {error.strerror or error}.")

"""The endpoint's settings, with the defaults a user expects."""

from __future__ import annotations

import msgspec

from sse_tui.errors import UsageError
from sse_tui.limits import MAX_REQUEST_BYTES, STORE_BYTES
from sse_tui.loopback import is_loopback


class ServerSettings(msgspec.Struct, kw_only=True, frozen=True):
    """Settings of one endpoint. Times in seconds unless the name says otherwise.

    `port` 0 means any free one. `retry_ms` is the reconnection time sent to clients (HTML standard, section 9.2).
    `accept_wait_s` is how long a response waits for the engine's first step, so that an early failure is still an HTTP
    error; after that the 200 is sent anyway. At most `max_connections` are open, fewer where the process may not open
    so many descriptors. A request's head must come within `head_timeout_s`, its body without a pause of
    `body_timeout_s`, the next request within `keep_alive_s`; a refused peer has `refusal_s` to read the answer.
    `write_bytes` bounds one write to one reader. A reader whose connection accepts nothing for `send_timeout_s` is
    dropped. `drain_s` is the time that running responses get at a shutdown.
    For resuming clients at most `store_max_events` of one stream and `store_max_bytes` of all streams are kept, for
    `store_max_age_s` after a stream's end, and of the streams that ended the last `store_max_streams`. `allow_origins`
    are the web origins that may read (CORS).
    """

    host: str = "127.0.0.1"
    port: int = 0
    token: str | None = None
    heartbeat_s: float = 15.0
    grace_s: float = 30.0
    retry_ms: int = 1000
    store_max_events: int = 50_000
    store_max_bytes: int = STORE_BYTES
    store_max_age_s: float = 300.0
    store_max_streams: int = 10_000
    max_body_bytes: int = MAX_REQUEST_BYTES
    max_streams: int = 64
    max_connections: int = 1024
    head_timeout_s: float = 10.0
    body_timeout_s: float = 30.0
    keep_alive_s: float = 75.0
    refusal_s: float = 2.0
    accept_wait_s: float = 0.25
    write_bytes: int = 64 * 2**10
    send_timeout_s: float = 120.0
    drain_s: float = 3.0
    allow_origins: list[str] = []
    allow_hosts: list[str] = []
    access_log: bool = False


def require_safe(settings: ServerSettings, address: str) -> None:
    """Raise `UsageError` when other machines would be served without a token; `address` is what is listened on."""
    if settings.token == "":
        raise UsageError("token-empty", "The bearer token is empty.", "Set one, or none at all on loopback.")
    if settings.token is None and not is_loopback(address):
        raise UsageError(
            "token-required",
            f"{address} is reachable from other machines, and no bearer token is set.",
            "Set a token in SSE_TUI_TOKEN, or use --host 127.0.0.1.",
        )

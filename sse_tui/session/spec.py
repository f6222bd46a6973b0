"""What a session is to do: decided once by the command line, read by everything after it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sse_tui.config import Config, Profile
from sse_tui.limits import MAX_EVENT_BYTES
from sse_tui.resume import Policy
from sse_tui.transport import StreamRequest, Timeouts


@dataclass(frozen=True)
class SessionSpec:
    """One session of the TUI or of a headless command.

    `mode` "chat" talks to `profile` (its `base_url` None means our own endpoint with the local model), "inspect"
    sends `request`, "open" reads `path`. `dialect` overrides detection, `plan` is a fault plan's text for the first
    turn, `record_to` overrides where the recording goes, `secrets` are values that must never reach the disk.
    `max_reconnects` is that of an inspection; a chat has its profile's.

    `headers` come on top of those of the profile. `verify` is False for any certificate, a path for the authorities in
    that file, and `trusted` sends other origins everything after a redirect.
    """

    mode: Literal["chat", "inspect", "open"]
    config: Config = field(default_factory=Config)
    profile: Profile = field(default_factory=Profile)
    request: StreamRequest | None = None
    path: Path | None = None
    dialect: str | None = None
    plan: str = ""
    policy: Policy | None = None
    max_reconnects: int | None = None
    timeouts: Timeouts = field(default_factory=Timeouts)
    record_to: Path | None = None
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    verify: bool | str = True
    trusted: bool = False
    http2: bool = False
    any_type: bool = False
    api_key: str | None = field(default=None, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    max_event_bytes: int = MAX_EVENT_BYTES
    engine: str = "llamacpp"
    engine_args: tuple[str, ...] = ()

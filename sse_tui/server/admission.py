"""Which connections stay: what each waits for and how long it may, and who makes room when there are too many.

Every state in which a connection waits for its peer has a queue, oldest first, and a limit in seconds. A timer looks
at the front of each queue, and so does a new connection that finds the endpoint full. Both cost the same however many
connections there are.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from enum import Enum, auto
from typing import Protocol

from sse_tui.server.settings import ServerSettings

_SPARE_DESCRIPTORS = 24
"""For what else the process opens: connections that are refused, files, a restarted engine."""

_FEWEST = 4
"""How many connections are taken at least, whatever the process may open."""

_REFUSED_AT_ONCE = 8
"""How many refused peers may read their answers at the same time."""

_FRESH_S = 1.0
"""How long a peer that has just connected or sent something is spared."""

_UPLOADS = 2
"""How many bodies of the largest size are held while they come."""


class Waiting(Enum):
    """What a connection waits for."""

    REQUEST = auto()
    """A request's first byte, after an answered request."""
    HEAD = auto()
    """The end of a request's head."""
    BODY = auto()
    """More of a request's body."""
    ANSWER = auto()
    """Us: a request is being answered, and the peer reads it. There is no limit, and such a connection stays."""
    FLUSH = auto()
    """The peer to take what was written, before there is more of the answer or the connection closes."""
    REFUSED = auto()
    """The peer to read an answer that came before its request was read."""


class Member(Protocol):
    """A connection, as it is seen here."""

    def expire(self, waiting: Waiting) -> None:
        """It waited too long."""

    def make_room(self, waiting: Waiting) -> None:
        """Its place is needed: it closes at once."""


class Admission:
    """The endpoint's connections by what they wait for."""

    def __init__(self, settings: ServerSettings) -> None:
        self.limit = _limit(settings.max_connections)
        self._upload_limit = _UPLOADS * settings.max_body_bytes
        self._limits_s = {
            Waiting.REFUSED: settings.refusal_s,
            Waiting.HEAD: settings.head_timeout_s,
            Waiting.BODY: settings.body_timeout_s,
            Waiting.REQUEST: settings.keep_alive_s,
            Waiting.FLUSH: settings.send_timeout_s,
        }
        self._queues: dict[Waiting, dict[Member, float]] = {waiting: {} for waiting in Waiting}
        self._states: dict[Member, Waiting] = {}
        self._uploads: dict[Member, int] = {}
        self._uploaded = 0
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._period_s = min(1.0, min(self._limits_s.values()) / 4)

    def admit(self, member: Member) -> bool:
        """Take a new connection, in another one's place if there are too many; False when none gives its place up."""
        waiting = Waiting.HEAD if self._has_room() else Waiting.REFUSED
        self.enter(member, waiting)
        if self._timer is None:
            self._timer = self._loop.call_later(self._period_s, self._tick)
        refused = self._queues[Waiting.REFUSED]
        if len(refused) > _REFUSED_AT_ONCE:
            self._remove(next(iter(refused)))
        return waiting is Waiting.HEAD

    def enter(self, member: Member, waiting: Waiting) -> None:
        """The connection waits for this now, from now on."""
        before = self._states.get(member)
        if before is not None:
            del self._queues[before][member]
        self._states[member] = waiting
        self._queues[waiting][member] = self._loop.time()

    def leave(self, member: Member) -> None:
        """The connection is closed, or about to be."""
        before = self._states.pop(member, None)
        if before is not None:
            del self._queues[before][member]
        self.uploaded(member)

    def upload(self, member: Member, size: int) -> None:
        """The connection received so many bytes more of a body. The oldest upload ends if all are too much."""
        self._uploads[member] = self._uploads.get(member, 0) + size
        self._uploaded += size
        # A body that is too large all by itself is the application's to refuse.
        while self._uploaded > self._upload_limit and len(self._uploads) > 1:
            self._remove(next(iter(self._uploads)))

    def uploaded(self, member: Member) -> None:
        """The connection's body is complete, or not wanted any more."""
        self._uploaded -= self._uploads.pop(member, 0)

    def _has_room(self) -> bool:
        if len(self._states) - len(self._queues[Waiting.REFUSED]) < self.limit:
            return True
        fresh = self._loop.time() - _FRESH_S
        # A peer that has just connected is about to send its request; one that has answers is likely to come back.
        for waiting, since in (
            (Waiting.HEAD, fresh),
            (Waiting.BODY, fresh),
            (Waiting.REQUEST, None),
            (Waiting.FLUSH, fresh),
            (Waiting.HEAD, None),
            (Waiting.BODY, None),
        ):
            oldest = next(iter(self._queues[waiting].items()), None)
            if oldest is not None and (since is None or oldest[1] <= since):
                self._remove(oldest[0])
                return True
        return False

    def _remove(self, member: Member) -> None:
        waiting = self._states[member]
        self.leave(member)
        member.make_room(waiting)

    def _tick(self) -> None:
        now = self._loop.time()
        for waiting, limit_s in self._limits_s.items():
            queue = self._queues[waiting]
            while queue and now - queue[member := next(iter(queue))] >= limit_s:
                # In no queue while it ends, so that this loop ends.
                self.leave(member)
                member.expire(waiting)
        self._timer = self._loop.call_later(self._period_s, self._tick) if self._states else None


def _limit(wanted: int) -> int:
    """How many connections the process has descriptors for, at most `wanted`."""
    try:
        import resource
    except ImportError:
        return wanted
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if allowed == resource.RLIM_INFINITY:
        return wanted
    return max(_FEWEST, min(wanted, allowed - _open_descriptors() - _SPARE_DESCRIPTORS))


def _open_descriptors() -> int:
    for directory in ("/proc/self/fd", "/dev/fd"):
        with contextlib.suppress(OSError):
            return len(os.listdir(directory))
    return _SPARE_DESCRIPTORS

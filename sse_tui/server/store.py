"""The event store: encoded events by stream and sequence number, for any number of readers at any position.

A generation appends and never waits; readers pull at their own pace. So a slow reader costs nothing but its own
connection, and one that falls behind the oldest event kept gets an `EvictedError`, never a gap. The store is in memory,
bounded in events per stream, bytes of all streams, streams that ended, and age after a stream's end. What a stream
costs does not depend on how many ended before it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from sse_tui.server.settings import ServerSettings


class EvictedError(Exception):
    """The event asked for is gone; `oldest` is the lowest sequence number still kept, None when none is."""

    def __init__(self, oldest: int | None) -> None:
        super().__init__(oldest)
        self.oldest = oldest


class Batch(NamedTuple):
    """Consecutive encoded events. `ended`: the stream is finished, and these are its last."""

    blocks: list[bytes]
    ended: bool


class StreamState(NamedTuple):
    """Where a stream stands: its owner, the events kept (`oldest` to `next` - 1), whether it ended."""

    owner: str
    oldest: int
    next: int
    finished: bool


@dataclass(slots=True, eq=False)
class _Stream:
    """One stream's events: `blocks[start:]` are kept, and `blocks[start]` has sequence number `oldest`."""

    name: str
    owner: str
    blocks: list[bytes] = field(default_factory=list)
    start: int = 0
    oldest: int = 0
    size: int = 0
    ended_at: float | None = None
    wakers: list[Callable[[], None]] = field(default_factory=list)

    @property
    def next(self) -> int:
        return self.oldest + len(self.blocks) - self.start

    def drop_oldest(self) -> int:
        """Forget the oldest event; returns its size. The list is cut in large steps: O(1) amortised."""
        size = len(self.blocks[self.start])
        self.blocks[self.start] = b""
        self.start += 1
        self.oldest += 1
        self.size -= size
        if self.start > 64 and self.start * 2 > len(self.blocks):
            del self.blocks[: self.start]
            self.start = 0
        return size

    def drop_all(self) -> int:
        """Forget every event, but not the stream; returns the size."""
        size, self.oldest = self.size, self.next
        self.blocks, self.start, self.size = [], 0, 0
        return size


class EventStore:
    """Streams of encoded events. Sequence numbers count from 0 in each stream.

    Its limits are the `store_` settings; `clock` gives monotonic seconds. `size` is the bytes of all events kept.
    """

    def __init__(self, settings: ServerSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = settings
        self._clock = clock
        self._streams: dict[str, _Stream] = {}
        self._running: dict[str, _Stream] = {}
        # Streams in the order in which they ended: all that are known, and those of them that may still hold events.
        self._ended: deque[_Stream] = deque()
        self._holding: deque[_Stream] = deque()
        self.size = 0

    def create(self, stream: str, owner: str) -> None:
        if stream in self._streams:
            raise ValueError(f"stream {stream} exists")
        self.sweep()
        self._streams[stream] = self._running[stream] = _Stream(stream, owner)

    def append(self, stream: str, block: bytes) -> None:
        """Keep the next event of `stream` and wake its readers."""
        kept = self._streams[stream]
        if kept.ended_at is not None:
            raise ValueError(f"stream {stream} is finished")
        kept.blocks.append(block)
        kept.size += len(block)
        self.size += len(block)
        if kept.next - kept.oldest > self._limits.store_max_events:
            self.size -= kept.drop_oldest()
        if self.size > self._limits.store_max_bytes:
            self._make_room()
        for wake in kept.wakers:
            wake()

    def finish(self, stream: str) -> None:
        """No event follows. Wakes the readers."""
        kept = self._streams[stream]
        if kept.ended_at is None:
            kept.ended_at = self._clock()
            del self._running[stream]
            self._ended.append(kept)
            self._holding.append(kept)
            if len(self._ended) > self._limits.store_max_streams:
                self._forget_oldest()
            for wake in kept.wakers:
                wake()

    def watch(self, stream: str, wake: Callable[[], None]) -> Callable[[], None]:
        """Call `wake` after every append and the finish, until the returned function is called."""
        kept = self._streams.get(stream)
        if kept is None:
            return lambda: None
        # A new list each time: an append may be iterating over the old one.
        kept.wakers = [*kept.wakers, wake]

        def unwatch() -> None:
            kept.wakers = [other for other in kept.wakers if other is not wake]

        return unwatch

    def state(self, stream: str) -> StreamState | None:
        """Where the stream stands, None when it is not (or no longer) known."""
        self.sweep()
        kept = self._streams.get(stream)
        if kept is None:
            return None
        return StreamState(kept.owner, kept.oldest, kept.next, kept.ended_at is not None)

    def read_from(self, stream: str, seq: int, max_bytes: int) -> Batch:
        """The events from `seq` on, up to about `max_bytes` of them, but at least one if there is one.

        Raises `EvictedError` when the event `seq`, or the whole stream, is no longer kept.
        """
        kept = self._streams.get(stream)
        if kept is None:
            raise EvictedError(None)
        if seq < kept.oldest:
            raise EvictedError(kept.oldest if kept.next > kept.oldest else None)
        first = kept.start + seq - kept.oldest
        last, size = first, 0
        while last < len(kept.blocks) and (last == first or size + len(kept.blocks[last]) <= max_bytes):
            size += len(kept.blocks[last])
            last += 1
        return Batch(kept.blocks[first:last], kept.ended_at is not None and last == len(kept.blocks))

    def sweep(self) -> float | None:
        """Forget the streams that ended too long ago. Returns the seconds until the next one has, None without one."""
        before = self._clock() - self._limits.store_max_age_s
        while self._ended:
            ended_at = self._ended[0].ended_at
            assert ended_at is not None
            if ended_at >= before:
                return ended_at - before
            self._forget_oldest()
        return None

    def _forget_oldest(self) -> None:
        """Forget the stream that ended longest ago."""
        kept = self._ended.popleft()
        if self._holding and self._holding[0] is kept:
            self._holding.popleft()
        del self._streams[kept.name]
        self.size -= kept.size

    def _make_room(self) -> None:
        """Free bytes: first the events of the stream that ended longest ago, then the oldest of the largest.

        A stream whose events are gone stays known until it is forgotten, so that a resume is told "evicted" instead of
        "unknown".
        """
        while self.size > self._limits.store_max_bytes:
            if self._holding:
                self.size -= self._holding.popleft().drop_all()
                continue
            self.size -= max(self._running.values(), key=lambda kept: kept.size).drop_oldest()

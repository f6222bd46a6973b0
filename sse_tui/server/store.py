"""The event store: encoded events by stream and sequence number, for any number of readers at any position.

A generation appends and never waits; readers pull at their own pace. So a slow reader costs nothing but its own
connection, and one that falls behind the oldest event kept gets an `EvictedError`, never a gap.

Writes are plain calls, because a writer must not wait for a reader or a network; reads are awaited, so that a store
outside this process fits the same protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol


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


class EventStore(Protocol):
    """Streams of encoded events. Sequence numbers count from 0 in each stream."""

    def create(self, stream: str, owner: str) -> None: ...

    def append(self, stream: str, block: bytes) -> None:
        """Keep the next event of `stream` and wake its readers."""

    def finish(self, stream: str) -> None:
        """No event follows. Wakes the readers."""

    def sweep(self) -> None:
        """Forget the streams that ended too long ago."""

    def watch(self, stream: str, wake: Callable[[], None]) -> Callable[[], None]:
        """Call `wake` after every append and the finish, until the returned function is called."""

    async def state(self, stream: str) -> StreamState | None:
        """Where the stream stands, None when it is not (or no longer) known."""

    async def read_from(self, stream: str, seq: int, max_bytes: int) -> Batch:
        """The events from `seq` on, up to about `max_bytes` of them, but at least one if there is one.

        Raises `EvictedError` when the event `seq`, or the whole stream, is no longer kept.
        """

"""Whether a reconnect lost, repeated or regenerated anything: a verdict from IDs, and from content where IDs repeat.

IDs that count have a known successor. Others are looked up among the last few thousand. The content of those is kept as
hashes, to tell a repeat from a server that began again with the same IDs. Memory is bounded.
"""

from __future__ import annotations

import hashlib
from typing import Literal, NamedTuple, TypeAlias

from sse_tui.bounded import Recent
from sse_tui.resume.numbering import Numbering

REMEMBERED = 4096
_UNDER_ONE_ID = 16
_BEGINNING = 64
# Without IDs, this many equal events at the start are a replay; a single one may be a greeting.
_REPLAYED = 2


VerdictKind: TypeAlias = Literal["lossless", "lost", "repeated", "restarted", "unknown"]


class Verdict(NamedTuple):
    """What a reconnect did; `n` counts the events that were lost, or repeated and are to be dropped from the text."""

    kind: VerdictKind
    n: int
    detail: str


class Continuity:
    """Follows the connections of one turn. `verdict()` covers all reconnects together, by the worst of them.

    Events without an ID need be given to `event` only while it is `watching`.
    """

    def __init__(self) -> None:
        self.watching = False
        self._connections = 0
        self._numbering = Numbering()
        self._seen = Recent[str, tuple[bytes, ...]](REMEMBERED)
        self._beginning: list[bytes] = []
        self._last_id = ""
        self._lost = 0
        self._repeated = 0
        self._restarted = ""
        self._unknown = ""
        # Of the current reconnect. Once the first new event has been judged, all that follow are new as well.
        self._unsettled = False
        self._requested = ""
        self._answered: str | None = None
        self._overlap = False
        self._at = 0

    def connected(self, requested_id: str, response_last_event_id: str | None = None) -> None:
        """An event stream opened: the last event ID in the request, and the one in the response's headers, if any."""
        self._connections += 1
        self._unsettled = self._connections > 1
        self._requested = requested_id
        self._answered = response_last_event_id
        self._overlap = False
        self._at = 0
        self._watch()

    def nothing_more(self) -> None:
        """The server answered the request to resume with 204: everything had been received."""
        self._connections += 1
        self._unsettled = False
        self._watch()

    def _watch(self) -> None:
        beginning = self._connections == 1 and len(self._beginning) < _BEGINNING
        self.watching = self._unsettled or beginning

    def event(self, id: str, data: str) -> bool:
        """An event was dispatched. False if it repeats an earlier one, so that its text must not count again."""
        if not (id or self.watching):
            return True  # nothing to tell a repeat by
        digest = hashlib.blake2b(data.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        if self._unsettled:
            if self._requested:
                if self._is_repeat(id, digest):
                    self._repeated += 1
                    return False
                self._judge(id)
            else:
                self._compare_beginning(digest)
        elif self.watching:
            self._beginning.append(digest)
        self._watch()
        self._remember(id, digest)
        return True

    def verdict(self) -> Verdict | None:
        """The verdict so far; None without a reconnect."""
        if self._connections < 2:
            return None
        repeated = f"{self._repeated} repeated and dropped" if self._repeated else ""
        unknown = self._unknown or (
            "no event with its own ID has come since the reconnect" if self._unsettled else ""
        )
        if self._restarted:
            return Verdict("restarted", 0, self._restarted)
        if self._lost:
            return Verdict("lost", self._lost, _join(f"{self._lost} missing", repeated, unknown))
        if unknown:
            return Verdict("unknown", 0, _join(unknown, repeated))
        if self._repeated:
            return Verdict("repeated", self._repeated, f"{repeated}, nothing missing")
        return Verdict("lossless", 0, "every event came once")

    def _is_repeat(self, id: str, digest: bytes) -> bool:
        known = self._seen.get(id)
        if known is not None and digest not in known:
            if id != self._last_id:
                self._restart(f"event {id!r} came again with different content")
            return False  # with the last ID: an event without its own, which inherits that one
        if known is None:
            distance = self._numbering.distance(id)
            if distance is None or distance > 0:
                return False
        self._overlap = True
        return True

    def _judge(self, id: str) -> None:
        """The first event of a reconnect that is new: is it the one that had to come next?"""
        if not self._unsettled:
            return
        follows = self._answered is not None and self._answered == self._requested
        if id == self._last_id:
            # It inherits the ID, so that only the header can tell whether it follows, or a later event.
            self._unsettled = not follows
            return
        self._unsettled = False
        distance = self._numbering.distance(id)
        if distance is not None:
            self._lost += distance - 1
            self._numbering.jumped(id)
        elif self._numbering.elsewhere(id):
            self._restart(f"the IDs went from {self._last_id!r} to {id!r}")
            self._numbering.jumped(id)
        elif not (self._overlap or follows):
            after = f"; the server resumed after {self._answered!r}" if self._answered is not None else ""
            self._unknown = f"cannot tell whether {id!r} follows {self._last_id!r}{after}"

    def _compare_beginning(self, digest: bytes) -> None:
        """Without IDs: does the server send its history again, event by event?"""
        if self._at < len(self._beginning) and self._beginning[self._at] == digest:
            self._at += 1
            if self._at == _REPLAYED:
                self._restart("there are no IDs, and the stream began again with the same events")
            return
        self._unsettled = False
        self._unknown = self._unknown or "there are no IDs to compare"

    def _restart(self, why: str) -> None:
        self._unsettled = False
        self._restarted = self._restarted or why

    def _remember(self, id: str, digest: bytes) -> None:
        if not id:
            return
        if id != self._last_id:
            if self._numbering.distance(id) != 0:
                self._numbering.saw(id)
            self._last_id = id
        known = self._seen.get(id) or ()
        if digest not in known and len(known) < _UNDER_ONE_ID:
            self._seen.put(id, (*known, digest))


def _join(*parts: str) -> str:
    return "; ".join(part for part in parts if part)

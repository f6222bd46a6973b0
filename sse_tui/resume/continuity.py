"""Whether a reconnect lost, repeated or regenerated anything: a verdict from ids, and from content where
ids repeat.

Ids that are whole numbers, or end in one ("stream-17"), have a known successor, so the last number is
enough to judge by. Of other ids the last few thousand are remembered and looked up. The content of a
bounded number of events is remembered as hashes, to tell a repeat from a server that started again under
the same ids.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from typing import NamedTuple

_REMEMBERED = 4096
_FIRST = 64
_NUMBERED = re.compile(r"(.*?)([0-9]{1,18})\Z", re.DOTALL)


class Verdict(NamedTuple):
    """`kind`: lossless, lost (`n` events), repeated (`n` events, dropped from the text), restarted,
    unknown.
    """

    kind: str
    n: int
    detail: str


class Continuity:
    """Follows the connections of one turn."""

    def __init__(self) -> None:
        self._connections = 0
        self._seen: OrderedDict[str, bytes] = OrderedDict()
        self._beginning: list[bytes] = []
        self._last_id = ""
        self._last_number: tuple[str, int] | None = None
        self._lost = 0
        self._repeated = 0
        self._restarted = ""
        self._unknown = ""
        # Of the running reconnect:
        self._open = False  # its continuity is not settled yet
        self._requested = ""
        self._answered: str | None = None
        self._overlap = False
        self._replay = 0  # events equal to those of the beginning, where there are no ids

    def connected(self, requested_id: str, response_last_event_id: str | None = None) -> None:
        """A connection opened an event stream; what was asked for, and what the answer says it follows."""
        if self._open:
            self._settle_unseen()
        self._connections += 1
        if self._connections > 1:
            self._open = True
            self._requested = requested_id
            self._answered = response_last_event_id
            self._overlap = False
            self._replay = 0

    def nothing_more(self) -> None:
        """The server answered a resume with 204: all had been received."""
        self._connections += 1
        self._open = False

    def event(self, id: str, data: str) -> bool:
        """An event was dispatched. False when it repeats one that was seen, so that its text must not count
        again.
        """
        digest = hashlib.blake2b(data.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        if self._connections > 1:
            if self._is_repeat(id, digest):
                self._repeated += 1
                return False
            if self._open:
                self._judge(id, digest)
        self._remember(id, digest)
        return True

    def verdict(self) -> Verdict | None:
        """The judgement so far over all reconnects; None when there was none."""
        if self._connections < 2:
            return None
        unknown = self._unknown or ("no event has come since the reconnect" if self._open else "")
        notes = [f"{self._repeated} repeated" if self._repeated else "", unknown]
        extra = "; ".join(note for note in notes if note)
        if self._restarted:
            return Verdict("restarted", 0, self._restarted)
        if self._lost:
            return Verdict("lost", self._lost, "; ".join(filter(None, [f"{self._lost} missing", extra])))
        if unknown:
            return Verdict("unknown", 0, unknown)
        if self._repeated:
            return Verdict("repeated", self._repeated, f"{self._repeated} came twice and were dropped")
        return Verdict("lossless", 0, "every event came once")

    def _is_repeat(self, id: str, digest: bytes) -> bool:
        if not id:
            return self._repeats_beginning(digest)
        known = self._seen.get(id)
        number = _number(id)
        if known is None:
            last = self._last_number
            old = number is not None and last is not None and number[0] == last[0] and number[1] <= last[1]
            # Too old to be remembered by content: by its number it must have been here.
            self._overlap = self._overlap or old
            return old
        if known == digest:
            self._overlap = True
            return True
        if id != self._last_id and self._open:
            self._restarted = f"event {id!r} came again with different content"
            self._open = False
        # The last id with other content: an event without an id of its own, which inherits it.
        return False

    def _repeats_beginning(self, digest: bytes) -> bool:
        """Without ids: whether the server sends its history again, event for event."""
        if self._open and self._replay < len(self._beginning) and self._beginning[self._replay] == digest:
            self._replay += 1
            if self._replay == 1:
                self._restarted = "there are no ids, and the stream began again with the same events"
        return False

    def _judge(self, id: str, digest: bytes) -> None:
        """The first event of a reconnect that is new: is it the next one?"""
        if id == "" or not self._requested:
            if not self._replay and not self._unknown:
                self._unknown = "there are no ids to compare"
            self._open = self._replay > 0
            return
        if id == self._last_id:
            # No id of its own: it tells nothing beyond what the answer's header does.
            self._open = not self._by_header()
            return
        self._open = False
        number, last = _number(id), self._last_number
        if number is not None and last is not None and number[0] == last[0]:
            self._lost += number[1] - last[1] - 1
        elif number is not None and last is not None:
            self._restarted = f"the ids changed from {self._last_id!r} to {id!r}"
        elif not self._overlap and not self._by_header():
            self._unknown = f"the ids have no order: whether {id!r} follows {self._last_id!r} cannot be told"

    def _by_header(self) -> bool:
        return self._answered is not None and self._answered == self._requested

    def _settle_unseen(self) -> None:
        """Another reconnect came before any event: nothing was lost by this one that the next will not
        show.
        """
        self._open = False

    def _remember(self, id: str, digest: bytes) -> None:
        if len(self._beginning) < _FIRST and self._connections <= 1:
            self._beginning.append(digest)
        if not id or id == self._last_id:
            return
        self._last_id = id
        number = _number(id)
        if number is not None:
            self._last_number = number
        self._seen[id] = digest
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)


def _number(id: str) -> tuple[str, int] | None:
    """Prefix and number of an id that has a successor."""
    match = _NUMBERED.match(id)
    return (match.group(1), int(match.group(2))) if match else None

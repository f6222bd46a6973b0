"""Reading the events that a wrongly framed stream was meant to have: how many they are, and what they say."""

from __future__ import annotations

from collections.abc import Iterable

from sse_tui import dialects
from sse_tui.dialects.base import Text
from sse_tui.eventstream import Event
from sse_tui.text.wording import many

SHOWN = 300
"""Characters of the recovered text that a finding holds."""
_READ = 5_000  # events that are read; more are only counted


class Rereading:
    """Takes the events that were meant, in order. `events` counts them, `text` is the beginning of the answer's text.

    Where no dialect knows the payloads and they are not JSON, they are the text themselves.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.events = 0
        self._said = ""
        self._plain = ""
        self._dialect = dialects.create("auto")
        for event in events:
            self.take(event)

    def take(self, event: Event) -> None:
        """The next of the events."""
        self.events += 1
        if self.events > _READ or len(self._said) > SHOWN:
            return
        for delta in self._dialect.read(event):
            if isinstance(delta, Text) and not delta.index:
                self._said += delta.text
        if event.data[:1] not in ("{", "[") and len(self._plain) <= SHOWN:
            self._plain += event.data

    @property
    def recognised(self) -> bool:
        """Whether a dialect knows the payloads."""
        return self._dialect.chosen.name != "generic"

    @property
    def text(self) -> str:
        """The beginning of the text that they hold."""
        text = self._said if self.recognised else self._plain
        return text if len(text) <= SHOWN else text[:SHOWN] + "…"

    def words(self, noun: str = "event") -> str:
        """What they are and say: ``12 chunks: "one two three"``."""
        noun = "chunk" if self.recognised and noun == "event" else noun
        return many(self.events, noun) + (f': "{self.text}"' if self.text else "")

    @property
    def evidence(self) -> dict[str, object]:
        """The same for programs."""
        return {"events": self.events, "text": self.text, "dialect": self._dialect.chosen.name}

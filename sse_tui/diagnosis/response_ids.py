"""The response ids of one stream, and what was said under each: whether it is one answer."""

from __future__ import annotations

from dataclasses import dataclass, field

_KEPT = 4  # ids whose text is kept
_TEXT = 200  # characters of it

ALWAYS_NEW = 4  # ids in a row, each for one event, after which a new one every time is a habit


@dataclass(slots=True)
class ResponseIds:
    """Takes, by event, the id that its response has, and its text.

    `returned` counts the times that an id came back after another one had brought text, `changes` how often it was a
    new one.
    """

    current: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    spoke: list[str] = field(default_factory=list)  # ids that brought text, the last one last
    changes: int = 0
    events: int = 0
    returned: int = 0

    def event(self, ident: str | None, text: str) -> bool:
        """One event, `ident` None where the id did not change; whether an id has just come back for the first time."""
        self.events += bool(self.current or ident)
        if ident is not None:
            self.changes += ident not in self.texts
            self.current = ident
            if len(self.texts) < _KEPT:
                self.texts.setdefault(ident, "")
        if not text or not self.current:
            return False
        back = bool(self.spoke) and self.spoke[-1] != self.current and self.current in self.spoke
        self.returned += back
        if self.current in self.texts:
            self.texts[self.current] = (self.texts[self.current] + text)[:_TEXT]
        if not self.spoke or self.spoke[-1] != self.current:
            if self.current in self.spoke:
                self.spoke.remove(self.current)
            self.spoke.append(self.current)
            del self.spoke[:-_KEPT]
        return back and self.returned == 1

    @property
    def always_new(self) -> bool:
        """Whether every event so far had an id of its own."""
        return self.changes >= ALWAYS_NEW and self.changes == self.events

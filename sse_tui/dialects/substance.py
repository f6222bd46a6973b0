"""What decides how an answer stands once its stream is over: finish reasons, an error, whether it holds anything.

The transport follows a stream with a `Substance` alone; an `Answer`, which keeps the text too, gives one of itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sse_tui import bounded
from sse_tui.dialects.base import (
    Delta,
    Finish,
    Malformed,
    Meta,
    Reasoning,
    Refusal,
    StreamFault,
    Text,
    ToolCall,
    Usage,
)
from sse_tui.dialects.finish_reasons import NOTHING_ASKED, FinishKind, Meaning, meaning_of
from sse_tui.dialects.inband import merged
from sse_tui.text.wording import many

# `Meta` that are part of an answer, beside its text: what a service did, made or quoted for the user.
OUTPUT = frozenset(
    (
        *("server_tool_call", "server_tool_result", "executed_tools", "code", "tool_plan"),
        *("file", "audio", "data", "final_text", "compaction", "watch"),
    )
)
# `Meta` that mean nothing: heartbeats, and marks of an end.
BEATS = frozenset(("ping", "done", "after-end"))


@dataclass(slots=True)
class Substance:
    """What one answer amounts to, as far as its fate depends on it.

    `finishes` has the raw reason of each choice that ended, `blocked` the reason why the prompt was blocked,
    `incomplete` why a response is incomplete, in the APIs that say that apart. `text` and `other` tell whether there is
    any visible text and any other output (a refusal, a tool call, a file); `reasoning` counts the characters of the
    reasoning. `understood`: some event meant something; `beats` counts those that are only heartbeats or marks.
    `done`: ``[DONE]`` came. `news` counts the events that brought a piece of the answer, its counts or its end.
    """

    finishes: dict[int, str] = field(default_factory=dict)
    fault: StreamFault | None = None
    blocked: str = ""
    incomplete: str = ""
    text: bool = False
    other: bool = False
    reasoning: int = 0
    usage: Usage | None = None
    understood: bool = False
    beats: int = 0
    done: bool = False
    news: int = 0

    def add(self, deltas: Iterable[Delta]) -> None:
        """Take the deltas of an event."""
        new = False
        for delta in deltas:
            kind = type(delta)
            if kind is Text:
                self.text = self.text or bool(delta.text)  # type: ignore[union-attr]
            elif isinstance(delta, Reasoning):
                self.reasoning += len(delta.text)
            elif isinstance(delta, Refusal):
                self.other = self.other or bool(delta.text)
            elif isinstance(delta, ToolCall):
                self.other = True
            elif isinstance(delta, Finish):
                self.finish(delta)
            elif isinstance(delta, Meta):
                self.meta(delta)
                continue
            elif isinstance(delta, StreamFault):
                self.report(delta)
            elif isinstance(delta, Usage):
                self.usage = delta
            elif isinstance(delta, Malformed):
                continue
            new = True
        if new:
            self.understood = True
            self.news += 1

    def finish(self, delta: Finish) -> None:
        """The end of a choice; later ones of the same choice replace it."""
        if delta.index in self.finishes or len(self.finishes) < bounded.RECENT:
            self.finishes[delta.index] = delta.reason

    def report(self, fault: StreamFault) -> None:
        """An error that the stream reported; one that follows fills the gaps of the first."""
        self.fault = merged(self.fault, fault)

    def meta(self, delta: Meta) -> None:
        """A delta of another kind."""
        name = delta.name
        if name in BEATS:
            self.beats += 1
            self.done = self.done or name == "done"
            return
        self.understood = True
        if name in OUTPUT:
            self.other = True
        elif name == "incomplete_reason":
            self.incomplete = str(delta.value)
        elif name == "blocked":
            self.blocked = str(delta.value["blockReason"])

    @property
    def empty(self) -> bool:
        """Whether there is nothing in the answer that a user would see."""
        return not (self.text or self.other)

    def reasons(self, dialect: str) -> list[tuple[int, str, Meaning]]:
        """Each choice that ended: its index, its raw reason, and what that means in the dialect of that name.

        A response that is ``incomplete`` has the reason that it gives apart.
        """
        given = [
            (index, self.incomplete if reason == "incomplete" and self.incomplete else reason)
            for index, reason in sorted(self.finishes.items())
        ]
        return [(index, reason, meaning_of(reason, dialect)) for index, reason in given]

    def stopped_by(self, dialect: str) -> str:
        """Why the provider stopped the answer or one of its choices, in words; "" where it did not."""
        if self.blocked:
            words = meaning_of(self.blocked, dialect).words
            return f"{shown(self.blocked)} (the prompt was blocked{': ' + words if words else ''})"
        found = self.reasons(dialect)
        failed = [
            f"{f'choice {index}: ' if len(found) > 1 else ''}{shown(reason)} ({meaning.words})"
            for index, reason, meaning in found
            if meaning.kind is FinishKind.FAILURE
        ]
        return "; ".join(
            [*failed[:_NAMED], *([f"and {len(failed) - _NAMED} more"] if failed[_NAMED:] else [])]
        )

    def idle(self, dialect: str) -> bool:
        """Whether nothing was to be generated: a request that only loads a model."""
        return any(meaning is NOTHING_ASKED for _, _, meaning in self.reasons(dialect))

    def contents(self, dialect: str) -> str:
        """What an empty answer does hold, and what ended it: "212 reasoning tokens, no visible text"."""
        limits = [
            meaning.words for _, _, meaning in self.reasons(dialect) if meaning.kind is FinishKind.LENGTH
        ]
        return "; ".join([self._held(), *limits[:1]])

    def _held(self) -> str:
        usage = self.usage or Usage(None, None)
        if usage.reasoning:
            held = many(usage.reasoning, "reasoning token")
        elif self.reasoning:
            held = f"{many(self.reasoning, 'character')} of reasoning"
        elif usage.output:
            held = many(usage.output, "output token")
        else:
            return "no text and no tool call"
        return f"{held}, no visible text"


_NAMED = 3  # choices that are named one by one
_LENGTH = 100


def shown(reason: str) -> str:
    """A raw reason for a sentence: not longer than any real one."""
    return reason if len(reason) <= _LENGTH else reason[:_LENGTH] + "…"

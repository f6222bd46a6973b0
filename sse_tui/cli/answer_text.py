"""Prints the visible text of an answer: its first choice as it streams, then the others, each under a line of its own.

Choices arrive interleaved, a few characters of each in turn. A reader can follow only one of them live; the others
are complete in the answer, so that nothing has to be held back here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sse_tui.text.wording import choice_words

if TYPE_CHECKING:
    from sse_tui.analysis.entry import Entry
    from sse_tui.analysis.turn import Turn
    from sse_tui.cli.output import Output


class AnswerText:
    """Give it the events of one turn with `add`, and the turn with `finish` once no more of them come."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._choice: int | None = None

    def add(self, entry: Entry) -> None:
        """Print what an event adds to the choice that came first."""
        from sse_tui.dialects.base import Text

        for delta in entry.deltas:
            if isinstance(delta, Text):
                if self._choice is None:
                    self._choice = delta.index
                if delta.index == self._choice:
                    self._out.text(delta.text)

    def finish(self, turn: Turn) -> None:
        """Print the other choices, and end the line."""
        first, self._choice = self._choice, None
        answer = turn.answer
        if answer.index_counts:
            self._out.text(answer.text[len(answer.transcript.text("text", first)) :])
        else:
            for choice in answer.by_choice if answer.choices > 1 else ():
                if choice.text and choice.index != first:
                    self._out.end_line()
                    self._out.text(f"\n--- {choice_words(choice.index)} ---\n{choice.text}")
        self._out.end_line()

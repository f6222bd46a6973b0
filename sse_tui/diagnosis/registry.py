"""The table of rules: each is one function, registered with what is the same for every occurrence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Occurrence, Severity
from sse_tui.diagnosis.view import EntryView

Check: TypeAlias = Callable[[EntryView, Facts], Occurrence | Iterable[Occurrence] | None]

TRIGGERS = frozenset(
    {
        *("event", "deltas", "first-token", "beat", "resumed", "id"),
        *("comment", "retry", "ignored", "no-data", "tail"),
        *("gap", "burst", "request", "response", "close", "reconnect", "over", "empty-block", "retry-block"),
        *("bytes:bom", "bytes:utf8", "bytes:ends", "bytes:no-space", "bytes:blank-lines", "bytes:secret"),
    }
)
"""What a rule can run on.

An item or a record of that kind, or one of these. `deltas`: an event in which the dialect found something. `beat`: a
comment or an event that is a heartbeat. `resumed`: an event on a connection that is not the turn's first. `id`: an
item that sets the id. `first-token`: the first event with tokens. `gap`: silence before a read. `burst`: several events
in one read after a pause. `over`: the turn gets no further connection. ``bytes:...``: something found in the raw bytes.
`empty-block`, `retry-block`: a block of nothing but comments or ``retry``, once its blank line has arrived.
"""


class Rule(NamedTuple):
    """A rule. `severity` is the usual one; `summary` is the first line of its function's docstring."""

    id: str
    severity: Severity
    triggers: tuple[str, ...]
    advice: str
    reference: str
    summary: str


INTERNAL = Rule(
    "internal",
    "error",
    (),
    "This is a bug in sse-tui, not in the stream: report it with this message and the recording. The other rules ran.",
    "sse-tui's own rule",
    "A rule failed, so what it looks for may have gone unnoticed.",
)
"""The rule of findings about rules that raised; it has no function and is not in the table."""

RULES: dict[str, Rule] = {}
CHECKS: dict[str, list[tuple[Rule, Check]]] = {trigger: [] for trigger in TRIGGERS}


def rule(
    id: str, severity: Severity, *triggers: str, advice: str, reference: str
) -> Callable[[Check], Check]:
    """Register a function as the rule `id`, to run on each of `triggers`."""

    def register(check: Check) -> Check:
        assert id not in RULES, id
        summary = (check.__doc__ or "").strip().partition("\n")[0]
        RULES[id] = Rule(id, severity, triggers, advice, reference, summary)
        also(id, *triggers)(check)
        return check

    return register


def also(id: str, *triggers: str) -> Callable[[Check], Check]:
    """Register another function of a rule, for what shows later or elsewhere."""

    def register(check: Check) -> Check:
        for trigger in triggers:
            CHECKS[trigger].append((RULES[id], check))
        return check

    return register

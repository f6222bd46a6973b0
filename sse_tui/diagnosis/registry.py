"""The table of rules: each is one function, registered with what is the same for every occurrence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Hit, Severity
from sse_tui.diagnosis.view import Seen

Check: TypeAlias = Callable[[Seen, Facts], Hit | Iterable[Hit] | None]

TRIGGERS = frozenset(
    {
        *(
            "event",
            "deltas",
            "beat",
            "resumed",
            "id",
            "first-token",
            "comment",
            "retry",
            "ignored",
            "no-data",
            "tail",
        ),
        *("gap", "burst", "request", "response", "close", "reconnect", "over"),
        *("bytes:bom", "bytes:utf8", "bytes:ends", "bytes:no-space", "bytes:blank-lines", "bytes:secret"),
        *("empty-block", "retry-block"),
    }
)
"""What a rule can be run on.

An item or record of that kind, or: `deltas`, an event of which its dialect has something to say; `beat`, a comment or
an event that is a heartbeat; `resumed`, an event of a connection that is not the turn's first; `id`, an item that
brings an id; the first event that bears tokens; `gap`, silence before a read; `burst`, several events in one read after
a pause; `over`, when a turn will get no further connection; ``bytes:...``, something found in the raw bytes; blocks of
comments or ``retry`` alone, once their blank line is there.
"""


class Rule(NamedTuple):
    """A rule: `summary` is the first line of its function's docstring."""

    id: str
    severity: Severity
    triggers: tuple[str, ...]
    advice: str
    reference: str
    summary: str


RULES: dict[str, Rule] = {}
CHECKS: dict[str, list[tuple[Rule, Check]]] = {trigger: [] for trigger in TRIGGERS}


def rule(
    id: str, severity: Severity, *triggers: str, advice: str, reference: str
) -> Callable[[Check], Check]:
    """Register a function as the rule `id`, to be run on each of `triggers`. `severity` is its usual one."""

    def register(check: Check) -> Check:
        assert id not in RULES, id
        summary = (check.__doc__ or "").strip().partition("\n")[0]
        RULES[id] = Rule(id, severity, triggers, advice, reference, summary)
        also(id, *triggers)(check)
        return check

    return register


def also(id: str, *triggers: str) -> Callable[[Check], Check]:
    """Register a further function of a rule, for what shows later or elsewhere."""

    def register(check: Check) -> Check:
        for trigger in triggers:
            CHECKS[trigger].append((RULES[id], check))
        return check

    return register

"""The table of rules: each is one function, registered with what is the same for every occurrence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Severity
from sse_tui.diagnosis.scanner import ByteMatch
from sse_tui.diagnosis.view import EntryView
from sse_tui.errors import UsageError
from sse_tui.eventstream import Comment, Event, Ignored, NoData, Retry, Tail
from sse_tui.recording.records import Chunk, Close, Reconnect, Request, Response
from sse_tui.text.nearest import did_you_mean

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Occurrence(NamedTuple):
    """One occurrence, as returned by the rule's function.

    `message` is one sentence on what it means here. `severity` and `advice` are the rule's unless given; `entry`
    attributes the finding to an earlier entry. `amend` changes the rule's first finding on this connection, or on
    `conn` (severity if given, message if not empty, evidence merged) instead of adding another; without such a finding
    it does nothing. All occurrences of one `group` on a connection make one finding: each replaces what was said before
    it, and `total` is how many there are by now.
    """

    message: str
    severity: Severity | None = None
    advice: str | None = None
    evidence: Mapping[str, Any] = _NOTHING
    entry: EntryView | None = None
    amend: bool = False
    group: str = ""
    total: int = 1
    conn: int | None = None


Check: TypeAlias = Callable[[T, Facts], Occurrence | Iterable[Occurrence] | None]


class Trigger(Generic[T_co]):
    """What a rule can run on. Its type parameter is that of the checks' first argument, the subject."""

    def __init__(self) -> None:
        self.checks: list[tuple[Rule, Check[Any]]] = []


EVENT = Trigger[Event]()
MISFRAMED = Trigger[Event]()  # an event that was framed wrongly, as far as its data shows
DELTAS = Trigger[Event]()  # an event in which the dialect found something
FINISH = Trigger[Event]()  # an event that ends a choice, blocks the prompt or is the end marker
FIRST_TOKEN = Trigger[Event]()
RESUMED = Trigger[Event]()  # an event on a connection that is not the turn's first
BEAT = Trigger[Comment | Event]()  # a heartbeat
ID = Trigger[Event | NoData]()  # what sets the id, or resets it
RETRY = Trigger[Retry]()
IGNORED = Trigger[Ignored]()
NO_DATA = Trigger[NoData]()
TAIL = Trigger[Tail]()
PENDING = Trigger[Tail]()  # a block without an end so far, looked at each time it has grown by half
EMPTY_BLOCK = Trigger[Comment]()  # a block of nothing but comments, once its blank line has arrived
RETRY_BLOCK = Trigger[Retry]()  # likewise, with a retry field
GAP = Trigger[None]()  # silence before a read
LATE_READ = Trigger[None]()  # a read that waited in the socket
BURST = Trigger[None]()  # several events within no time after a pause
REQUEST = Trigger[Request]()
RESPONSE = Trigger[Response]()
CLOSE = Trigger[Close]()
RUNAWAY = Trigger[Chunk]()  # a read with which a coded body expanded beyond the limits
UNDECODABLE = Trigger[Chunk]()  # a read that is not what its content coding says
STALE_CODING = Trigger[Chunk]()  # a read of plain text under a content coding
LATE_FIELD = Trigger[
    Ignored
]()  # a line from before the first field, once a field has shown that it is an event stream
RECONNECT = Trigger[Reconnect]()
OVER = Trigger[None]()  # the turn gets no further connection
BYTES = {  # what the scanner finds, by the kind of its match
    kind: Trigger[ByteMatch]()
    for kind in ("bom", "utf8", "ends", "no-space", "blank-lines", "secret", "replaced")
}

# What a dialect may have found something in: an event, or a line that the standard ignores. Its entry has the deltas.
UNDERSTOOD: tuple[Trigger[Event | Ignored | Tail], ...] = (DELTAS, IGNORED, TAIL)


class Rule(NamedTuple):
    """A rule. `severity` is the usual one; `summary` is the first line of its function's docstring."""

    id: str
    severity: Severity
    triggers: tuple[Trigger[Any], ...]
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


def checked_rule(rule: str) -> str:
    """`rule` when there is one of that id. Raises `UsageError` that names the nearest one."""
    if rule in RULES:
        return rule
    hint = did_you_mean(rule, RULES, "sse-tui rules lists them all.")
    raise UsageError("unknown-rule", f"There is no rule {rule!r}.", hint)


def rule(
    severity: Severity, *triggers: Trigger[T], advice: str, reference: str
) -> Callable[[Check[T]], Check[Any]]:
    """Register a function as the rule that bears its name, to run on each of `triggers`."""

    def register(check: Check[T]) -> Check[Any]:
        name = check.__name__.replace("_", "-")
        assert name not in RULES, name
        summary = (check.__doc__ or "").strip().partition("\n")[0]
        RULES[name] = Rule(name, severity, triggers, advice, reference, summary)
        return also(name, *triggers)(check)

    return register


def also(id: str, *triggers: Trigger[T]) -> Callable[[Check[T]], Check[Any]]:
    """Register another function of a rule, for what shows later or elsewhere."""

    def register(check: Check[T]) -> Check[Any]:
        for trigger in triggers:
            trigger.checks.append((RULES[id], check))
        return check

    return register

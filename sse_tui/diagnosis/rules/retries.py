"""Rules about the reconnection time, the field ``retry``."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Occurrence
from sse_tui.diagnosis.registry import rule
from sse_tui.diagnosis.view import EntryView
from sse_tui.eventstream import Ignored, Retry

HUGE_MS = 3_600_000


@rule(
    "retry-invalid",
    "warning",
    "ignored",
    advice="Send retry as plain ASCII digits: milliseconds.",
    reference="HTML standard 9.2.6; launchdarkly/dotnet-eventsource#92",
)
def retry_invalid(entry: EntryView, facts: Facts) -> Occurrence | None:
    """A retry that is no number of digits: the standard ignores it, some clients read it."""
    item = entry.item
    if not isinstance(item, Ignored):
        return None
    name, _, value = item.line.partition(":")
    if name != "retry":
        return None
    shown = value.removeprefix(" ")
    try:
        lax = f"Python clients that use int() wait {int(shown)} ms"
    except ValueError:
        lax = "no client waits as it says"
    return Occurrence(
        f"retry {shown[:40]!r} is not only digits and is ignored; {lax}.", evidence={"value": shown[:80]}
    )


@rule(
    "retry-zero",
    "warning",
    "retry",
    advice="Ask for at least a few hundred milliseconds.",
    reference="launchdarkly/rust-eventsource-client#135",
)
def retry_zero(entry: EntryView, facts: Facts) -> Occurrence | None:
    """A reconnection time of 0: clients that take it literally reconnect in a tight loop."""
    if not isinstance(entry.item, Retry) or entry.item.ms != 0:
        return None
    return Occurrence(
        "retry is 0: a client that takes it literally reconnects in a tight loop when the server is down."
    )


@rule(
    "retry-huge",
    "warning",
    "retry",
    advice="Ask for seconds, not hours; to stop clients answer 204.",
    reference="launchdarkly/dotnet-eventsource#92",
)
def retry_huge(entry: EntryView, facts: Facts) -> Occurrence | None:
    """A reconnection time over an hour: clients clamp it, or seem to hang."""
    if not isinstance(entry.item, Retry) or entry.item.ms <= HUGE_MS:
        return None
    return Occurrence(
        f"retry is {entry.item.ms:,} ms ({entry.item.ms / 3_600_000:.1f} h): clients clamp it differently, or seem "
        "to hang.",
        evidence={"ms": entry.item.ms},
    )


@rule(
    "retry-alone",
    "warning",
    "retry-block",
    advice="Put retry into the block of the first event.",
    reference="openai/openai-python#2722",
)
def retry_alone(entry: EntryView, facts: Facts) -> Occurrence | None:
    """A block of nothing but retry: legal, and an empty event to common SDKs."""
    if not isinstance(entry.item, Retry):
        return None
    return Occurrence(
        f"retry {entry.item.ms} stands in a block of its own: the openai SDK makes an event with empty data of "
        "it and raises JSONDecodeError."
    )

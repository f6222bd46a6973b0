"""Rules about the reconnection time, the ``retry`` field."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import IGNORED, RETRY, RETRY_BLOCK, Occurrence, rule
from sse_tui.eventstream import Ignored, Retry

HUGE_MS = 3_600_000


@rule(
    "warning",
    IGNORED,
    advice="Send retry in milliseconds, with ASCII digits only.",
    reference="HTML standard 9.2.6; launchdarkly/dotnet-eventsource#92",
)
def retry_invalid(ignored: Ignored, facts: Facts) -> Occurrence | None:
    """A retry that is not just digits: the standard ignores it, some clients do not."""
    name, _, value = ignored.line.partition(":")
    if name != "retry":
        return None
    shown = value.removeprefix(" ")
    try:
        lax = f"Python clients that use int() wait {int(shown)} ms"
    except ValueError:
        lax = "no known client accepts it"
    return Occurrence(
        f"retry {shown[:40]!r} is not just digits, so the standard ignores it; {lax}.",
        evidence={"value": shown[:80]},
    )


@rule(
    "warning",
    RETRY,
    advice="Send a retry of at least a few hundred milliseconds.",
    reference="launchdarkly/rust-eventsource-client#135",
)
def retry_zero(retry: Retry, facts: Facts) -> Occurrence | None:
    """A reconnection time of 0: clients that take it literally reconnect in a tight loop."""
    if retry.ms != 0:
        return None
    return Occurrence(
        "retry is 0: a client that takes it literally reconnects in a tight loop while the server is down."
    )


@rule(
    "warning",
    RETRY,
    advice="Send a retry of seconds, not hours; to stop clients from reconnecting, answer with status 204.",
    reference="launchdarkly/dotnet-eventsource#92",
)
def retry_huge(retry: Retry, facts: Facts) -> Occurrence | None:
    """A reconnection time over an hour: clients cap it, or seem to hang."""
    if retry.ms <= HUGE_MS:
        return None
    if retry.beyond:
        said = f"retry is {_cut(retry.beyond)} ms, more than a JSON number holds exactly"
    else:
        said = f"retry is {retry.ms:,} ms ({retry.ms / 3_600_000:.1f} h)"
    return Occurrence(
        f"{said}: some clients cap it, others seem to hang.",
        evidence={"ms": retry.ms, **({"digits": _cut(retry.beyond)} if retry.beyond else {})},
    )


@rule(
    "warning",
    RETRY_BLOCK,
    advice="Send retry in the same block as the first event.",
    reference="openai/openai-python#2722",
)
def retry_alone(retry: Retry, facts: Facts) -> Occurrence:
    """A block with only a retry field: legal, but an empty event to common SDKs."""
    return Occurrence(
        f"retry {_cut(retry.digits)} is in a block of its own: the openai SDK turns that into an event with empty data "
        "and raises JSONDecodeError."
    )


def _cut(digits: str) -> str:
    return digits if len(digits) <= 40 else f"{digits[:40]}… ({len(digits):,} digits)"

"""The request of a turn and its policy, from a profile and a conversation, or from a URL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sse_tui import dialects, fields
from sse_tui.dialects.base import BEARER, Message
from sse_tui.limits import MAX_EVENT_BYTES
from sse_tui.resume import Policy
from sse_tui.session.endpoint import EndpointAddress
from sse_tui.session.spec import SessionSpec
from sse_tui.transport import StreamRequest, Timeouts

SAMPLING = ("temperature", "top_p", "top_k", "min_p", "max_tokens", "seed", "stop")


@dataclass(frozen=True)
class TurnSpec:
    """Everything for one turn: the request, the dialect of its stream, and what to do when the connection ends.

    With `stop_at_end` the connection is closed once the stream has said that it is over, else only the server ends it.
    """

    request: StreamRequest
    dialect: str = "auto"
    policy: Policy = field(default_factory=Policy)
    timeouts: Timeouts = field(default_factory=Timeouts)
    plan: str = ""
    verify: bool = True
    http2: bool = False
    max_event_bytes: int = MAX_EVENT_BYTES
    stop_at_end: bool = False


def chat_turn(
    spec: SessionSpec,
    messages: Sequence[Message],
    endpoint: EndpointAddress | None,
) -> TurnSpec:
    """The next turn of a conversation with the spec's profile, or with our own `endpoint` when it has no base URL.

    The key is sent in the header that the dialect's provider expects, unless the profile's headers already hold it;
    headers of the profile replace those of the dialect.

    Our own endpoint can resume, so its turns reconnect with ``Last-Event-ID`` by default. A POST to any other server is
    never repeated unless the profile says so: a second answer would be generated, and paid for.
    """
    profile = spec.profile
    dialect = dialects.dialect_class(profile.dialect)
    base_url, model, key, auth = profile.base_url or "", profile.model, spec.api_key, dialect.auth
    if endpoint is not None:
        base_url, key, auth = endpoint.base_url, endpoint.token, BEARER
        # It was started with the profile's model, which it may call by another name.
        model = endpoint.model or model
    sampling = {name: value for name in SAMPLING if (value := getattr(profile, name)) not in (None, [])}
    prepared = dialect.prepare(base_url, model or "default", messages, sampling)
    headers = [*fields.without(prepared.headers, *profile.headers), *profile.headers.items()]
    given = profile.headers.items()
    if key and not fields.has(given, "authorization") and not fields.has(given, auth.header):
        headers.append((auth.header, auth.value(key)))
    request = StreamRequest(
        prepared.method, prepared.url, headers, prepared.body, profile.dialect, any_type=dialect.line_based
    )
    policy = spec.policy or Policy(
        kind=profile.reconnect or ("last-event-id" if endpoint is not None else "never")
    )
    return replace(_turn(spec, request, spec.dialect or profile.dialect, policy), stop_at_end=True)


def inspect_turn(spec: SessionSpec) -> TurnSpec:
    """The turn of an inspection. A GET reconnects with ``Last-Event-ID`` by default, as an EventSource does."""
    assert spec.request is not None
    kind = "last-event-id" if spec.request.method == "GET" else "never"
    request = replace(spec.request, dialect=spec.dialect, any_type=spec.any_type or spec.request.any_type)
    return _turn(spec, request, spec.dialect or "auto", spec.policy or Policy(kind=kind))


def _turn(spec: SessionSpec, request: StreamRequest, dialect: str, policy: Policy) -> TurnSpec:
    return TurnSpec(
        request,
        dialect,
        policy,
        spec.timeouts,
        plan=spec.plan,
        verify=spec.verify,
        http2=spec.http2,
        max_event_bytes=spec.max_event_bytes,
    )

"""The request of a turn and its policy, from a profile and a conversation, or from a URL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from sse_tui import dialects, fields
from sse_tui.dialects.base import BEARER, Auth, Message
from sse_tui.limits import MAX_EVENT_BYTES
from sse_tui.resume import Policy
from sse_tui.secret_names import KEY_FORMS
from sse_tui.session.endpoint import EndpointAddress
from sse_tui.session.spec import SessionSpec
from sse_tui.transport import StreamRequest, Timeouts

SAMPLING = ("temperature", "top_p", "top_k", "min_p", "max_tokens", "seed", "stop")
_CHAT_HINTS = {
    "tls-verify": "Name the authority's certificate with --cacert FILE, SSL_CERT_FILE or ca_file in the profile, or "
    "use --insecure (-k) or verify = false in the profile if you trust the server.",
}


@dataclass(frozen=True)
class TurnSpec:
    """Everything for one turn: the request, the dialect of its stream, and what to do when the connection ends.

    With `stop_at_end` the connection is closed once the stream has said that it is over, else only the server ends it.
    `hints` are by the code of an error, where the transport's own says too little for this kind of session.
    """

    request: StreamRequest
    dialect: str = "auto"
    policy: Policy = field(default_factory=Policy)
    timeouts: Timeouts = field(default_factory=Timeouts)
    plan: str = ""
    verify: bool | str = True
    http2: bool = False
    max_event_bytes: int = MAX_EVENT_BYTES
    stop_at_end: bool = False
    hints: dict[str, str] = field(default_factory=dict)


def chat_turn(
    spec: SessionSpec,
    messages: Sequence[Message],
    endpoint: EndpointAddress | None,
) -> TurnSpec:
    """The next turn of a conversation with the spec's profile, or with our own `endpoint` when it has no base URL.

    The key is sent in the header that the dialect's provider expects, unless the caller's headers already hold it. The
    caller's are those of the spec, then those of the profile; they replace those of the dialect. After a redirect none
    of the profile's goes to another origin.

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
    own = [*fields.without(profile.headers.items(), *_names(spec.headers)), *spec.headers]
    headers = [*fields.without(prepared.headers, *_names(own)), *_with_key(own, auth, key)]
    request = StreamRequest(
        prepared.method, prepared.url, headers, prepared.body, profile.dialect, any_type=dialect.line_based
    )
    policy = spec.policy or Policy(
        kind=profile.reconnect or ("last-event-id" if endpoint is not None else "never")
    )
    turn = _turn(
        spec,
        request,
        spec.dialect or profile.dialect,
        policy,
        profile.max_reconnects,
        private=profile.headers,
    )
    return replace(turn, stop_at_end=True, hints=_CHAT_HINTS)


def inspect_turn(spec: SessionSpec) -> TurnSpec:
    """The turn of an inspection.

    By default a GET for an event stream reconnects with ``Last-Event-ID``, as an EventSource does; a body of any type
    is read once, since it need not be a stream at all. A server that is busy at first is waited for only on request.
    """
    assert spec.request is not None
    any_type = spec.any_type or spec.request.any_type
    kind = "last-event-id" if spec.request.method == "GET" and not any_type else "never"
    auth = dialects.dialect_class(spec.dialect).auth if spec.dialect else BEARER
    request = replace(
        spec.request,
        headers=_with_key(spec.request.headers, auth, spec.api_key),
        dialect=spec.dialect,
        any_type=any_type,
    )
    policy = spec.policy or Policy(kind=kind, wait_when_busy=False)
    return _turn(spec, request, spec.dialect or "auto", policy, spec.max_reconnects)


def _names(headers: fields.Fields) -> list[str]:
    return [name for name, _ in headers]


def _with_key(headers: Sequence[tuple[str, str]], auth: Auth, key: str | None) -> list[tuple[str, str]]:
    """The headers with the key, unless they hold one."""
    if not key or fields.has(headers, "authorization") or fields.has(headers, auth.header):
        return list(headers)
    return [*headers, (auth.header, auth.value(key))]


def _private(spec: SessionSpec, headers: fields.Fields) -> Iterator[str]:
    """The names of headers whose values are secrets: by the configuration of recordings, or by what they look like."""
    recording = spec.config.recording
    for name, value in headers:
        by_name = any(fnmatchcase(name.lower(), pattern.lower()) for pattern in recording.redact_headers)
        by_value = any(re.search(pattern, value) for pattern in recording.redact_patterns)
        known = any(secret in value for secret in spec.secrets)
        if by_name or by_value or known or re.search(KEY_FORMS, value):
            yield name


def _turn(
    spec: SessionSpec,
    request: StreamRequest,
    dialect: str,
    policy: Policy,
    max_reconnects: int | None,
    *,
    private: Iterable[str] = (),
) -> TurnSpec:
    if max_reconnects is not None:
        policy = replace(policy, max_reconnects=max_reconnects)
    private = frozenset(name.lower() for name in (*private, *_private(spec, request.headers)))
    return TurnSpec(
        replace(request, private=private, trusted=spec.trusted),
        dialect,
        policy,
        spec.timeouts,
        plan=spec.plan,
        verify=spec.verify,
        http2=spec.http2,
        max_event_bytes=spec.max_event_bytes,
    )

"""Rules about the response's status line and headers."""

from __future__ import annotations

from sse_tui import fields
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, EVENT, IGNORED, RESPONSE, RUNAWAY, Occurrence, also, rule
from sse_tui.eventstream import Event, Ignored
from sse_tui.recording.records import Chunk, Close, Response

_GAUGES = (
    "num_requests_running",
    "requests_processing",
    "num_running_reqs",
    "slots_active",
    "tgi_batch_current_size",
)


@rule(
    "warning",
    RESPONSE,
    advice="Send UTF-8, with 'charset=utf-8' or without a charset.",
    reference="WPT eventsource/format-utf-8; HTML standard 9.2.6",
)
def charset_not_utf8(_: Response, facts: Facts) -> Occurrence | None:
    """A charset other than UTF-8: the standard ignores it, httpx-sse uses it."""
    charset = fields.parameters(facts.conn.response_header("content-type")).get("charset", "").lower()
    if charset in ("utf-8", "utf8", ""):
        return None
    return Occurrence(
        f"The charset is {charset!r}. By the standard clients decode as UTF-8 regardless, but httpx-sse and others go "
        "by the header.",
        evidence={"charset": charset},
    )


@rule(
    "warning",
    RESPONSE,
    advice="Turn off compression for text/event-stream, or flush the compressor after every event.",
    reference="encode/starlette#2753; jersey/jersey#3309",
)
def compressed_stream(_: Response, facts: Facts) -> Occurrence | None:
    """Content coding on a stream: compressors hold events back unless flushed."""
    coding = facts.conn.response_header("content-encoding")
    if not coding or coding.strip().lower() == "identity" or not facts.conn.typed_as_stream:
        return None
    return Occurrence(
        f"The stream is compressed ({coding}): events are held back unless the compressor is flushed after each of "
        "them.",
        evidence={"coding": coding},
    )


@also("compressed-stream", CLOSE)
def flush_pattern(_: Close, facts: Facts) -> Occurrence | None:
    """How often the compressor was flushed, known at the end."""
    conn = facts.conn
    if not conn.response_header("content-encoding") or not conn.event_reads:
        return None
    each = round(conn.events / conn.event_reads, 2)
    evidence = {"events": conn.events, "reads": conn.reads, "events_per_read": each}
    return Occurrence("", amend=True, evidence=evidence)


@rule(
    "error",
    RUNAWAY,
    advice="Find out what compresses the stream and what it repeats. A client without a limit runs out of memory here.",
    reference="RFC 9110 8.4; CWE-409; aio-libs/aiohttp#8248",
)
def runaway_compression(_: Chunk, facts: Facts) -> Occurrence:
    """A few compressed bytes expand to far more than a stream would: a compression bomb, or a runaway loop."""
    conn = facts.conn
    return Occurrence(
        f"The compressed body was not read to its end: {conn.damage}. No event stream is compressed that well.",
        evidence={"decoded": conn.window.end},
    )


@rule(
    "info",
    RESPONSE,
    advice="Send 'Cache-Control: no-cache, no-transform' and 'X-Accel-Buffering: no'.",
    reference="ggml-org/llama.cpp#24774",
)
def missing_anti_buffering_headers(response: Response, facts: Facts) -> Occurrence | None:
    """The headers that keep proxies from buffering or caching the stream are missing."""
    if not facts.conn.typed_as_stream:
        return None
    missing = []
    if (facts.conn.response_header("x-accel-buffering") or "").strip().lower() != "no":
        missing.append("X-Accel-Buffering: no")
    cache = (facts.conn.response_header("cache-control") or "").lower()
    if "no-cache" not in cache and "no-store" not in cache:
        missing.append("Cache-Control: no-cache")
    if not missing:
        return None
    return Occurrence(
        f"The response lacks {' and '.join(missing)}: nginx and other proxies may buffer or cache the stream.",
        evidence={"missing": missing},
    )


@rule(
    "info",
    RESPONSE,
    advice="Use HTTP/1.1 or newer with chunked transfer coding and a persistent connection.",
    reference="c8s#144; HTML standard 9.2.7",
)
def connection_close_hints(response: Response, facts: Facts) -> Occurrence | None:
    """Content-Length, Connection: close or HTTP/1.0: signs that something on the way does not stream."""
    if not facts.conn.typed_as_stream:
        return None
    signs = []
    length = facts.conn.response_header("content-length")
    if length is not None:
        signs.append(f"Content-Length: {length[:20]}")
    if (facts.conn.response_header("connection") or "").strip().lower() == "close":
        signs.append("Connection: close")
    if response.http_version.endswith("1.0"):
        signs.append(response.http_version)
    if not signs:
        return None
    return Occurrence(
        f"{', '.join(signs)} on a stream: something on the way may read all of it before passing it on, or will not "
        "keep the connection open.",
        evidence={"signs": signs},
    )


@also("server-keeps-generating", EVENT)
@rule(
    "warning",
    IGNORED,
    advice="Make the server cancel the generation when its client disconnects.",
    reference="vllm-project/vllm#54947; mlx-openai-server#269; huggingface/text-generation-inference#495",
)
def server_keeps_generating(item: Event | Ignored, facts: Facts) -> Occurrence | None:
    """After we disconnected, the server's own figures still show an active request."""
    left, request = facts.session.left_running, facts.conn.request
    if left is None or request is None or left is facts.conn:
        return None
    path = request.url.partition("?")[0]
    if not path.endswith(("/metrics", "/slots")):
        return None
    text = item.line if isinstance(item, Ignored) else item.data
    active = _active(text)
    if not active:
        return None
    return Occurrence(
        f"Connection {left.number} was closed before its answer was complete, but the server still reports "
        f"{active:g} active request{'' if active == 1 else 's'} ({text.strip()[:80]}).",
        evidence={"closed": left.number, "active": active},
    )


def _active(text: str) -> float:
    """The number of active requests in a line of Prometheus metrics or a list of slots."""
    if '"is_processing"' in text:
        return text.count('"is_processing":true') + text.count('"is_processing": true')
    for line in text.splitlines():
        name = line.partition("{")[0].partition(" ")[0]
        if not line.startswith("#") and name.endswith(_GAUGES):
            try:
                return float(line.rsplit(" ", 1)[1])
            except (IndexError, ValueError):
                return 0
    return 0

"""The rule about bodies that are not an event stream: what such a body is, by its media type and its first bytes."""

from __future__ import annotations

import re
from typing import NamedTuple

from sse_tui import fields
from sse_tui.bodies import Form, is_stream_type
from sse_tui.diagnosis.facts import ConnFacts, Facts
from sse_tui.diagnosis.finding import RAW_BYTES, Severity
from sse_tui.diagnosis.registry import CLOSE, EVENT, IGNORED, RESPONSE, TAIL, Occurrence, also, rule
from sse_tui.dialects.payload import compact
from sse_tui.eventstream import Tail
from sse_tui.recording.records import Close, Response
from sse_tui.text.wording import many

_TITLE = re.compile(r"<title[^>]*>\s*(.*?)\s*</title>", re.I | re.S)
_HEADING = re.compile(r"<h1[^>]*>\s*(.*?)\s*</h1>", re.I | re.S)
_TAG = re.compile(r"<[^<>]*>|\s+")
# What a page is, by words in its title and first lines; the first that matches.
_PAGES = (
    (r"cloudflare|just a moment|attention required|cf-browser-verification|ray id", "a page of Cloudflare"),
    (r"sign[ -]?in|log[ -]?in|single sign|sso|saml|authenticat|captive", "a login page"),
    (r"captcha|are you (a )?human|robot|access denied|request blocked|firewall", "the page of a firewall"),
    (r"50[0234]|bad gateway|gateway time|unavailable|nginx|proxy error|upstream", "a proxy's error page"),
    (r"404|not found", "an error page for a wrong path"),
)
_NO_EVENTS = "The openai and anthropic SDKs return normally without a single event."
_CLIENTS = "EventSource refuses it, and other SSE clients find no events in it"


class _Said(NamedTuple):
    """What is said of a form: the sentence behind "The body is ...", the usual severity, the advice."""

    message: str
    severity: Severity
    advice: str


_UNREADABLE: dict[Form, tuple[str, str]] = {
    Form.XML: (_NO_EVENTS, "Check the URL, and the path for a stream: some services report errors in XML."),
    Form.MULTIPART: (
        "SSE clients find no events in it.",
        "Ask for 'Accept: text/event-stream': some GraphQL servers stream as multipart/mixed otherwise.",
    ),
    Form.GZIP: (
        "No Content-Encoding says so: clients pass the bytes to their parser and find no events.",
        "Send 'Content-Encoding: gzip' with it, or better no compression at all.",
    ),
    Form.ZLIB: (
        "No Content-Encoding says so: clients pass the bytes to their parser and find no events.",
        "Send 'Content-Encoding: deflate' with it, or better no compression at all.",
    ),
    Form.ZSTD: (
        "No Content-Encoding says so: clients pass the bytes to their parser and find no events.",
        "Send 'Content-Encoding: zstd' with it, or better no compression at all.",
    ),
    Form.UTF16: ("An event stream is always UTF-8.", "Encode the body as UTF-8."),
    Form.GRPC: (
        "gRPC, gRPC-Web and Connect put each message into a binary frame.",
        "Use a gRPC client, or the service's HTTP endpoint for event streams.",
    ),
    Form.BINARY: (_NO_EVENTS, "Check the URL: this is a file, or a protocol other than HTTP streaming."),
    Form.PROSE: (
        f"No line of it is a field. {_NO_EVENTS}",
        "Write every piece of text as 'data: ...', and a blank line after each event.",
    ),
}


@rule(
    "error",
    RESPONSE,
    advice="Send 'Content-Type: text/event-stream'. If a proxy answered instead of the server, check its logs.",
    reference="oc-web#143; florimondmanca/httpx-sse#11; HTML standard 9.2.3",
)
def wrong_content_type(_: Response, facts: Facts) -> Occurrence | None:
    """Status 200 but not an event stream: browsers fail for good, other clients see nothing."""
    if not _by_type(facts):
        return None
    return Occurrence(
        f"{_type_words(facts.conn)} A browser fails without a retry, httpx-sse raises SSEError, and the openai and "
        "anthropic SDKs read on as if nothing were wrong.",
        evidence={"content_type": facts.conn.response_header("content-type")},
    )


def _by_type(facts: Facts) -> bool:
    """Whether the media type alone shows that it is not a stream. Of other streams the body shows more."""
    response = facts.conn.response
    if response is None or response.status != 200:
        return False
    given = facts.conn.response_header("content-type")
    return not is_stream_type(given) and not _mcp_answer(facts)


def _mcp_answer(facts: Facts) -> bool:
    """Whether it is MCP's other way to answer a request: one JSON object."""
    kind = fields.essence(facts.conn.response_header("content-type"))
    return kind == "application/json" and facts.turn.dialect == "mcp"


def _type_words(conn: ConnFacts) -> str:
    given = conn.response_header("content-type")
    what = f"is {given[:80]!r}, not" if given else "is missing, instead of"
    return f"The content type {what} text/event-stream."


@also("wrong-content-type", EVENT, IGNORED, TAIL, CLOSE)
def what_the_body_is(subject: object, facts: Facts) -> Occurrence | None:
    """The same as the body shows it, and what it is instead."""
    conn = facts.conn
    form, response = conn.body.form, conn.response
    if form is None or form in (Form.EVENTS, Form.CODED):
        return None
    if response is not None and response.status != 200:
        return None  # the text of an error
    if conn.body.named:
        return _known_at_last(form, facts) if isinstance(subject, Close) else None
    if form is Form.PROSE and not _only_prose(subject, facts):
        return None
    if form is Form.HTML and not isinstance(subject, Close):
        return None  # its title may still be coming
    if form is Form.OBJECT and _mcp_answer(facts):
        return None
    conn.body.named = True
    said = _said(form, facts)
    evidence = {"form": form.name.lower(), "start": conn.body.head[:RAW_BYTES].decode("utf-8", "replace")}
    if _by_type(facts):
        message = f"{_type_words(conn)} {said.message}"
        return Occurrence(message, said.severity, evidence=evidence, amend=True)
    first = conn.body.first_lines[0] if isinstance(subject, Close) and conn.body.first_lines else None
    return Occurrence(said.message, said.severity, said.advice, evidence=evidence, entry=first)


def _only_prose(subject: object, facts: Facts) -> bool:
    """Whether a body of plain text is over: until then a field may come. An error that was read says more."""
    return isinstance(subject, Tail | Close) and facts.turn.view.answer.error is None


def _said(form: Form, facts: Facts) -> _Said:
    if form is Form.LINES:
        return _lines(facts)
    if form is Form.ARRAY:
        return _array(facts)
    if form is Form.OBJECT:
        return _object(facts)
    if form is Form.FRAMES:
        return _frames(facts)
    if form is Form.HTML:
        return _page(facts.conn)
    message, advice = _UNREADABLE[form]
    return _Said(f"The body is {form.words}. {message}", "error", advice)


def _worst(facts: Facts) -> Severity:
    """The severity where all events could be read here, though no SSE client finds them."""
    return "error" if facts.conn.typed_as_stream else "warning"


def _lines(facts: Facts) -> _Said:
    protocol = facts.turn.line_protocol
    kind = fields.essence(facts.conn.response_header("content-type"))
    what = (
        f"The body is {kind}, JSON lines"
        if is_stream_type(kind) and kind != fields.EVENT_STREAM
        else ("The body is JSON lines")
    )
    return _Said(
        f"{what} rather than an event stream: {_CLIENTS}.",
        "info" if protocol else _worst(facts),
        "Read it line by line, as the API means it."
        if protocol
        else "Write 'data: ' in front of every line and a blank line behind it, or send it as application/x-ndjson.",
    )


def _array(facts: Facts) -> _Said:
    gemini = facts.turn.dialect == "gemini"
    return _Said(
        f"The body is a JSON array rather than an event stream: {_CLIENTS}."
        + (" Without 'alt=sse' Gemini's streamGenerateContent sends one." if gemini else ""),
        _worst(facts),
        "Add '?alt=sse' to the URL of streamGenerateContent."
        if gemini
        else "Ask for an event stream (Gemini: '?alt=sse' in the URL), or read the array element by element.",
    )


def _object(facts: Facts) -> _Said:
    if not facts.turn.known:
        return _Said(
            f"The body is a JSON object rather than an event stream, and no answer that is known: {_CLIENTS}.",
            "error",
            "Check the URL, and what the object says.",
        )
    return _Said(
        f"The body is a JSON object rather than an event stream: {_CLIENTS}. The server, or a proxy on the way, did "
        "not stream its answer.",
        _worst(facts),
        "Check that the request has '\"stream\": true' and that server and proxy support it for this model.",
    )


def _frames(facts: Facts) -> _Said:
    typed = facts.conn.typed_as_stream
    return _Said(
        "The body is AWS event stream frames rather than an event stream"
        + (", although its content type says otherwise" if typed else "")
        + f": {_CLIENTS}. An AWS SDK decodes it.",
        "error" if typed else "info",
        "Send 'Content-Type: application/vnd.amazon.eventstream'."
        if typed
        else "Use an AWS SDK, or a gateway that translates to server-sent events.",
    )


def _page(conn: ConnFacts) -> _Said:
    text = conn.body.head.decode("utf-8", "replace")
    found = _TITLE.search(text) or _HEADING.search(text)
    title = _TAG.sub(" ", found[1]).strip()[:80] if found else ""
    words = f"{title}\n{_TAG.sub(' ', text)}".lower()
    page = next(
        (what for pattern, what in _PAGES if re.search(pattern, words)), "an error page or the wrong URL"
    )
    quoted = f" with the title {compact(title)}" if title else ""
    return _Said(
        f"The body is an HTML page{quoted}, probably {page}, sent with status 200. {_NO_EVENTS}",
        "error",
        "Check the URL, and what answers before the server: a proxy, a login or a firewall.",
    )


def _known_at_last(form: Form, facts: Facts) -> Occurrence | None:
    """What the end of the body adds."""
    events = facts.conn.events
    if form is Form.OBJECT and events > 1:
        message = f"The body is {many(events, 'JSON object')} without line ends or 'data:' between them: {_CLIENTS}."
        return Occurrence(message, amend=True, evidence={"objects": events})
    if form is Form.LINES and facts.turn.line_protocol and not facts.conn.typed_as_stream:
        return Occurrence("", "info", amend=True)
    return None

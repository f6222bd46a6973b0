"""A rule about requests that did not get a stream, the first one or the one that was to go on with it."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import OVER, Occurrence, rule

# By what went wrong: what to do about it.
_ADVICE = {
    "dns": "Check the host name in the URL, and the network.",
    "connect-refused": "Start the server, or check the host and the port in the URL.",
    "connect-timeout": "Check host, port and firewalls; raise --connect-timeout on a slow network.",
    "tls-verify": "Name the authority's certificate with --cacert FILE, or use --insecure (-k).",
    "tls": "Check that the port speaks TLS, or use http:// in the URL.",
    "not-http": "Check the port and the scheme of the URL: something other than HTTP answers there.",
    "no-response": "Look into the server's log: it took the request and closed the connection.",
    "unreadable-response": "Check the server and the proxies in front of it: other clients refuse the response too.",
    "first-byte-timeout": "Raise --first-byte-timeout if the server is slow to start.",
    "total-timeout": "Raise --total-timeout.",
    "fault": "The fault was injected on purpose: leave --fault out to see what the server does.",
}
_BY_STATUS = {
    204: "Connect later or elsewhere: 204 tells an EventSource that there is no stream and to stop.",
    400: "Compare the request's body and headers with what the API expects.",
    401: "Send a valid key: with --key-env NAME, -H, or api_key_env in the profile.",
    403: "Check that the key may use this model, and that nothing on the way refuses the client.",
    404: "Check the path of the URL and the name of the model.",
    405: "Check the method: chat APIs want a POST, EventSource sends a GET.",
    408: "Send the request again.",
    413: "Shorten the request.",
    422: "Compare the request's body with what the API expects.",
    429: "Wait as long as Retry-After says, and send fewer requests at a time.",
}
_RESUMED = {
    204: "Nothing is left to resume: request the answer again.",
    400: "Compare Last-Event-ID with the ids of the stream: the server does not accept the request for the rest.",
    401: "Send the key with every reconnect, and renew it if it expires while the stream runs.",
    403: "Send the key with every reconnect, and renew it if it expires while the stream runs.",
    404: "Request the answer again; in the server, keep a stream for as long as clients may resume it.",
    409: "Wait until the server has noticed that the first connection is gone, then resume.",
    410: "Request the answer again; in the server, keep a stream for as long as clients may resume it.",
}
_SERVER = "Wait and send the request again; the cause is in the server's log."
_GONE = "Check that the server is still running; raise --max-reconnects if it takes long to restart."
_OTHER = "Check the URL and the server."


@rule(
    "error",
    OVER,
    advice=_OTHER,
    reference="HTML standard 9.2.3; RFC 9110 15; cpp-mcp#4",
)
def failed_request(_: None, facts: Facts) -> Occurrence | None:
    """The request, or the reconnect that was to go on with the stream, got no stream."""
    concluded = facts.turn.view.conclusion
    if not concluded.request_failed:
        return None
    response = facts.conn.response
    status = response.status if response is not None and response.is_refusal else None
    resumed = len(facts.turn.conns) > 1
    by_status = _RESUMED if resumed else _BY_STATUS
    if status is not None:
        advice = by_status.get(status) or (_SERVER if status >= 500 else _BY_STATUS.get(status, _OTHER))
    else:
        advice = _GONE if resumed else _ADVICE.get(concluded.code, _OTHER)
    return Occurrence(
        concluded.sentence,
        "info" if concluded.code == "fault" else None,  # the user's own doing
        advice=advice,
        evidence={"code": concluded.code, "status": status, "attempts": len(facts.turn.conns)},
    )

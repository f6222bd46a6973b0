"""curl's options on our own commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sse_tui.cli.options import config_option, connection_options, dialect_option, live_options, together
from sse_tui.errors import UsageError

if TYPE_CHECKING:
    from sse_tui.cli.curl_arguments import CurlRequest

request_options = together(
    connection_options,
    click.option(
        "-d", "--data", multiple=True, metavar="DATA", help="Send as the body (POST); @FILE reads a file."
    ),
    click.option("-X", "--request", "method", metavar="METHOD", help="Request method, for example PUT."),
    click.option("-u", "--user", metavar="NAME:PASSWORD", help="Basic authentication."),
    click.option("--compressed", is_flag=True, help="Request a compressed response."),
    click.option(
        "--http1.1", "http1", is_flag=True, help="Use HTTP/1.1 (the default, with kernel timestamps)."
    ),
    click.option("--http2", is_flag=True, help="Use HTTP/2 if the server supports it."),
    click.option("--curl", "pasted", metavar="COMMAND", help="A complete curl command, quoted."),
    dialect_option,
    click.option("--any-type", is_flag=True, help="Read the body, once, whatever its content type is."),
    live_options,
    config_option,
)
"""The options of a command that sends a request; `curl_request` builds it from their values."""


def curl_request(url: str | None, given: dict[str, Any]) -> CurlRequest:
    """The request that the URL and the options describe, on top of a pasted curl command if there is one.

    Removes the options it uses from `given`, and adds the timeouts of a pasted command.
    """
    from sse_tui.cli.curl_arguments import CurlRequest, parse

    pasted = given.pop("pasted", None)
    if pasted is not None and url is not None:
        raise UsageError("url-twice", "--curl already contains a URL.", "Use a URL or --curl, not both.")
    request = parse(pasted) if pasted is not None else CurlRequest(url=url or "")
    request.method = given.pop("method") or request.method
    for line in given.pop("header"):
        request.header(line)
    for text in given.pop("data"):
        request.add_data(text)
    if user := given.pop("user"):
        request.user(user)
    request.insecure |= given.pop("insecure")
    request.trusted |= given.pop("location_trusted")
    request.cacert = given.pop("cacert") or request.cacert
    request.compressed |= given.pop("compressed")
    http1, http2 = given.pop("http1"), given.pop("http2")
    if http1 and http2:
        raise UsageError("http-twice", "--http1.1 and --http2 cannot be combined.")
    if http1 or http2:
        request.http2 = http2
    if given["total_timeout"] is None:
        given["total_timeout"] = request.max_time
    if given["connect_timeout"] is None:
        given["connect_timeout"] = request.connect_timeout
    # Only now: data added here decides the method and content type of a pasted request, as in curl.
    return request.finish()

"""curl's options on our own commands, so that a request is written as in curl."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from sse_tui.cli.curl_arguments import CurlRequest, parse
from sse_tui.errors import UsageError

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS = (
    click.option("-H", "--header", "header", multiple=True, metavar="LINE", help="Header 'Name: value'."),
    click.option(
        "-d", "--data", "data", multiple=True, metavar="DATA", help="Body; @FILE reads one. Means POST."
    ),
    click.option("-X", "--request", "method", metavar="METHOD", help="Request method."),
    click.option("-u", "--user", "user", metavar="NAME:PASSWORD", help="Basic authentication."),
    click.option("-k", "--insecure", is_flag=True, help="Do not verify the certificate."),
    click.option("--compressed", is_flag=True, help="Ask for a compressed body."),
    click.option("--http1.1", "http1", is_flag=True, help="Use HTTP/1.1 (the default; kernel time stamps)."),
    click.option("--http2", "http2", is_flag=True, help="Use HTTP/2 where the server has it."),
    click.option("--curl", "pasted", metavar="COMMAND", help="A whole curl command, quoted."),
    click.option(
        "--dialect",
        "stream_dialect",
        metavar="NAME",
        help="What the payloads mean; default: told by the stream.",
    ),
    click.option("--any-type", is_flag=True, help="Read the body whatever its content type says."),
)


def request_options(function: Function) -> Function:
    """Adds the options; `curl_request` makes the request of their values."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def curl_request(url: str | None, given: dict[str, Any]) -> CurlRequest:
    """The request that the URL and the options describe, over a pasted curl command if there is one.

    Takes its own parameters, and the times of the pasted command, out of or into `given`.
    """
    pasted = given.pop("pasted", None)
    if pasted is not None and url is not None:
        raise UsageError("url-twice", "--curl brings its own URL.", "Give a URL or --curl, not both.")
    request = parse(pasted) if pasted is not None else CurlRequest(url=url or "")
    request.method = given.pop("method") or request.method
    for line in given.pop("header"):
        request.header(line)
    for text in given.pop("data"):
        request.add_data(text)
    if user := given.pop("user"):
        request.user(user)
    request.insecure |= given.pop("insecure")
    request.compressed |= given.pop("compressed")
    http1, http2 = given.pop("http1"), given.pop("http2")
    if http1 and http2:
        raise UsageError("http-twice", "--http1.1 and --http2 exclude each other.")
    if http1 or http2:
        request.http2 = http2
    for parameter, seconds in (
        ("total_timeout", request.max_time),
        ("connect_timeout", request.connect_timeout),
    ):
        if given.get(parameter) is None:
            given[parameter] = seconds
    # A pasted method without a body stays; data given here turns a pasted GET into what curl would send.
    return request.finish()

"""The request of a connection as a curl command for a POSIX shell. Redacted values become variables of the shell.

Everything that came from a recording is quoted; nothing in it can end its word, name a file or be an option.
"""

from __future__ import annotations

import base64
import re
import shlex

from sse_tui import fields
from sse_tui.errors import RecordingError
from sse_tui.offline.export.tape import TapedConnection
from sse_tui.recording.records import Request
from sse_tui.recording.redact import PLACEHOLDER, URL_PLACEHOLDER

# curl makes these itself.
_OWN = frozenset(["host", "content-length", "connection", "transfer-encoding", "accept-encoding", "expect"])
_URL_SECRET = re.compile(rf"(?<==){URL_PLACEHOLDER}(?=[&#;]|$)|(?<=://){URL_PLACEHOLDER}(?=@)")
_PARAMETER = re.compile(r"(?<![^?&;=/])([^?&;=/]*+)=$")
_NAMES = {"authorization": "AUTHORIZATION", "x-api-key": "API_KEY", "api-key": "API_KEY", "key": "API_KEY"}
LAST_RESORT = "SECRET"


def curl_command(conn: TapedConnection) -> str:
    """The command, one option a line, below the variables to set. Raises `RecordingError` without a request."""
    request = conn.request
    if request is None:
        raise RecordingError(
            "no-request",
            f"The recording does not have the request of connection {conn.number}.",
            "Recordings, HAR files, cassettes and the output of curl -v have requests.",
        )
    words = _Words()
    command = " \\\n  ".join(_lines(request, words))
    if words.variables:
        names = ", ".join(words.variables)
        command = f"# Secrets were redacted. Set these first: {names}\n{command}"
    return command + "\n"


class _Words:
    """Quotes words, and gives redacted parts names of variables."""

    def __init__(self) -> None:
        self.variables: list[str] = []

    def secret(self, name: str) -> str:
        """The word of a variable for the secret that `name` names."""
        plain = _NAMES.get(name.lower()) or re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_") or LAST_RESORT
        variable = plain if plain[0].isalpha() else f"{LAST_RESORT}_{plain}"
        # Names that mean something to the shell or to curl itself.
        if variable in ("PATH", "HOME", "IFS", "PWD", "SHELL", "USER", "ENV", "BASH_ENV"):
            variable = f"{LAST_RESORT}_{variable}"
        if variable not in self.variables:
            self.variables.append(variable)
        return f'"${variable}"'

    def url(self, url: str) -> str:
        """The word of a URL."""
        out, at = list[str](), 0
        for match in _URL_SECRET.finditer(url):
            before = url[at : match.start()]
            named = _PARAMETER.search(before)
            out += [shlex.quote(before), self.secret(named[1] if named else "credentials")]
            at = match.end()
        if at < len(url) or not out:
            out.append(shlex.quote(url[at:]))
        return "".join(out)

    def text(self, text: str, name: str) -> str:
        """The word of a text that is not a URL; `name` names what was redacted in it."""
        first, *rest = text.split(PLACEHOLDER)
        word = shlex.quote(first) if first or not rest else ""
        for part in rest:
            word += self.secret(name) + (shlex.quote(part) if part else "")
        return word


def _lines(request: Request, words: _Words) -> list[str]:
    lines = ["curl --no-buffer --globoff"]
    headers = [(name, _one_line(value)) for name, value in request.headers if _is_word(name)]
    if any("gzip" in coding.lower() for coding in fields.elements(headers, "accept-encoding")):
        lines.append("--compressed")
    data = request.data
    method = request.method if _is_word(request.method) else "GET"
    if method != ("POST" if data else "GET"):
        lines.append(f"--request {shlex.quote(method)}")
    for name, value in fields.without(headers, *_OWN):
        # A header without a value is written with a semicolon.
        lines.append(
            "--header " + (words.text(f"{name}: {value}", name) if value else shlex.quote(f"{name};"))
        )
    if data:
        if not fields.has(headers, "content-type"):
            lines.append("--header 'Content-Type:'")
        text = request.body
        if text is None or "\0" in text:
            # Bytes that no word of a shell can hold.
            coded = base64.b64encode(data).decode("ascii")
            lines[0] = f"printf %s {shlex.quote(coded)} | base64 -d | {lines[0]}"
            lines.append("--data-binary @-")
        else:
            lines.append(f"--data-raw {words.text(text, LAST_RESORT)}")
    lines.append(f"--url {words.url(_one_line(request.url))}")
    return lines


def _is_word(text: str) -> bool:
    # One that began with a hyphen could be taken for an option.
    return fields.is_token(text) and not text.startswith("-")


def _one_line(value: str) -> str:
    return re.sub(r"[\r\n\0]+", " ", value)

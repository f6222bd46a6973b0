"""Builds a request from curl's command line: a pasted command, or curl's options on our own commands."""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from sse_tui import fields
from sse_tui.errors import UsageError

# The attribute of `CurlRequest` that a flag sets, and to what.
_FLAGS = {
    "-k": ("insecure", True), "--insecure": ("insecure", True), "--compressed": ("compressed", True),
    "--http1.1": ("http2", False), "--http2": ("http2", True), "--http2-prior-knowledge": ("http2", True),
    "-G": ("get", True), "--get": ("get", True), "--location-trusted": ("trusted", True),
}  # fmt: skip
_IGNORED = {
    "-N", "--no-buffer", "-s", "--silent", "-S", "--show-error", "-v", "--verbose", "-i", "--include", "-L",
    "--location", "-f", "--fail", "--fail-with-body", "-#", "--progress-bar", "--no-progress-meter", "-4",
    "--ipv4", "-6", "--ipv6", "--tcp-nodelay", "--globoff", "-g", "--path-as-is",
}  # fmt: skip
_VALUES = {
    "-X": "method", "--request": "method", "-H": "header", "--header": "header", "--url": "url",
    "-d": "data", "--data": "data", "--data-ascii": "data", "--data-raw": "raw", "--data-binary": "binary",
    "--data-urlencode": "urlencode", "--json": "json", "-u": "user", "--user": "user", "-A": "User-Agent",
    "--user-agent": "User-Agent", "-e": "Referer", "--referer": "Referer", "-b": "Cookie", "--cookie": "Cookie",
    "--oauth2-bearer": "bearer", "--cacert": "cacert", "-m": "max_time", "--max-time": "max_time", "--connect-timeout":
    "connect_timeout",
}  # fmt: skip
_IGNORED_VALUES = {
    "-o", "--output", "-w", "--write-out", "--retry", "--retry-delay", "--max-redirs", "--keepalive-time",
}  # fmt: skip
_ESCAPES = dict(zip("ntrabeEfv", "\n\t\r\a\b\x1b\x1b\f\v", strict=True))
_SURROGATE = re.compile("[\ud800-\udfff]+")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


@dataclass
class CurlRequest:
    """A request as curl would send it. `http2` None leaves the version open; times are in seconds.

    `cacert` is a file of certificate authorities; `trusted` is whether other origins get everything after a redirect.
    """

    url: str = ""
    method: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    data: list[bytes] = field(default_factory=list)
    insecure: bool = False
    cacert: str | None = None
    trusted: bool = False
    compressed: bool = False
    http2: bool | None = None
    get: bool = False
    max_time: float | None = None
    connect_timeout: float | None = None

    def header(self, text: str) -> None:
        """Add a header given as ``Name: value``; ``Name;`` sends an empty one. Raises `UsageError`.

        ``@FILE`` and ``@-`` add the headers of a file, one a line, except for empty lines and those that begin with #.
        """
        if not text.startswith("@"):
            self._add_header(text)
            return
        lines = _file(text[1:]).decode("utf-8", "surrogateescape").splitlines()
        for number, line in enumerate(map(str.strip, lines), 1):
            if line and not line.startswith("#"):
                try:
                    self._add_header(line)
                except UsageError as error:
                    # Without "from error": its message has the line, which may be a key.
                    where = f"Line {number} of {text[1:]} is not a header."
                    raise UsageError(error.code, where, error.hint) from None

    def _add_header(self, text: str) -> None:
        name, colon, value = text.partition(":")
        if not colon and text.endswith(";"):
            name, colon = text[:-1], ":"
        if not colon or not fields.is_value(value):
            raise UsageError("bad-header", f"Invalid header {_named(text)}.", "Write it as 'Name: value'.")
        if not fields.is_token(name.strip()):
            raise UsageError(
                "bad-header", f"Invalid header name {_named(name)}.", "Write it as 'Name: value'."
            )
        self.headers.append((name.strip(), value.strip()))

    def user(self, text: str) -> None:
        """Basic authentication with ``NAME:PASSWORD``."""
        self.default("Authorization", "Basic " + base64.b64encode(_bytes(text)).decode())

    def default(self, name: str, value: str) -> None:
        """Set a header unless it is there."""
        if not fields.has(self.headers, name):
            self.headers.append((name, value))

    def add_data(self, text: str, *, files: bool = True, keep_lines: bool = False) -> None:
        """Add to the body. ``@FILE`` and ``@-`` are read, as in curl without line ends unless `keep_lines`."""
        self.data.append(_content(text[1:], keep_lines) if files and text.startswith("@") else _bytes(text))

    def finish(self) -> CurlRequest:
        """Fill in what depends on the rest: method, content type, the query of ``-G``, the URL's scheme."""
        if not self.url:
            raise UsageError("no-url", "There is no URL.", "Give the URL of the stream.")
        if "://" not in self.url:
            self.url = f"http://{self.url}"
        if self.get and self.data:
            query = b"&".join(self.data).decode("utf-8", "surrogateescape")
            self.url += f"{'&' if '?' in self.url else '?'}{query}"
            self.data = []
        # Bytes that are not UTF-8: curl sends them raw, but a URL may not contain them.
        self.url = _SURROGATE.sub(lambda found: quote(_bytes(found[0])), self.url)
        self.method = self.method or ("POST" if self.data else "GET")
        if not fields.is_token(self.method):
            raise UsageError(
                "bad-method", f"Invalid request method {self.method!r}.", "Use GET or POST, for example."
            )
        if self.data:
            self.default("Content-Type", "application/x-www-form-urlencoded")
        if self.compressed:
            self.default("Accept-Encoding", "gzip, deflate")
        return self

    @property
    def body(self) -> bytes | None:
        """The body, None for a request without one."""
        return b"&".join(self.data) if self.data else None


def _named(text: str) -> str:
    """A malformed header as an error quotes it: its first word, since the rest may be a key, or be all of it."""
    name = re.match(r"[A-Za-z-]{1,40}(?=[\s:])", text)
    return f"'{name[0]} ...'" if name is not None else "without a name"


def _file(name: str) -> bytes:
    """The bytes of a file, or of stdin for "-". Raises `UsageError`."""
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError("unreadable-data", f"Cannot read {name!r}: {reason}.") from error


def _content(name: str, keep_lines: bool) -> bytes:
    data = _file(name)
    return data if keep_lines else data.replace(b"\r", b"").replace(b"\n", b"")


def parse(command: str) -> CurlRequest:
    """The request of a pasted curl command. Raises `UsageError` that names what is not supported."""
    words = split(command)
    if not words or Path(words[0]).name not in ("curl", "curl.exe"):
        raise UsageError(
            "not-curl", "This is not a curl command.", "Paste all of it, starting with the word curl."
        )
    request = CurlRequest()
    rest = words[1:]
    while rest:
        word = rest.pop(0)
        if word == "--":
            continue
        if not word.startswith("-") or word == "-":
            request.url = word
        elif word.startswith("--"):
            _long(request, word, rest)
        else:
            _short(request, word, rest)
    return request.finish()


def _long(request: CurlRequest, word: str, rest: list[str]) -> None:
    if word in _IGNORED:
        return
    if word in _FLAGS:
        setattr(request, *_FLAGS[word])
        return
    if word not in _VALUES and word not in _IGNORED_VALUES:
        raise UsageError("curl-option", f"The curl option {word} is not supported here.", "Remove it.")
    if not rest:
        raise UsageError("curl-option", f"The curl option {word} needs a value.")
    value = rest.pop(0)
    if word in _VALUES:
        _value(request, _VALUES[word], value)


def _short(request: CurlRequest, word: str, rest: list[str]) -> None:
    """Short options can be run together, the last of them with its value: ``-sN``, ``-XPOST``."""
    letters = word[1:]
    while letters:
        option, letters = f"-{letters[0]}", letters[1:]
        if option in _VALUES or option in _IGNORED_VALUES:
            if letters:
                rest.insert(0, letters)
            _long(request, option, rest)
            return
        _long(request, option, [])


def _value(request: CurlRequest, name: str, value: str) -> None:
    if name in ("method", "url", "cacert"):
        setattr(request, name, value)
    elif name in ("max_time", "connect_timeout"):
        setattr(request, name, _seconds(value))
    elif name == "header":
        request.header(value)
    elif name == "user":
        request.user(value)
    elif name == "bearer":
        request.default("Authorization", f"Bearer {value}")
    elif name in ("User-Agent", "Referer", "Cookie"):
        request.headers.append((name, value))
    elif name == "json":
        request.add_data(value, keep_lines=True)
        request.default("Content-Type", "application/json")
    elif name == "urlencode":
        key, equals, text = value.partition("=")
        named = _bytes(f"{key}{'=' if key else ''}") if equals else b""
        request.data.append(named + quote(_bytes(text if equals else key)).encode())
    else:
        request.add_data(value, files=name != "raw", keep_lines=name == "binary")


def _seconds(text: str) -> float | None:
    """A time limit in seconds; None for 0, which means no limit in curl."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise UsageError("curl-option", f"{text!r} is not a number of seconds.")
    return seconds or None


def _bytes(text: str) -> bytes:
    """The bytes of an argument; bytes that were not UTF-8 on the command line come out unchanged."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def split(command: str) -> list[str]:
    """The words of a POSIX shell command, ``$'...'`` as browsers write it included. Raises `UsageError`."""
    words: list[str] = []
    word: str | None = None
    for found in _PART.finditer(command):
        kind, text = found.lastgroup, found[found.lastindex or 0]
        if kind == "space":
            if word is not None:
                words.append(word)
            word = None
        elif kind == "open":
            raise UsageError(
                "curl-quotes", f"Unclosed quote in the curl command at character {found.start() + 1}."
            )
        elif kind != "joined":
            word = (word or "") + _UNQUOTED.get(kind or "", str)(text)
    return [*words, word] if word is not None else words


_PART = re.compile(
    r"""
    (?P<space>\s)
    | \\ (?: (?P<joined>\r\n?|\n) | (?P<escaped>.) )
    | \$'(?P<ansi_c>(?:[^'\\]|\\.)*)'
    | '(?P<single>[^']*)'
    | "(?P<double>(?:[^"\\]|\\.)*)"
    | (?P<open>\$'|['"])
    | (?P<plain>.)
    """,
    re.DOTALL | re.VERBOSE,
)


def _double(text: str) -> str:
    return re.sub(r'\\(?:([$`"\\])|\r?\n)', lambda found: found[1] or "", text)


def _dollar(text: str) -> str:
    plain = re.sub(r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|[0-7]{1,3}|.)", _ansi_c, text, flags=re.DOTALL)
    # Browsers write a character above U+FFFF as two UTF-16 surrogates.
    return _PAIR.sub(lambda found: found[0].encode("utf-16", "surrogatepass").decode("utf-16"), plain)


_UNQUOTED: dict[str, Callable[[str], str]] = {"double": _double, "ansi_c": _dollar}


def _ansi_c(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xu" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8))
    return _ESCAPES.get(code, code)

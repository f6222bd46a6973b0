"""Which format an input is in, by its first bytes."""

from __future__ import annotations

import re
from typing import Literal

from sse_tui.recording.imports import devtools, timed_log
from sse_tui.recording.records import FORMAT

SNIFF_BYTES = 4096

Kind = Literal[
    "recording", "event-stream", "http", "curl-verbose", "timed-log", "devtools", "har", "cassette"
]

_BOM = b"\xef\xbb\xbf"
_HTTP = re.compile(rb"HTTP/\d(?:\.\d)? \d{3}(?: |\r?$)|[A-Z]{3,10} \S+ HTTP/\d(?:\.\d)?\r?$")
# curl's first remarks, its progress meter, or the first line of a head.
_CURL = re.compile(
    rb"\* (?: +Trying |Trying |Host |Hostname |Connected to |Re-?using |Rebuilt URL|About to |Uses proxy|Could not "
    rb"|Establish |Added |IPv[46]: |STATE: |Expire |processing: |Note: |Unable |Using |Closing |WARNING: |!!! )"
    rb"|> [A-Z]+ \S+ HTTP/\d|< HTTP/\d|  % Total    % Received"
)
_DOCUMENT = re.compile(rb"\s*(?:[{\[]|---|#|%YAML)")
_HAR = re.compile(rb'\s*\{\s*"log"\s*:\s*\{')
_CASSETTE = re.compile(
    rb"(?:\s*(?:---[^\r\n]*|#[^\r\n]*|%YAML[^\r\n]*|version: ?\S+|recorded_with: [^\r\n]*)\r?\n)*"
    rb"\s*(?:http_)?interactions:"
    rb'|\s*\{\s*(?:"(?:version|recorded_with)"\s*:\s*[^,{}\[\]]+,\s*)?"(?:http_)?interactions"\s*:'
)


def enough(first: bytes) -> bool:
    """Whether these first bytes are enough to recognise the format; `SNIFF_BYTES` always are."""
    if len(first) >= SNIFF_BYTES:
        return True
    if b"\n" not in first and b"\r" not in first:
        return False
    return kind_of(first) != "event-stream" or not (_DOCUMENT.match(first) or devtools.may_be_table(first))


def kind_of(first: bytes) -> Kind:
    """The format of an input with these first bytes; a raw event stream if it is none of the others."""
    first = first.removeprefix(_BOM)
    line = first.partition(b"\n")[0]
    if line.strip().startswith(b"{") and f'"{FORMAT}"'.encode() in line:
        return "recording"
    if _HTTP.match(line):
        return "http"
    if _CURL.match(line):
        return "curl-verbose"
    if _HAR.match(first):
        return "har"
    if _CASSETTE.match(first):
        return "cassette"
    if devtools.is_table(first, cut=len(first) >= SNIFF_BYTES - len(_BOM)):
        return "devtools"
    if timed_log.is_timed_log(first.split(b"\n")[:16]):
        return "timed-log"
    return "event-stream"

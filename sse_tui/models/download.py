"""Downloads a file over HTTP into a part file: resumed after an interruption, hashed as it arrives.

A part is continued only if it is certain to be part of the same file: ``If-Range`` with a strong validator says so
(RFC 9110, section 13.1.5), or the complete file is checked against a known hash. Otherwise the download starts over.
"""

from __future__ import annotations

import hashlib
import os
import re
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from sse_tui.errors import ModelError
from sse_tui.models.disk import BLOCK, disk_errors, require_space
from sse_tui.models.progress import ProgressReporter

_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
_DELAYS_S = (0.2, 1.0, 3.0)
_RANGE = re.compile(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)")


@dataclass(frozen=True, slots=True)
class DownloadSource:
    """A file on a server. Its first bytes must be `begins`; `sha256` and `size` are None if unknown."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    sha256: str | None = None
    size: int | None = None
    begins: bytes = b""


def fetch(source: DownloadSource, part: Path, report: ProgressReporter) -> str:
    """Download `source`, or the rest of it, to `part`. Returns the SHA-256 of the complete file.

    Raises `ModelError`: download-network, download-refused, download-not-it, disk-full, model-hash. A part
    that can be continued is kept; a wrong one is removed.
    """
    transfer = _Transfer(source, part, report)
    with httpx.Client(verify=_tls(), timeout=_TIMEOUT, follow_redirects=True) as client:
        delays = iter(_DELAYS_S)
        while True:
            had = transfer.done
            try:
                transfer.attempt(client)
                break
            except httpx.TransportError as error:
                if transfer.done > had:
                    delays = iter(_DELAYS_S)
                delay = next(delays, None)
                if delay is None:
                    raise ModelError(
                        "download-network",
                        f"The download from {httpx.URL(source.url).host} failed: {str(error) or type(error).__name__}.",
                        "Check the network connection and run the command again: "
                        "the download continues where it stopped.",
                    ) from error
                _sleep(delay, transfer.report)
            except httpx.InvalidURL as error:
                raise ModelError("download-url", f"Invalid URL {source.url!r}: {error}.") from error
    _validator_file(part).unlink(missing_ok=True)
    digest = transfer.digest.hexdigest()
    if source.sha256 is not None and digest != source.sha256:
        part.unlink(missing_ok=True)
        raise ModelError(
            "model-hash",
            f"The file downloaded from {source.url} is not the expected one: its SHA-256 is {digest}, "
            f"not {source.sha256}. It was deleted.",
            "Try again. If it happens again, the file on the server has changed.",
        )
    return digest


class _Transfer:
    """The state of one download, which may take several connections."""

    def __init__(self, source: DownloadSource, part: Path, report: ProgressReporter) -> None:
        self._source = source
        self._part = part
        self._report = report
        self.digest = hashlib.sha256()
        self.done = 0
        self.total = source.size
        self._continue_part()

    def report(self) -> None:
        """Report the progress."""
        self._report("download", self.done, self.total)

    def attempt(self, client: httpx.Client) -> None:
        """Request what is missing. Raises `httpx.TransportError` if the connection breaks."""
        if self.total is not None and self.done == self.total:
            return
        self.report()
        with client.stream("GET", self._source.url, headers=self._headers()) as response:
            if response.status_code == 416:
                self._past_the_end(response)
                return
            if not response.is_success:
                status = f"{response.status_code} {response.reason_phrase}"
                raise ModelError(
                    "download-refused", f"{self._source.url} returned {status}.", "Check the URL."
                )
            self._begin(response)
            with disk_errors(self._part), self._part.open("ab", buffering=BLOCK) as file:
                for block in response.iter_raw():
                    self._check_start(block)
                    file.write(block)
                    self._take(block)
        if self.total is not None and self.done < self.total:
            raise httpx.ReadError(f"the connection ended at {self.done} of {self.total} bytes")

    def _take(self, block: bytes) -> None:
        self.digest.update(block)
        self.done += len(block)
        self.report()

    def _continue_part(self) -> None:
        """Continue with the part of an earlier run, if there is one."""
        if not self._part.exists():
            return
        if self._source.sha256 is None and not _validator_file(self._part).exists():
            self._start_over()
            return
        with self._part.open("rb") as file:
            while block := file.read(BLOCK):
                self._take(block)
        if self.total is not None and self.done > self.total:
            self._start_over()

    def _headers(self) -> dict[str, str]:
        # A range counts the bytes of the representation that is sent: a content coding would change them.
        headers = {**self._source.headers, "Accept-Encoding": "identity"}
        if self.done:
            headers["Range"] = f"bytes={self.done}-"
            try:
                headers["If-Range"] = _validator_file(self._part).read_text()
            except OSError:
                pass
        return headers

    def _begin(self, response: httpx.Response) -> None:
        """Prepare for the body: the rest of the file, or all of it."""
        answered = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if response.status_code == 206 and answered is not None and answered[1] == str(self.done):
            self.total = int(answered[2]) if answered[2] != "*" else self.total
        else:
            if self.done:
                self._start_over()
            length = response.headers.get("Content-Length", "")
            self.total = int(length) if length.isdecimal() else self._source.size
        if self._source.size is not None and self.total != self._source.size:
            raise ModelError(
                "download-not-it",
                f"The file at {self._source.url} has {self.total} bytes; {self._source.size} were expected.",
            )
        require_space(self._part.parent, (self.total or 0) - self.done)
        # If-Range may carry a strong entity tag or a date.
        validator = response.headers.get("ETag", "")
        if not validator.startswith('"'):
            validator = response.headers.get("Last-Modified", "")
        if validator:
            _validator_file(self._part).write_text(validator)
        else:
            _validator_file(self._part).unlink(missing_ok=True)

    def _check_start(self, block: bytes) -> None:
        begins = self._source.begins
        if self.done == 0 and block[: len(begins)] != begins[: len(block)]:
            raise ModelError(
                "download-not-it", f"{self._source.url} is not a GGUF file: it starts with {block[:40]!r}."
            )

    def _past_the_end(self, response: httpx.Response) -> None:
        """416 Range Not Satisfiable: the part is already complete, or is part of another file."""
        answered = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if answered is not None and answered[2] == str(self.done):
            self.total = self.done
            return
        self._start_over()
        raise httpx.ReadError("the file on the server has changed")

    def _start_over(self) -> None:
        self._part.unlink(missing_ok=True)
        self.digest = hashlib.sha256()
        self.done = 0


def _validator_file(part: Path) -> Path:
    return part.with_name(part.name + ".etag")


def _tls() -> ssl.SSLContext:
    """Trusts the certificates that httpx brings, the system's, and those that pip is configured with."""
    context = httpx.create_ssl_context()
    context.load_default_certs()
    for name in ("PIP_CERT", "REQUESTS_CA_BUNDLE"):
        path = os.environ.get(name)
        if path and os.path.isfile(path):
            context.load_verify_locations(cafile=path)
    return context


def _sleep(delay: float, report: Callable[[], None]) -> None:
    """Wait before the next attempt, in short sleeps so that a cancellation is noticed."""
    end = time.monotonic() + delay
    while time.monotonic() < end:
        report()
        time.sleep(min(0.1, delay))

"""What a bundle must not hold: secrets by name, by configuration, by form, and those that were given."""

from __future__ import annotations

from collections.abc import Iterable

from sse_tui.config import Config
from sse_tui.diagnosis.scanner import SECRET
from sse_tui.errors import SseTuiError, UsageError
from sse_tui.recording import Redactor
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.masking import PATTERN_REACH, SHORTEST, can_be_known
from sse_tui.recording.records import Chunk, Record, Request, Response

MOST = 1000


def bundle_redactor(config: Config | None = None, secrets: Iterable[str] = ()) -> Redactor:
    """A redactor that knows the `secrets` given, what the configuration holds and the forms of well-known keys.

    Raises `UsageError` for a secret that cannot be searched for.
    """
    section = (config or Config()).recording
    redactor = Redactor(
        section.redact_headers, [*section.redact_patterns, SECRET.pattern.decode("ascii")], most=MOST
    )
    for profile in (config or Config()).profiles.values():
        # Read as a request would be: headers and the password of the URL, by their names.
        redactor.record(
            Request(t=0, method="GET", url=profile.base_url or "", headers=list(profile.headers.items()))
        )
    for secret in secrets:
        if not can_be_known(secret.strip()):
            raise UsageError(
                "secret-too-plain",
                f"A secret has fewer than {SHORTEST} characters, or is a common word such as 'unused'.",
                "Such text occurs by chance, so it can be neither masked nor searched for.",
            )
        redactor.learn(secret)
    return redactor


def successor(first: Redactor, config: Config | None = None) -> Redactor:
    """A redactor for another pass over the same records, which knows from the start what `first` came to know."""
    return bundle_redactor(config, first.secrets)


class Survey:
    """Reads all records once, so that a secret is known before it occurs for the first time.

    A live recording cannot do that: what turns out to be a secret later has been written by then.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._before: dict[int, bytes] = {}
        self._decoders: dict[int, ContentDecoder] = {}

    def see(self, record: Record) -> None:
        """Take the next record."""
        if isinstance(record, Chunk):
            self._body(record)
            return
        self._redactor.record(record)
        if isinstance(record, Response):
            self._decoders[record.conn] = ContentDecoder(record.headers)
        if len(self._redactor.secrets) >= MOST:
            raise SseTuiError(
                "too-many-secrets",
                f"The recording has {MOST:,} secrets or more: too many to verify that all of them are gone.",
                "Export one connection and bundle that: sse-tui export --conn N.",
            )

    def _body(self, record: Chunk) -> None:
        data = record.data
        if record.conn in self._decoders:
            data = self._decoders[record.conn].decode(data)
        window = self._before.get(record.conn, b"") + data
        self._before[record.conn] = window[-PATTERN_REACH:]
        self._redactor.learn_matches(window.decode("utf-8", "replace"))

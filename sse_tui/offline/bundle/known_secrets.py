"""What a bundle must not hold: secrets by name, by configuration, by form, and those that were given."""

from __future__ import annotations

from collections.abc import Iterable

from sse_tui.config import Config
from sse_tui.diagnosis.scanner import SECRET
from sse_tui.errors import SseTuiError, UsageError
from sse_tui.recording import Redactor
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.masking import PATTERN_REACH
from sse_tui.recording.record_lines import encode_line
from sse_tui.recording.records import Chunk, Close, Record, Request, Response
from sse_tui.recording.secret_hashes import HashedSecrets
from sse_tui.recording.secret_values import SHORTEST, can_be_known

MOST = 1000
_LONGEST_LINE = 1 << 16


def bundle_redactor(config: Config | None = None, secrets: Iterable[str] = ()) -> Redactor:
    """A redactor that knows the `secrets` given, what the configuration holds and the forms of well-known keys.

    Raises `UsageError` for a secret that cannot be searched for.
    """
    config = config or Config()
    section = config.recording
    redactor = Redactor(
        section.redact_headers, [*section.redact_patterns, SECRET.pattern.decode("ascii")], most=MOST
    )
    for profile in config.profiles.values():
        # Read as a request would be: headers and the password of the URL, by their names.
        redactor.request(
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


def learn_secrets(redactor: Redactor, records: Iterable[Record], used: HashedSecrets | None = None) -> None:
    """Read all records once, so that `redactor` knows each secret before it occurs for the first time.

    A live recording cannot do that: what turns out to be a secret later has been written by then. Of the secrets that
    the session `used` only hashes are known; where a text has one of them, it is a secret too.
    """
    reach = max(PATTERN_REACH, used.reach if used is not None else 0)
    ends: dict[int, bytes] = {}
    lines: dict[int, bytes] = {}
    decoders: dict[int, ContentDecoder] = {}

    def learn_used(text: bytes) -> None:
        for secret in used.found(text) if used is not None else ():
            redactor.learn(secret)

    def learn_lines(conn: int, data: bytes, most: int = _LONGEST_LINE) -> None:
        """Learn what the JSON and the URLs of whole lines name as secrets."""
        whole, end, rest = (lines.pop(conn, b"") + data).rpartition(b"\n")
        if end or len(rest) > most:
            redactor.learn_fields((whole or rest).decode("utf-8", "replace"))
        if len(rest) <= most:
            lines[conn] = rest

    for record in records:
        if isinstance(record, Chunk):
            conn, data = record.conn, record.data
            if conn in decoders:
                data = decoders[conn].decode(data)
            window = ends.get(conn, b"") + data
            ends[conn] = window[-reach:]
            redactor.learn_matches(window.decode("utf-8", "replace"))
            learn_used(window)
            learn_lines(conn, data)
            continue
        redactor.record(record)
        learn_used(encode_line(record))
        if isinstance(record, Close):
            learn_lines(record.conn, b"", -1)
        if isinstance(record, Response):
            decoders[record.conn] = ContentDecoder(record.headers)
        if len(redactor.secrets) >= MOST:
            raise SseTuiError(
                "too-many-secrets",
                f"The recording has {MOST:,} secrets or more: too many to verify that all of them are gone.",
                "Export one connection and bundle that: sse-tui export --conn N.",
            )

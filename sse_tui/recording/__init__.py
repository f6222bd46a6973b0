"""Recordings: the record types, the file they are in, and everything that reads or writes it.

The format, version 1
---------------------

A file of UTF-8 JSON lines, one object a line, each ended by LF, extension `.sse.jsonl`. The first line is
the header, every other line a record. A file is only ever appended to; cut anywhere, it is a recording up
to its last whole line. A field that has its default may be missing. A reader passes over fields and kinds
that it does not know (they are additions within the version); it refuses another `version`, whose fields
may mean something else.

The header: `format` ("sse-recording"), `version` (1), `tool` (what wrote it), `created` (RFC 3339), `clock`
(where chunk times come from: "kernel", "read", "imported" for those of another tool, or "none" when times mean
nothing), `redacted` (names whose
values are never written: headers, query parameters and body fields; "*" stands for anything, "pattern:N"
for a user's own).

Every record: `t` (integer, nanoseconds since the session started), `k` (the kind), `turn` (which request of
the user, from 1; default 0, none), `conn` (which connection, from 1 over the whole session; default 0,
none). Then by kind, "?" marking what may be missing:

- `request`: `method`, `url`, `headers` ([[name, value], ...] in order), `body`? (text) or `body_b64`?
(base64, when it
  is not UTF-8), `dialect`? (how the answer is to be read)
- `phase`: `name` (dns, tcp, tls, sent, headers, first_byte), `dt` (nanoseconds it lasted, up to `t`)
- `response`: `status`, `http_version`, `headers`
- `chunk`: one read of the body, transfer coding removed and content coding kept: `text`, or `b64` when
these bytes on
  their own are not UTF-8 (a read may end inside a character); `clock`? where it is not the header's
- `fault`: `plan` (what was asked for), `at` (where it fired), `did` (what was done)
- `close`: `reason` (eof, incomplete, reset, timeout, client, fault, refused, error), `detail`?
- `reconnect`: `delay_ms`, `last_event_id` ("" when none is sent), `policy`, `attempt`? (default 1)
- `note`: `text`
- `end`: `reason`

A redacted value reads "[redacted]", in a URL "redacted", and in a chunk as many asterisks as it had bytes.
"""

from sse_tui.recording.follower import Follower
from sse_tui.recording.importing import enough, open_any, raw_header, raw_records, sniff, untimed
from sse_tui.recording.imports import Kind, Piece, import_pieces
from sse_tui.recording.index import BodyIndex, BodyReader
from sse_tui.recording.reader import Recording, read_recording
from sse_tui.recording.record_lines import Damage
from sse_tui.recording.records import (
    FORMAT,
    VERSION,
    Chunk,
    Close,
    CloseReason,
    End,
    Fault,
    Header,
    Headers,
    Note,
    Phase,
    Reconnect,
    Record,
    Request,
    Response,
    chunk,
)
from sse_tui.recording.redact import Redactor
from sse_tui.recording.session_folder import (
    is_kept,
    is_running,
    mark_kept,
    new_path,
    prune,
    recordings,
)
from sse_tui.recording.writer import Writer

__all__ = [
    "FORMAT",
    "VERSION",
    "BodyIndex",
    "BodyReader",
    "Chunk",
    "Close",
    "CloseReason",
    "Damage",
    "End",
    "Fault",
    "Follower",
    "Header",
    "Headers",
    "Kind",
    "Note",
    "Phase",
    "Piece",
    "Reconnect",
    "Record",
    "Recording",
    "Redactor",
    "Request",
    "Response",
    "Writer",
    "chunk",
    "enough",
    "import_pieces",
    "is_kept",
    "is_running",
    "mark_kept",
    "new_path",
    "open_any",
    "prune",
    "raw_header",
    "raw_records",
    "read_recording",
    "recordings",
    "sniff",
    "untimed",
]

"""Recordings: the record types, the file format, and everything that reads or writes it.

The format, version 1
---------------------

A file of UTF-8 JSON lines, one object per line, each ended by LF, with the extension `.sse.jsonl`. The first line is
the header, every other line a record. A file is only ever appended to; cut off anywhere, it is a recording up to its
last complete line. A field with its default value may be missing. A reader skips fields and kinds it does not know
(additions within the version) and rejects any other `version`, whose fields may have other meanings.

The header: `format` ("sse-recording"), `version` (1), `tool` (what wrote it), `created` (RFC 3339), `clock` (the source
of chunk times: "kernel", "read", "imported" for those of another tool, or "none" if times have no meaning), `redacted`
(names whose values are never written: headers, query parameters and body fields; "*" matches anything, "pattern:N"
is one of the user's patterns).

Every record: `t` (integer, nanoseconds since the session started), `k` (the kind), `turn` (the number of the user's
request, from 1; default 0, none), `conn` (the number of the connection, from 1, over the whole session; default 0,
none). Then, by kind, with "?" after what may be missing:

- `request`: `method`, `url`, `headers` ([[name, value], ...] in order), `body`? (text) or `body_b64`? (base64, if it
  is not UTF-8), `dialect`? (how to read the answer)
- `phase`: `name` (dns, tcp, tls, sent, headers, first_byte), `dt` (its duration in nanoseconds, up to `t`)
- `response`: `status`, `http_version`, `headers`, `refused`? (whether a body with status 200 that is not
  text/event-stream was left unread, or read all the same)
- `chunk`: one read of the body, with the transfer coding removed and the content coding kept: `text`, or `b64` if these
  bytes alone are not UTF-8 (a read may end inside a character); `clock`? if it differs from the header's
- `fault`: `plan` (what was requested), `at` (where it fired), `did` (what was done)
- `close`: `reason` (eof, incomplete, reset, timeout, client, fault, refused, error), `detail`?
- `reconnect`: `delay_ms`, `last_event_id` ("" if none is sent), `policy`, `attempt`? (default 1)
- `note`: `text`
- `end`: `reason`

A redacted value is "[redacted]", in a URL "redacted", and in a chunk one asterisk for each of its bytes.
Where a request held secrets, a body under gzip or deflate is decoded, masked and encoded anew, a read at a time.
"""

from sse_tui.recording.follower import Follower
from sse_tui.recording.importing import enough, open_any, sniff
from sse_tui.recording.imports import Piece, import_pieces
from sse_tui.recording.index import BodyIndex, BodyReader
from sse_tui.recording.reader import Recording, read_recording
from sse_tui.recording.redact import Redactor
from sse_tui.recording.session_folder import is_running, mark_kept, new_path, prune
from sse_tui.recording.writer import Writer

__all__ = [
    "BodyIndex",
    "BodyReader",
    "Follower",
    "Piece",
    "Recording",
    "Redactor",
    "Writer",
    "enough",
    "import_pieces",
    "is_running",
    "mark_kept",
    "new_path",
    "open_any",
    "prune",
    "read_recording",
    "sniff",
]

"""Captures of other tools, recognised by their first bytes and converted to records. One module per format.

- `http_dump`: ``curl -i``, mitmproxy's ``export raw_response``: status line, headers, body.
- `curl_verbose`: ``curl -v``: lines with ``*``, ``>``, ``<`` among the body.
- `timed_log`: lines with a time before each, as moreutils' ``ts`` and loggers write them.
- `devtools`: rows copied from the EventStream tab of a browser's developer tools.
- `har`: HTTP archives of Chrome, Firefox, and our own with the times of every read.
- `cassette`: VCR cassettes, YAML or JSON.

The input consists of pieces: (nanoseconds, bytes); in a file without times, all times are 0. Formats that are a single
document are read completely, up to `whole_documents.DOCUMENT_LIMIT`; the others as they arrive.
"""

from sse_tui.recording.imports.dispatch import Imported, import_pieces, raw_records
from sse_tui.recording.imports.piece import Piece
from sse_tui.recording.imports.sniffing import Kind, kind_of

__all__ = ["Imported", "Kind", "Piece", "import_pieces", "kind_of", "raw_records"]

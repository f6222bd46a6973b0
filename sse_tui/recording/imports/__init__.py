"""What others captured, told apart by its first bytes and turned into records. One module a format.

- `http_dump`: ``curl -i``, mitmproxy's ``export raw_response``: status line, headers, body.
- `curl_verbose`: ``curl -v``: lines with ``*``, ``>``, ``<`` among the body.
- `timed_log`: lines with a time before each, as moreutils' ``ts`` and loggers write them.
- `devtools`: rows copied from the EventStream tab of a browser's developer tools.
- `har`: HTTP archives of Chrome, Firefox, and our own with the times of every read.
- `cassette`: VCR cassettes, YAML or JSON.

What comes in are pieces: (nanoseconds, bytes), the times all 0 for a file that was not stamped. Formats that are
one document are read whole, up to `whole_documents.DOCUMENT_LIMIT`; the others as they come.
"""

from sse_tui.recording.imports.dispatch import Imported, import_pieces
from sse_tui.recording.imports.piece import Piece
from sse_tui.recording.imports.sniffing import Kind, kind_of

__all__ = ["Imported", "Kind", "Piece", "import_pieces", "kind_of"]

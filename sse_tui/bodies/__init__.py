"""Bodies in other forms than an event stream: what a body is by its first bytes, and its items whatever it is.

No I/O and no clock. Whoever reads a body reads it with `BodyItems`.
"""

from sse_tui.bodies.body_form import Form, FormFinder
from sse_tui.bodies.body_items import OWN_READERS, BodyItems, ItemReader, reader_of
from sse_tui.bodies.stream_types import is_json_answer, is_stream_type

__all__ = [
    "OWN_READERS",
    "BodyItems",
    "Form",
    "FormFinder",
    "ItemReader",
    "is_json_answer",
    "is_stream_type",
    "reader_of",
]

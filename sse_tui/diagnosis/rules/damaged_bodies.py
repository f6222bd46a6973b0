"""The rule about damage in bodies that are not an event stream, but are read all the same."""

from __future__ import annotations

from sse_tui.bodies import Form
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import IGNORED, TAIL, Occurrence, also, rule
from sse_tui.eventstream import Ignored, Tail
from sse_tui.text.wording import many

_JSON = (Form.ARRAY, Form.OBJECT)


@rule(
    "error",
    IGNORED,
    advice="Look for what rewrites the body on the way: frames must be passed on byte for byte.",
    reference="the Amazon Event Stream specification of Smithy; BerriAI/litellm#32159",
)
def damaged_body(ignored: Ignored, facts: Facts) -> Occurrence | None:
    """A frame with a wrong checksum or an impossible length, or a frame or a JSON value that is cut off."""
    if facts.conn.body.form is not Form.FRAMES:
        return None
    return Occurrence(
        f"At byte {ignored.start:,} there is {ignored.line}. It was skipped; AWS SDKs raise an error and "
        "end the stream.",
        evidence={"bytes": ignored.end - ignored.start},
    )


@also("damaged-body", TAIL)
def cut_body(tail: Tail, facts: Facts) -> Occurrence | None:
    """The body ends inside a frame or a value."""
    size = tail.end - tail.start
    if facts.conn.body.form is Form.FRAMES:
        return Occurrence(
            f"The body ends inside {tail.text}, from byte {tail.start:,} on.", evidence={"bytes": size}
        )
    if facts.conn.body.form in _JSON:
        return Occurrence(
            f"The body ends inside a JSON value, {many(size, 'byte')} after its beginning at byte {tail.start:,}; that "
            "part was not read.",
            evidence={"bytes": size},
            advice="Check proxies for time and size limits. A JSON parser that wants the whole body fails on it.",
        )
    return None

from __future__ import annotations

import pytest

from sse_tui.dialects import create
from sse_tui.dialects.base import Malformed, Meta
from sse_tui.eventstream import Event

POSITION = '[{"topic":"t","partition":0,"timestamp":1},{"topic":"u","partition":0,"offset":-1}]'


def test_mercure_needs_ids() -> None:
    hub = create("mercure")
    assert list(hub.read(Event("message", '{"a":1}', "urn:uuid:1", 0, 0))) == [Meta("data", '{"a":1}')]
    assert isinstance(hub.read(Event("message", "x", "", 0, 0))[0], Malformed)
    assert (hub.ended, hub.complete, hub.resume, hub.answers) == (False, None, "last-event-id", False)


def test_wikimedia() -> None:
    stream = create("wikimedia")
    canary = '{"meta":{"domain":"canary"}}'
    assert list(stream.read(Event("message", canary, POSITION, 0, 0))) == [Meta("ping", canary)]
    assert list(stream.read(Event("message", '{"title":"x"}', POSITION, 0, 0))) == [
        Meta("data", {"title": "x"})
    ]
    assert list(stream.read(Event("message", "", "", 0, 0))) == [Meta("ping", "")]
    for broken in ("{", "3"):
        assert isinstance(stream.read(Event("message", broken, "", 0, 0))[0], Malformed)
    assert (stream.ended, stream.complete) == (False, None)


@pytest.mark.parametrize(
    ("event", "name"),
    [
        (Event("message", '{"meta":{"domain":"canary"}}', POSITION, 0, 0), "wikimedia"),
        (Event("message", '{"meta":{"domain":"w","stream":"mediawiki.page-create"}}', "", 0, 0), "wikimedia"),
        (Event("message", '{"a":1}', "urn:uuid:9d4c", 0, 0), "mercure"),
        (Event("output", "Hi", "17:1", 0, 0), "replicate"),
        (Event("output", '{"text":"Hi"}', "1", 0, 0), "generic"),
    ],
)
def test_told_by_their_ids(event: Event, name: str) -> None:
    dialect = create("auto")
    dialect.read(event)
    assert dialect.name == name

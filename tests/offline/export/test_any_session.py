"""Every export and every form of the report of any session at all, odd characters in it included."""

from __future__ import annotations

import ast
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.errors import RecordingError
from sse_tui.offline.export import read_tape
from sse_tui.offline.export.curl_command import curl_command
from sse_tui.offline.export.har_file import har
from sse_tui.offline.export.pytest_file import pytest_file
from sse_tui.offline.replay import Script
from sse_tui.offline.report import html, junit, markdown, plain, report_json, report_of
from sse_tui.recording.records import Header, Record, Request
from sse_tui.text.json_line import to_json
from tests.offline.export.test_har_file import sessions

ODD = st.text(st.characters(), max_size=10)


@st.composite
def odd_sessions(draw: st.DrawFn) -> list[Record]:
    """With lone surrogates and controls where an archive can have them."""
    records = draw(sessions())
    request = records[0]
    assert isinstance(request, Request)
    headers = draw(st.lists(st.tuples(ODD, ODD), max_size=3))
    odd = Request(t=0, turn=1, conn=1, method=draw(ODD), url=draw(ODD), headers=headers, body=request.body)
    return [odd, *records[1:]] if draw(st.booleans()) else records[1:]


@settings(max_examples=150, deadline=None)
@given(odd_sessions(), st.sampled_from(["none", "read", "imported"]))
def test_nothing_fails(records: list[Record], clock: str) -> None:
    header = Header(clock=clock, created="")
    tape = read_tape(header, records)
    json.loads(to_json(har(tape)))
    ast.parse(pytest_file(list(tape.connections.values())))
    for conn in tape.connections.values():
        try:
            command = curl_command(conn)
        except RecordingError:
            assert conn.request is None
        else:
            assert command.encode("utf-8", "replace")
    script = Script(tape)
    for last_event_id in ("", "1", "x"):
        assert script.answer("/", last_event_id).status
    report = report_of(header, records, "any")
    for render in (plain.render, markdown.render, html.render, junit.render):
        assert render(report).encode("utf-8", "replace")
    json.loads(to_json(report_json.render(report)))

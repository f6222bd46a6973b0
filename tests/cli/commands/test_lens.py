"""``sse-tui lens``, as it is run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sse_tui.recording.record_lines import encode_line
from sse_tui.recording.records import Header
from tests.analysis.story import Story, done, finish, token


def test_what_each_client_makes_of_a_raw_stream(cli: Callable[..., Any]) -> None:
    body = b"\xef\xbb\xbf" + token("one ") + token("two") + finish() + done()
    shown = cli("lens", "-", input=body)
    assert shown.code == 0
    assert "openai 3" in shown.out
    assert "loses 4 characters: 'one '" in shown.out
    told = cli("lens", "-", "--json", input=body)
    clients = {c["client"]: c for c in json.loads(told.out)["clients"]}
    assert (clients["the standard"]["text"], clients["openai"]["text"]) == ("one two", "two")
    assert clients["anthropic"]["events"] == 0


def test_a_recording_by_connection_and_content_type(cli: Callable[..., Any], tmp_path: Path) -> None:
    story = Story().request(0).response(1, headers=[("Content-Type", "text/html")]).read(2, token("a"))
    story.close(3, "eof").request(4).response(5, 404).read(6, b"no").close(7, "refused")
    story.request(8).response(9).read(10, token("b") + done()).close(11, "eof")
    path = tmp_path / "in.sse.jsonl"
    path.write_bytes(b"".join(encode_line(item) for item in (Header(), *story.records)))
    shown = cli("lens", str(path), "--json")
    looks = [json.loads(line) for line in shown.out.splitlines()]
    assert [look["conn"] for look in looks] == [1, 3]
    raised = {c["client"]: (c["raised"] or {}).get("name") for c in looks[0]["clients"]}
    assert (raised["the standard"], raised["httpx-sse"], raised["openai"]) == (
        "error event",
        "SSEError",
        None,
    )


def test_the_kind_of_end_is_replayed(cli: Callable[..., Any], tmp_path: Path) -> None:
    story = Story().request(0).response(1).read(2, token("a")).close(3, "reset")
    path = tmp_path / "in.sse.jsonl"
    path.write_bytes(b"".join(encode_line(item) for item in (Header(), *story.records)))
    assert "connection 1 (reset)" in cli("lens", str(path)).out
    (look,) = map(json.loads, cli("lens", str(path), "--json").out.splitlines())
    assert look["end"] == "reset"
    raised = {c["client"]: (c["raised"] or {}).get("name") for c in look["clients"]}
    assert (raised["openai"], raised["anthropic"]) == ("APIConnectionError", "ReadError")


def test_nothing_to_look_at(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "in.sse.jsonl"
    path.write_bytes(encode_line(Header()))
    shown = cli("lens", str(path))
    assert (shown.code, shown.out) == (0, "")
    assert "no connection" in shown.err

"""``rules``, ``--ignore`` and ``[rules]``: what a rule means, and which findings a user wants; the worst on stderr."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sse_tui.diagnosis import RULES

LOOSE = b"Data: a\ndata: b\n\n: hb\n\nevent: x\n\ndata: c\n\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\n\r\n"


@pytest.fixture
def loose(tmp_path: Path) -> str:
    path = tmp_path / "loose.sse"
    path.write_bytes(LOOSE)
    return str(path)


def rules_in(done: Any) -> dict[str, str]:
    return {finding["rule"]: finding["severity"] for finding in json.loads(done.out)["findings"]}


def test_all_rules_are_listed_the_worst_first(cli: Callable[..., Any]) -> None:
    lines = cli("rules").out.splitlines()
    assert [line.split()[1] for line in lines] == [
        rule.id
        for severity in ("error", "warning", "info")
        for rule in sorted(RULES.values())
        if rule.severity == severity
    ]


def test_one_rule_is_explained(cli: Callable[..., Any]) -> None:
    done = cli("rules", "unknown-field")
    assert done.out.startswith("unknown-field: warning\n\nA line whose field name")
    assert "Example:\n  Data: a\n" in done.out
    assert "What to do:\n" in done.out
    assert "Reference: " in done.out


def test_each_rule_is_one_json_object(cli: Callable[..., Any]) -> None:
    objects = [json.loads(line) for line in cli("rules", "--json").out.splitlines()]
    assert {one["rule"] for one in objects} == set(RULES)
    assert all(one["meaning"] and one["example"]["message"] and one["advice"] for one in objects)


def test_a_rule_that_is_not_there(cli: Callable[..., Any], loose: str) -> None:
    done = cli("rules", "unknown-feild")
    assert (done.code, done.err) == (
        2,
        "sse-tui: error: There is no rule 'unknown-feild'. Did you mean unknown-field?\n",
    )
    done = cli("report", loose, "--ignore", "unknown-feild")
    assert done.code == 2
    assert "--ignore" in done.err
    assert "Did you mean unknown-field?" in done.err


def test_ignored_rules_find_nothing_and_fail_nothing(cli: Callable[..., Any], loose: str) -> None:
    found = rules_in(cli("report", loose, "--format", "json"))
    assert found["unknown-field"] == found["event-without-data"] == "warning"
    assert cli("report", loose, "--fail-on", "warning").code == 1
    ignored = [rule for name in sorted(found) if found[name] != "info" for rule in ("--ignore", name)]
    assert cli("report", loose, "--fail-on", "warning", *ignored).code == 0
    left = rules_in(cli("report", loose, "--format", "json", "--ignore", "unknown-field"))
    assert left == {name: found[name] for name in found if name != "unknown-field"}


def test_the_configuration_sets_severities(cli: Callable[..., Any], loose: str, tmp_path: Path) -> None:
    path = tmp_path / "strict.toml"
    path.write_text('[rules]\nunknown-field = "error"\nevent-without-data = "off"\n')
    done = cli("report", loose, "--format", "json", "--config", str(path))
    assert done.code == 1
    found = rules_in(done)
    assert found["unknown-field"] == "error"
    assert "event-without-data" not in found
    explained = cli("rules", "unknown-field", "--config", str(path)).out
    assert explained.startswith("unknown-field: warning (error by the configuration)\n")
    by_environment = {"SSE_TUI_RULES__UNKNOWN_FIELD": "info"}
    assert (
        rules_in(cli("report", loose, "--format", "json", more_env=by_environment))["unknown-field"] == "info"
    )


def test_a_mistake_in_the_configuration_is_named(cli: Callable[..., Any], loose: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text('[rules]\nidle_gap = "info"\n')
    done = cli("report", loose, "--config", str(path))
    assert done.code == 2
    assert f"{path}:2: rules.idle_gap: There is no rule 'idle_gap'. Did you mean idle-gap?" in done.err
    path.write_text('[rules]\nidle-gap = "quiet"\n')
    assert f"{path}:2" in cli("report", loose, "--config", str(path)).err


def test_the_worst_finding_is_on_stderr(
    cli: Callable[..., Any], server: Callable[..., str], loose: str
) -> None:
    def answer(connection: socket.socket, _head: bytes) -> None:
        connection.sendall(HEAD + LOOSE)

    for source in (loose, server(answer)):
        done = cli("tail", source, "--reconnect", "never") if source != loose else cli("tail", source)
        assert done.code == 0
        assert done.out == "b\nc\n"
        lines = [line for line in done.err.splitlines() if line.startswith("sse-tui: warning: ")]
        assert len(lines) == 1
        assert re.search(r": [a-z-]+: .*\(.*byte \d+.*\) Also: [a-z-]+", lines[0])
    assert "unknown-field" in cli("tail", loose).err
    assert "unknown-field" not in cli("tail", loose, "--ignore", "unknown-field").err


def test_what_the_error_says_is_not_said_twice(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "cut.sse"
    path.write_bytes(
        b'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
    )
    done = cli("tail", str(path))
    assert done.code == 4
    assert done.err.count("truncated") == 1


def test_how_a_stream_ended_does_not_depend_on_what_is_ignored(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "page.sse"
    path.write_bytes(b"<html><title>502 Bad Gateway</title>")
    settings = tmp_path / "mild.toml"
    settings.write_text('[rules]\nwrong-content-type = "info"\n')
    usual = cli("tail", str(path))
    assert usual.code == 3
    assert cli("tail", str(path), "--ignore", "wrong-content-type") == usual
    assert cli("tail", str(path), "--config", str(settings)) == usual
    assert cli("report", str(path), "--ignore", "wrong-content-type").code == 0


def test_an_error_in_plain_text_is_said_once(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "notice.sse"
    chunk = b'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
    path.write_bytes(chunk + b"data: Rate limit exceeded, try again later\n\n")
    done = cli("tail", str(path))
    assert done.code == 4
    assert done.err.count("sse-tui: ") == 1
    assert "Rate limit exceeded" in done.err

"""``sse-tui bundle`` as a user runs it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from sse_tui.eventstream import encode

KEY = "Key-0123456789-abcdef"
STREAM = encode(
    data=json.dumps(
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "hello"}}]}
    )
) + encode(data="[DONE]")


def test_a_pipe_with_a_screenshot(cli: Callable[..., Any], tmp_path: Path) -> None:
    done = cli("bundle", "-", "--screenshot", "-o", "b.zip", input=STREAM)
    assert (done.code, done.out) == (0, "b.zip\n"), done.err
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        svg = archive.read("b/screenshot.svg").decode()
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    assert "hello" in svg
    assert "@font-face" not in svg


def test_keys_come_from_the_configuration_and_the_environment(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "a.sse").write_bytes(STREAM + encode(data=f"{KEY} other-0123456789"))
    (tmp_path / "c.toml").write_text('[profiles.x]\nbase_url = "http://h/v1"\napi_key_env = "MY_KEY"\n')
    done = cli(
        *("bundle", "a.sse", "--config", "c.toml", "--secret-env", "OTHER"),
        more_env={"MY_KEY": KEY, "OTHER": "other-0123456789"},
    )
    assert (done.code, done.out) == (0, f"{tmp_path}/a.bundle.zip\n"), done.err
    with zipfile.ZipFile(tmp_path / "a.bundle.zip") as archive:
        text = b"".join(map(archive.read, archive.namelist()))
    assert KEY.encode() not in text
    assert b"other-0123456789" not in text


def test_a_key_spelled_out_over_events_is_masked(cli: Callable[..., Any], tmp_path: Path) -> None:
    delta = '{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"%s"}}]}'
    (tmp_path / "a.sse").write_bytes(b"".join(encode(data=delta % char) for char in KEY))
    done = cli("bundle", "a.sse", "-o", "b", "--secret", KEY)
    assert done.code == 0, done.err
    assert cli("open", "b/recording.sse.jsonl", "--text").out == "*" * len(KEY) + "\n"


def test_a_leak_is_exit_code_1_and_leaves_nothing(cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / f"{KEY}.sse").write_bytes(STREAM)
    done = cli("bundle", f"{KEY}.sse", "-o", "b.zip", "--secret", KEY)
    assert done.code == 1
    assert "secret" in done.err
    assert KEY not in done.err
    assert not list(tmp_path.glob("*b.zip")) + list(tmp_path.glob(".sse-tui*"))


def test_wrong_usage(cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.sse").write_bytes(STREAM)
    assert cli("bundle", "a.sse", "--secret-env", "NOT_SET").code == 2
    assert cli("bundle", "none.sse").code == 2
    assert cli("bundle", "a.sse", "--dialect", "klingon").code == 2

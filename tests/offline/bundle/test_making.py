"""A bundle: what is in it, and that no known secret is."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from sse_tui.config import Config, Profile, hash_key
from sse_tui.errors import SseTuiError, UsageError
from sse_tui.eventstream import encode
from sse_tui.offline.bundle import make_bundle, new_bundle_path
from sse_tui.recording import Redactor, Writer, read_recording
from sse_tui.recording.records import Chunk, Close, End, Header, Record, Request, Response, chunk
from sse_tui.recording.secret_hashes import HashWriter
from tests.offline.report.stories import delta, story

SECRET = "sk/0123+456 789=abc\u00e9"
KEY = "Key-0123456789-abcdef"
EVENT_STREAM = [("content-type", "text/event-stream")]
HERE: dict[str, Any] = {"turn": 1, "conn": 1}


def saved(path: Path, records: Iterable[Record], redactor: Redactor | None = None) -> Path:
    """A recording of these records; as it was written by a program that redacts nothing, without `redactor`."""
    header = Header(tool="test", created="2026-01-01T00:00:00Z")
    if redactor is not None:
        with Writer(path, header, redactor) as writer:
            writer.write_many(records)
        return path
    from sse_tui.recording.record_lines import encode_line

    path.write_bytes(b"".join(map(encode_line, [header, *records])))
    return path


def _pictured(picture: str, _recording: Path) -> dict[str, str]:
    return {"screenshot.svg": picture}


def exchange(
    *bodies: bytes, headers: list[tuple[str, str]] | None = None, url: str = "http://h/v1"
) -> list[Record]:
    return [
        Request(t=0, method="POST", url=url, headers=headers or [], body='{"stream":true}', **HERE),
        Response(t=5, status=200, http_version="HTTP/1.1", headers=EVENT_STREAM, **HERE),
        *(chunk(10 + n, body, **HERE) for n, body in enumerate(bodies)),
        Close(t=99, reason="eof", **HERE),
        End(t=100, reason="done"),
    ]


def files_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {Path(name).name: archive.read(name) for name in archive.namelist()}


def bodies(recording: bytes) -> bytes:
    lines = [json.loads(line) for line in recording.splitlines()]
    return b"".join(
        base64.b64decode(line["b64"]) if "b64" in line else line["text"].encode()
        for line in lines
        if line.get("k") == "chunk"
    )


def test_what_is_in_it(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.sse.jsonl", [*story("hello ", "there"), End(t=10**9, reason="done")])
    bundle = make_bundle(path, tmp_path / "b.zip", pictures=lambda _: {"screenshot.svg": "<svg/>"})
    files = files_of(bundle.path)
    assert sorted(files) == sorted(bundle.files)
    assert set(files) == {
        *("README.md", "report.md", "recording.sse.jsonl", "reproduce.sh", "versions.txt", "screenshot.svg")
    }
    report = files["report.md"].decode()
    assert report.startswith("## Stream report: `a.sse.jsonl`")
    assert "hello there" in report
    assert "sse-tui replay recording.sse.jsonl" in report
    assert "curl --no-buffer" in report
    assert re.search(r"^msgspec \d", files["versions.txt"].decode(), re.MULTILINE)
    assert files["reproduce.sh"].startswith(b"#!/bin/sh\ncurl")
    for name in files:
        assert name == "README.md" or f"`{name}`" in files["README.md"].decode()
    assert [path.name for path in tmp_path.iterdir()] == sorted(["a.sse.jsonl", "b.zip"])


def test_a_name_without_zip_is_a_folder(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.sse.jsonl", story("x"))
    make_bundle(path, tmp_path / "out")
    assert (tmp_path / "out" / "reproduce.sh").stat().st_mode & 0o100
    assert (tmp_path / "out" / "recording.sse.jsonl").is_file()


def test_a_bundle_of_a_bundles_recording_is_the_same_recording(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.sse.jsonl", story("hello"), Redactor())
    make_bundle(path, tmp_path / "one")
    make_bundle(tmp_path / "one" / "recording.sse.jsonl", tmp_path / "two")
    first, second = ((tmp_path / name / "recording.sse.jsonl").read_bytes() for name in ("one", "two"))
    assert first.splitlines()[1:] == second.splitlines()[1:]
    assert first.splitlines()[1:] == path.read_bytes().splitlines()[1:]


def forms() -> dict[str, bytes]:
    raw = SECRET.encode()
    return {
        "plain": raw,
        "url": quote(SECRET, safe="").encode(),
        "url-lower": quote(SECRET, safe="")
        .replace("%2F", "%2f")
        .replace("%2B", "%2b")
        .replace("%3D", "%3d")
        .replace("%C3%A9", "%c3%a9")
        .encode(),
        "json": json.dumps(SECRET)[1:-1].encode(),
        "json-twice": json.dumps(json.dumps(SECRET))[3:-3].encode(),
        **{f"base64-{shift}": base64.b64encode(b"x" * shift + raw + b"yz") for shift in range(3)},
    }


@pytest.mark.parametrize("form", forms())
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_secret_that_a_foreign_recording_names_is_masked_in_any_form(
    tmp_path: Path, form: str, size: int
) -> None:
    body = (
        encode(data="before " + forms()[form].decode("latin-1") + " after")
        if form != "plain"
        else (b"data: before " + SECRET.encode() + b" after\n\n")
    )
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    headers = [("Authorization", f"Bearer {SECRET}")]
    # Met first, and named afterwards: only who reads everything first can mask it.
    records = exchange(*pieces)[1:]
    late = Request(t=98, method="GET", url="http://h/", headers=headers, turn=2, conn=2)
    path = saved(tmp_path / "a.sse.jsonl", [*records[:-1], late, records[-1]])
    make_bundle(path, tmp_path / "b.zip")
    files = files_of(tmp_path / "b.zip")
    core = forms()[form] if not form.startswith("base64") else forms()[form][4:-8]
    for name, data in files.items():
        assert core not in data, name
        assert SECRET.encode() not in data, name
    read = bodies(files["recording.sse.jsonl"])
    assert core not in read
    assert read.startswith(b"data: before ")
    assert read.endswith(b" after\n\n")
    assert len(read) == len(body)


def test_secrets_given_and_configured_and_of_known_form(tmp_path: Path) -> None:
    configured = "configured-0123456789"
    formed = "sk-proj-" + "Ab3" * 12
    body = encode(data=f"{KEY} {configured}") + encode(data=formed)
    path = saved(tmp_path / "a.sse.jsonl", exchange(body[:70], body[70:]))
    config = Config(profiles={"x": Profile(headers={"x-api-key": configured})})
    bundle = make_bundle(path, tmp_path / "b.zip", config=config, secrets=(KEY,))
    joined = b"".join(files_of(bundle.path).values()) + bodies(files_of(bundle.path)["recording.sse.jsonl"])
    for secret in (KEY, configured, formed):
        assert secret.encode() not in joined
    assert not any(finding.rule == "secrets-in-recording" for finding in bundle.report.findings)
    assert bundle.secrets >= 3


def test_a_har_is_redacted_while_it_is_written(tmp_path: Path) -> None:
    entry = {
        "startedDateTime": "2026-01-01T00:00:00.000Z",
        "time": 10,
        "request": {
            "method": "GET",
            "url": f"https://h.test/v1?api_key={KEY}",
            "headers": [{"name": "Cookie", "value": "session=abcdef0123456789"}],
        },
        "response": {
            "status": 200,
            "headers": [{"name": "content-type", "value": "text/event-stream"}],
            "content": {"mimeType": "text/event-stream", "text": f"data: {KEY} abcdef0123456789\n\n"},
        },
        "timings": {},
    }
    path = tmp_path / "a.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "creator": {"name": "x"}, "entries": [entry]}}))
    make_bundle(path, tmp_path / "b.zip")
    files = files_of(tmp_path / "b.zip")
    joined = b"".join(files.values())
    assert KEY.encode() not in joined
    assert b"abcdef0123456789" not in joined
    assert b"api_key=redacted" in files["recording.sse.jsonl"]
    assert b"$API_KEY" in files["reproduce.sh"]


@pytest.mark.parametrize("coding", ["", "gzip"])
@pytest.mark.parametrize("size", [1, 3, 7])
@pytest.mark.parametrize("secret", [KEY, 'Zw/9"\u00e9\\K-0815-x4-y7'])
def test_a_secret_spelled_out_over_events_is_masked(
    tmp_path: Path, secret: str, size: int, coding: str
) -> None:
    pieces = ["the key: ", *(secret[at : at + size] for at in range(0, len(secret), size)), " and no more"]
    records = story(*pieces)
    if coding:
        packed = zlib.compressobj(6, zlib.DEFLATED, 31)
        records = [
            Response(t=r.t, turn=r.turn, conn=r.conn, status=200, http_version="HTTP/1.1",
                     headers=[*r.headers, ("content-encoding", "gzip")])
            if isinstance(r, Response)
            else chunk(r.t, packed.compress(r.data) + packed.flush(zlib.Z_SYNC_FLUSH), turn=r.turn, conn=r.conn)
            if isinstance(r, Chunk)
            else r
            for r in records
        ]  # fmt: skip
    path = saved(tmp_path / "a.sse.jsonl", records)
    bundle = make_bundle(path, tmp_path / "b.zip", secrets=(secret,))
    answer = bundle.report.turns[0].answer.text
    assert answer.startswith("the key: *")
    assert answer.endswith("* and no more")
    assert set(answer[9:-12]) == {"*"}
    before, after = (
        [
            (record.t, None if coding else record.size)
            for record in read_recording(io.BytesIO(data))
            if isinstance(record, Chunk)
        ]
        for data in (path.read_bytes(), files_of(bundle.path)["recording.sse.jsonl"])
    )
    assert before == after


@pytest.mark.parametrize("cut", [False, True])
def test_a_secret_in_a_compressed_body_is_masked(tmp_path: Path, cut: bool) -> None:
    body = encode(data=f"x {KEY} " + "".join(f"\\u{ord(char):04x}" for char in KEY)) + encode(data="after")
    packed = gzip.compress(body)
    records = exchange(*([packed[:40], packed[40:]] if cut else [packed]))
    coding = [*EVENT_STREAM, ("content-encoding", "gzip")]
    records[1] = Response(t=5, status=200, http_version="HTTP/1.1", headers=coding, **HERE)
    path = saved(tmp_path / "a.sse.jsonl", records)
    for out in ("b.zip", "folder"):
        make_bundle(path, tmp_path / out, secrets=(KEY,))
    plain = gzip.decompress(bodies((tmp_path / "folder" / "recording.sse.jsonl").read_bytes()))
    assert plain == b"data: x " + b"*" * len(KEY) + b" " + b"*" * 6 * len(KEY) + b"\n\ndata: after\n\n"


@pytest.mark.parametrize("name", ["access_token", "private_key", "client_secret", "password", "session_id"])
@pytest.mark.parametrize("size", [7, 10_000])
def test_what_a_body_names_as_a_secret_is_masked(tmp_path: Path, name: str, size: int) -> None:
    text = json.dumps(
        {name: KEY, "url": f"https://me:{KEY}-b@h/?sig={KEY}-c", "token": " the", "key": "genre"}
    )
    body = encode(data=text) + encode(data=f"{KEY} and genre ######") + encode(data='{"token":"######"}')
    records = exchange(*(body[at : at + size] for at in range(0, len(body), size)))
    make_bundle(saved(tmp_path / "a.sse.jsonl", records), tmp_path / "b.zip")
    files = files_of(tmp_path / "b.zip")
    left = bodies(files["recording.sse.jsonl"])
    assert KEY.encode() not in left + b"".join(files.values())
    assert len(left) == len(body)
    assert b"and genre ######" in left
    assert b'"token": " the", "key": "genre"' in left


def test_secrets_used_in_the_session_are_searched_for_by_their_hashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSE_TUI_STATE_DIR", str(tmp_path / "state"))
    body = encode(data=f"first {KEY}") + encode(data="".join(f"\\u{ord(c):04x}" for c in f"{KEY}-2"))
    path = saved(tmp_path / "a.sse.jsonl", exchange(body))
    key = hash_key()
    assert key is not None
    assert key == hash_key()
    writer = HashWriter(path, key)
    writer.add([KEY, f"{KEY}-2", "another-secret-that-is-nowhere-1"])
    writer.close()
    bundle = make_bundle(path, tmp_path / "b.zip")
    files = files_of(bundle.path)
    left = bodies(files["recording.sse.jsonl"])
    assert left == b"data: first " + b"*" * len(KEY) + b"\n\ndata: " + b"*" * 6 * (len(KEY) + 2) + b"\n\n"
    assert "1 secret value that the session used" in files["README.md"].decode()
    assert bundle.secrets >= 3

    spelled = saved(tmp_path / "b.sse.jsonl", story(*KEY))
    writer = HashWriter(spelled, key)
    writer.add([KEY])
    writer.close()
    answer = make_bundle(spelled, tmp_path / "c.zip").report.turns[0].answer.text
    assert answer == "*" * len(KEY)


def test_without_hashes_it_says_what_is_not_known(tmp_path: Path) -> None:
    make_bundle(saved(tmp_path / "a.sse.jsonl", story("x")), tmp_path / "b.zip")
    assert "is not known here" in files_of(tmp_path / "b.zip")["README.md"].decode()


def test_a_secret_in_a_picture_stops_it(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.sse.jsonl", story("x"))
    split = f"<svg><text>{KEY[:9]}</text><text>{KEY[9:]}</text></svg>"
    for picture in (f"<svg>{KEY}</svg>", split, "<svg>" + KEY.replace("-", "&#45;") + "</svg>"):
        with pytest.raises(SseTuiError, match=r"screenshot\.svg"):
            make_bundle(path, tmp_path / "b.zip", secrets=(KEY,), pictures=partial(_pictured, picture))
    assert [path.name for path in tmp_path.iterdir()] == ["a.sse.jsonl"]


def test_the_name_of_the_file_is_searched_too(tmp_path: Path) -> None:
    path = saved(tmp_path / f"{KEY}.sse.jsonl", story("x"))
    with pytest.raises(SseTuiError, match=r"report\.md"):
        make_bundle(path, tmp_path / "b.zip", secrets=(KEY,))


def test_what_cannot_be_searched_is_said(tmp_path: Path) -> None:
    records = exchange(b"\x0b\x02\x80data\x03")
    records[1] = Response(
        t=5, status=200, http_version="HTTP/2", headers=[*EVENT_STREAM, ("content-encoding", "br")], **HERE
    )
    make_bundle(saved(tmp_path / "a.sse.jsonl", records), tmp_path / "b.zip")
    assert "the body of connection 1" in files_of(tmp_path / "b.zip")["README.md"].decode()


def test_nothing_is_replaced_and_no_secret_is_too_plain(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.sse.jsonl", story("x"))
    (tmp_path / "b.zip").write_text("mine")
    with pytest.raises(UsageError, match="already exists"):
        make_bundle(path, tmp_path / "b.zip")
    assert (tmp_path / "b.zip").read_text() == "mine"
    with pytest.raises(UsageError, match="fewer than 6"):
        make_bundle(path, tmp_path / "c.zip", secrets=("abc",))
    with pytest.raises(UsageError, match="Cannot write"):
        make_bundle(path, tmp_path / "no" / "c.zip")


def test_bytes_without_a_request_have_no_curl(tmp_path: Path) -> None:
    raw = tmp_path / "a.sse"
    raw.write_bytes(delta(content="hi") + b"data: \xff\n\n")
    bundle = make_bundle(raw, tmp_path / "b.zip")
    assert "reproduce.sh" not in bundle.files
    assert "replay recording.sse.jsonl" in files_of(bundle.path)["report.md"].decode()


def test_names_that_are_not_taken(tmp_path: Path) -> None:
    first = new_bundle_path("/somewhere/x.kept.sse.jsonl", tmp_path)
    assert first == tmp_path / "x.bundle.zip"
    first.touch()
    assert new_bundle_path("x.sse.jsonl", tmp_path) == tmp_path / "x-2.bundle.zip"

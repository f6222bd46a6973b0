"""Every row is read back as it was read first, in whatever order."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from sse_tui.analysis.entry import Entry
from sse_tui.eventstream import encode
from sse_tui.recording.record_lines import encode_line
from sse_tui.recording.records import Close, End, Header, Record, Request, Response, chunk
from sse_tui.session.live import Live
from sse_tui.session.spec import SessionSpec
from sse_tui.wirelog import reread
from sse_tui.wirelog.rows import HIDDEN, Row
from tests.bodies.frames import CONVERSE, delta, invoked
from tests.samples import DATA, folders, stream_files

STREAMS = [*stream_files(), *(path for folder in folders("cases") for path in sorted(folder.glob("*.sse")))]
RECORDINGS = sorted(DATA.glob("recordings/*.sse.jsonl"))


def response(turn: int, conn: int, coding: str, asked: str) -> list[Record]:
    headers = [("content-type", "text/event-stream")] + ([("content-encoding", coding)] if coding else [])
    resumed = [("last-event-id", asked)] if asked else []
    return [
        Request(t=0, method="GET", url="http://h/s", headers=resumed, turn=turn, conn=conn),
        Response(t=1, status=200, http_version="HTTP/1.1", headers=headers, turn=turn, conn=conn),
    ]


def connection(
    body: bytes, sizes: Iterator[int], *, turn: int = 1, conn: int = 1, coding: str = "", asked: str = ""
) -> list[Record]:
    """A connection whose reads have these sizes."""
    records = response(turn, conn, coding, asked)
    packer = zlib.compressobj(wbits=31) if coding else None
    at = 0
    while at < len(body):
        size = next(sizes)
        data = body[at : at + size]
        at += size
        if packer is not None:
            data = packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH)
        records.append(chunk(at * 1_000, data, turn=turn, conn=conn))
    return [*records, Close(t=10**9, reason="eof", turn=turn, conn=conn)]


def saved(path: Path, records: Iterable[Record]) -> Path:
    path.write_bytes(
        b"".join(map(encode_line, [Header(clock="read"), *records, End(t=10**9, reason="done")]))
    )
    return path


async def opened(path: Path, **options: int) -> tuple[Live, list[Entry]]:
    live = Live(SessionSpec(mode="open", path=path, **options))  # type: ignore[arg-type]
    await live.start()
    entries: list[Entry] = []
    while (made := live.poll()) or live.behind:
        entries += made
    return live, [entry for entry in entries if entry.kind not in HIDDEN]


def of_row(row: Row) -> tuple[object, ...]:
    return row.label, row.record, row.item, row.deltas, row.span


def of_entry(entry: Entry) -> tuple[object, ...]:
    label = "repeat" if entry.repeat else entry.label
    return label, entry.record, entry.item, tuple(entry.deltas), entry.span


async def agree(path: Path, order: random.Random, passes: int = 2) -> int:
    """Compare all rows with the first reading; how many there are."""
    live, entries = await opened(path)
    try:
        assert live.reader is not None
        assert len(live.rows) == len(entries) > 0
        places = [place for place in range(len(entries)) for _ in range(passes)]
        order.shuffle(places)
        for place in places:
            assert of_row(live.rows.row(place, live.reader)) == of_entry(entries[place]), place
        return len(entries)
    finally:
        await live.close()


@pytest.fixture(params=[128, 3])
def every(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Rows between the states that are kept; with few, the limit for large states is off."""
    rows: int = request.param
    monkeypatch.setattr(reread, "EVERY", rows)
    if rows < 128:
        monkeypatch.setattr(reread, "STATE_BYTES_A_ROW", 10**6)
    return rows


def test_there_are_streams() -> None:
    assert len([path for path in STREAMS if path.is_relative_to(DATA)]) >= 38
    assert len(RECORDINGS) >= 2


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
async def test_every_row_of_every_stream(path: Path, tmp_path: Path, every: int) -> None:
    order = random.Random(path.name)
    sizes = iter(lambda: order.choice([1, 20, 300, 5_000]), None)
    assert await agree(saved(tmp_path / "r.sse.jsonl", connection(path.read_bytes(), sizes)), order) > 3


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
async def test_every_row_of_every_recording(path: Path, every: int) -> None:
    assert await agree(path, random.Random(1)) > 10


@pytest.mark.parametrize("folder", folders("vectors"), ids=lambda folder: folder.parent.name)
async def test_every_row_of_every_vector(folder: Path, tmp_path: Path, every: int) -> None:
    vectors = json.loads((folder / "event_stream.json").read_bytes())["vectors"]
    assert len(vectors) > 50
    for vector in vectors:
        order = random.Random(vector["hex"])
        sizes = iter(lambda: order.choice([1, 2, 9]), None)  # noqa: B023 - used up within the loop
        await agree(saved(tmp_path / "r.sse.jsonl", connection(bytes.fromhex(vector["hex"]), sizes)), order)


ELEMENTS = [{"candidates": [{"content": {"parts": [{"text": f"piece {n}\n"}]}}]} for n in range(40)]
FORMS = {
    "frames": CONVERSE * 9,
    "damaged frames": (delta("a") + delta("b")[:-1] + b"\0" + b"\0junk" + delta("c")) * 5 + delta("d")[:-4],
    "payloads of a model": b"".join(invoked({"generation": f"{n} ", "stop_reason": None}) for n in range(40)),
    "an array": json.dumps(ELEMENTS).encode(),
    "an array over lines": json.dumps(ELEMENTS, indent=2).encode()[:-20],
    "an array of anything": b'["a", 1, null, {"b": [2]}, [3]]\n\n: c\ndata: d\n\nfoo\n',
    "objects": b"".join(json.dumps(element).encode() for element in ELEMENTS),
    "an object": json.dumps(ELEMENTS[0], indent=2).encode(),
    "lines": b"".join(json.dumps(element).encode() + b"\n" for element in ELEMENTS),
    "prose, then events": b"Hello\n\nYou\n\ndata: a\n\n",
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("coding", ["", "gzip"])
async def test_every_row_of_a_body_in_another_form(
    tmp_path: Path, name: str, coding: str, every: int
) -> None:
    order = random.Random(name)
    sizes = iter(lambda: order.choice([1, 20, 300]), None)
    path = saved(tmp_path / "r.sse.jsonl", connection(FORMS[name], sizes, coding=coding))
    assert await agree(path, order) > 2


def chat(text: str, **more: object) -> bytes:
    choice = {"index": 0, "delta": {"role": "assistant", "content": text, **more}}
    return encode(data=json.dumps({"id": "c", "object": "chat.completion.chunk", "choices": [choice]}))


def call(number: int, arguments: str) -> bytes:
    piece = {"index": number, "id": f"call_{number}", "function": {"name": "f", "arguments": arguments}}
    return chat("", tool_calls=[piece])


LINES = b"".join(
    b'{"model":"m","message":{"role":"assistant","content":"w%d"},"done":false}\n' % n for n in range(900)
)


@pytest.mark.parametrize("size", [7, 1_000, 10**7])
@pytest.mark.parametrize("coding", ["", "gzip"])
@pytest.mark.parametrize(
    "body",
    [
        b"".join(encode(data="not yet") for _ in range(9)) + b"".join(chat(f"w{n}") for n in range(900)),
        b"".join(call(n % 5, f"{n},") for n in range(900)),
        b": beat\n" * 700 + b'data: {"choices":[{"delta":{"content":"Z\xc3\xbcrich"}}]}\n\n' + b"data: cut",
        b"id: 7\n\n" + b"".join(b"data: %d\r\n\r\n" % n for n in range(600)) + b"id: 8\r\ndata: x\r\n",
        b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\nevent: x\rid: 1\r\rretry: 5\r: c\rfoo\rdata: z\r\r\xef\xbb",
        LINES + b'{"done": true, "mess',
        LINES + LINES.replace(b"w", b"v").replace(b"\n", b"\n\n"),
        b'{"a":1}\n',
        b'{"a":1',
    ],
    ids=["late", "calls", "comments", "ids", "marks", "lines", "blocks", "one line", "cut line"],
)
async def test_long_and_odd_ones(tmp_path: Path, body: bytes, size: int, coding: str) -> None:
    path = saved(tmp_path / "r.sse.jsonl", connection(body, iter(lambda: size, 0), coding=coding))
    assert await agree(path, random.Random(2), passes=1) > 3


async def test_connections_share_the_dialect_of_their_turn_and_repeats_are_not_read(
    tmp_path: Path, every: int
) -> None:
    blocks = [
        encode(id=str(n), data=chat(f"w{n}").decode().removeprefix("data: ").strip()) for n in range(300)
    ]
    sizes = iter(lambda: 500, 0)
    records: list[Record] = []
    for turn in (1, 2):
        first, second = 2 * turn - 1, 2 * turn
        records += connection(b"".join(blocks[:200]), sizes, turn=turn, conn=first)
        records += connection(b"".join(blocks[190:]), sizes, turn=turn, conn=second, asked="189")
    path = saved(tmp_path / "r.sse.jsonl", records)
    live, entries = await opened(path)
    await live.close()
    assert sum(entry.repeat for entry in entries) == 20
    assert await agree(path, random.Random(3)) > 600


def blocks(given: str) -> bytes:
    """An Anthropic message whose tool call comes with its whole input, kept until the block stops."""
    block = f'{{"type":"tool_use","id":"t","name":"f","input":{given}}}'
    start = f'{{"type":"content_block_start","index":0,"content_block":{block}}}'
    delta = '{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"w%d"}}'
    stop = '{"type":"content_block_stop","index":0}'
    payloads = [start, *(delta % n for n in range(600)), stop, *(delta % n for n in range(600))]
    return b"".join(encode(type=json.loads(payload)["type"], data=payload) for payload in payloads)


@pytest.mark.parametrize("size", [900, 10**7])
async def test_states_that_are_too_large_or_too_deep_to_save(tmp_path: Path, size: int) -> None:
    large = json.dumps({"x": "y" * 200_000})
    deep = '{"x":' * 900 + "1" + "}" * 900
    for given in (large, deep):
        path = saved(tmp_path / "r.sse.jsonl", connection(blocks(given), iter(lambda: size, 0)))
        assert await agree(path, random.Random(5), passes=1) > 1_200


async def test_rows_of_a_stream_that_still_grows(tmp_path: Path) -> None:
    records = connection(b"".join(call(n % 5, f"{n},") for n in range(900)), iter(lambda: 700, 0))
    path = tmp_path / "r.sse.jsonl"
    path.write_bytes(encode_line(Header(clock="read")))
    live = Live(SessionSpec(mode="open", path=path))
    await live.start()
    order = random.Random(4)
    entries: list[Entry] = []
    try:
        with path.open("ab") as file:
            for record in records:
                file.write(encode_line(record))
                file.flush()
                entries += live.poll()
                assert live.reader is not None
                for place in {len(entries) - 1, order.randrange(len(entries))}:
                    assert of_row(live.rows.row(place, live.reader)) == of_entry(entries[place])
    finally:
        await live.close()
    assert len(entries) > 900


async def test_an_event_larger_than_the_parser_takes_by_default(tmp_path: Path) -> None:
    text = "x" * (20 * 2**20)
    body = chat("first") + chat(text) + chat("last")
    path = saved(tmp_path / "r.sse.jsonl", connection(body, iter(lambda: 2**20, 0)))
    live, entries = await opened(path, max_event_bytes=32 * 2**20)
    try:
        assert live.reader is not None
        assert [entry.label for entry in entries if entry.number] == ["token"] * 3
        for place, entry in enumerate(entries):
            assert of_row(live.rows.row(place, live.reader)) == of_entry(entry)
    finally:
        await live.close()


async def test_the_tail_of_a_large_body_of_lines_does_not_read_it_all_again(tmp_path: Path) -> None:
    body = LINES * 40
    path = saved(tmp_path / "r.sse.jsonl", connection(body + b'{"cut', iter(lambda: 2**16, 0)))
    live, entries = await opened(path)
    try:
        assert live.reader is not None
        place = next(place for place, entry in enumerate(entries) if entry.kind == "tail")
        row = live.rows.row(place, live.reader)
        assert of_row(row) == of_entry(entries[place])
        assert (row.start, row.raw) == (len(body), b'{"cut')
    finally:
        await live.close()


async def test_the_row_that_wrote_a_character(tmp_path: Path) -> None:
    body = b"".join(chat("ab" if n % 3 else "") for n in range(400)) + chat("c" * 70_000)
    live, entries = await opened(saved(tmp_path / "r.sse.jsonl", connection(body, iter(lambda: 900, 0))))
    await live.close()
    spans = [(place, entry.span) for place, entry in enumerate(entries) if entry.span is not None]
    assert len(spans) == 267
    for place, (start, end) in spans:
        assert live.rows.at_span(0, start) == live.rows.at_span(0, end - 1) == place
    assert live.rows.at_span(0, spans[-1][1][1]) is None


async def test_a_file_that_was_changed_meanwhile_gives_rows_without_an_item(tmp_path: Path) -> None:
    path = saved(
        tmp_path / "r.sse.jsonl", connection(b"".join(chat(f"w{n}") for n in range(5)), iter(lambda: 80, 0))
    )
    live, entries = await opened(path)
    try:
        path.write_bytes(path.read_bytes().replace(b"\\n\\n", b"\\t\\t"))
        assert live.reader is not None
        places = [place for place, entry in enumerate(entries) if entry.number]
        assert [live.rows.row(place, live.reader).item for place in places] == [None] * 5
    finally:
        await live.close()

"""What a body is by its first bytes, and its items, however the bytes are cut into reads."""

from __future__ import annotations

import gzip
import json
import random
import zlib
from typing import Any

import pytest

from sse_tui.bodies import BodyItems, Form, FormFinder, ItemReader, is_json_answer, is_stream_type
from sse_tui.bodies.json_texts import JsonTexts
from sse_tui.eventstream import Event, EventTooLarge, Ignored, Item, Parser, Tail
from tests.bodies.frames import CONVERSE, delta
from tests.samples import stream_files

ELEMENTS: list[Any] = [{"a": 'x]}"\\{['}, {"b": [1, {"c": "é\u2028"}]}, {}]
PRETTY = json.dumps({"a": [1, {"b": "}"}]}, indent=2).encode()

FORMS: dict[bytes, Form] = {
    b"data: a\n\n": Form.EVENTS,
    b": ping\n\n": Form.EVENTS,
    b"\xef\xbb\xbfdata: a\n\n": Form.EVENTS,
    b"\n\n\r\nid: 1\n\n": Form.EVENTS,
    b"event\n\n": Form.EVENTS,
    b"Data : x\n\n": Form.EVENTS,
    b'error: {"message":"x"}\n\n': Form.EVENTS,
    b"[DONE]\n\n": Form.EVENTS,
    b'{"a":"b\n"}\n': Form.EVENTS,
    b'{"a":1}\n{"b":2}\n': Form.LINES,
    b'{"a":1}\r\n{"b":2}\r\n': Form.LINES,
    b' {"a":1} \t\n': Form.LINES,
    b'\x1e{"a":1}\n\x1e{"b":2}\n': Form.LINES,
    b'[{"a":1},\n{"b":2}]': Form.ARRAY,
    b"\n[\n  {}\n]\n": Form.ARRAY,
    b"[]": Form.ARRAY,
    b'["a", "b"]': Form.ARRAY,
    PRETTY: Form.OBJECT,
    b'{"a":1}': Form.OBJECT,
    b'{"a":1}{"b":2}': Form.OBJECT,
    CONVERSE: Form.FRAMES,
    b"Internal Server Error\n": Form.PROSE,
    b"Hello": Form.PROSE,
    b"<!DOCTYPE html>\n<html><head><title>x</title></head><body></body></html>\n": Form.HTML,
    b"<html>": Form.HTML,
    b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>': Form.XML,
    b"--boundary\r\nContent-Type: application/json\r\n\r\n{}": Form.MULTIPART,
    gzip.compress(b"data: a\n\n"): Form.GZIP,
    zlib.compress(b"data: a\n\n"): Form.ZLIB,
    b"\x28\xb5\x2f\xfd\x04\x00": Form.ZSTD,
    "data: a\n\n".encode("utf-16"): Form.UTF16,
    "data: a\n\n".encode("utf-16-le"): Form.UTF16,
    b"\0\0\0\0\x0a\x0a\x05hello": Form.BINARY,
    b"\x0b\x02\x80id\x03\xff\xfe\xaa\xbb": Form.BINARY,
    bytes(range(128, 256)): Form.BINARY,
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0": Form.BINARY,
}


def read(body: bytes, *cuts: int, content_type: str | None = None) -> tuple[list[Form], list[Item]]:
    seen: list[Form] = []

    def chosen(form: Form, _: ItemReader) -> None:
        seen.append(form)

    reader = BodyItems(1 << 20, chosen=chosen)
    reader.opened(content_type)
    ends = [*cuts, len(body)]
    items = [
        item for start, end in zip([0, *cuts], ends, strict=True) for item in reader.feed(body[start:end])
    ]
    return seen, items + reader.close()


@pytest.mark.parametrize(("body", "form"), FORMS.items())
def test_the_first_bytes_show_the_form_however_they_come(body: bytes, form: Form) -> None:
    whole = read(body)
    assert whole[0] == [form]
    for at in range(1, len(body)):
        assert read(body, at) == whole, at
    assert read(body, *range(1, len(body))) == whole


@pytest.mark.parametrize(
    ("body", "content_type", "coding", "form"),
    [
        (b"\0\0\0\x05abc", "application/vnd.amazon.eventstream", "", Form.FRAMES),
        (b'{"message":"no"}\n', "application/vnd.amazon.eventstream", "", Form.LINES),
        (b"\0\0\0\0\x05", "application/grpc-web+proto", "", Form.GRPC),
        (b"\0\0\0\0\x02{}", "application/connect+json", "", Form.GRPC),
        (b"--x\r\n", "multipart/mixed; boundary=x", "", Form.MULTIPART),
        (b"\x0b\x02\x80id\x03\xff\xfe", "text/event-stream", "br", Form.CODED),
        (b"\x83data\xff\xfe", "text/event-stream", "br", Form.CODED),
        (b"data: a\n\n", "text/event-stream", "br", Form.EVENTS),
    ],
)
def test_the_headers_help(body: bytes, content_type: str, coding: str, form: Form) -> None:
    finder = FormFinder(content_type, coding)
    assert (finder.feed(body) or finder.close()) is form


@pytest.mark.parametrize("path", stream_files(), ids=lambda path: path.name)
def test_of_an_event_stream_nothing_changes(path: Any) -> None:
    body = path.read_bytes()
    parser = Parser()
    assert read(body) == ([Form.EVENTS], parser.feed(body) + parser.close())
    assert read(body, 1, 2, 3, 5, 8)[0] == [Form.EVENTS]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b" \n"])
def test_the_elements_of_an_array(indent: int | None, before: bytes) -> None:
    body = before + json.dumps(ELEMENTS, indent=indent, ensure_ascii=False).encode()
    form, items = read(body)
    assert form == [Form.ARRAY]
    events = [item for item in items if isinstance(item, Event)]
    assert len(events) == len(items)
    assert [json.loads(event.data) for event in events] == ELEMENTS
    assert [body[event.start : event.end].decode() for event in events] == [event.data for event in events]


def test_an_element_is_there_when_its_end_is() -> None:
    reader = BodyItems(1 << 20)
    assert reader.feed(b'[{"a":1') == []
    assert [item.end for item in reader.feed(b"}")] == [8]
    assert reader.feed(b'\n,\r\n{"b":') == []
    assert [item.start for item in reader.feed(b"2}]")] == [12]
    assert reader.close() == []


def test_what_an_array_may_hold() -> None:
    _, items = read(b'["a", {"b":1}, [1,[2]], 3, null]')
    assert [item.data for item in items if isinstance(item, Event)] == [
        '"a"',
        '{"b":1}',
        "[1,[2]]",
        "3",
        "null",
    ]


def test_what_is_cut_off_is_a_tail() -> None:
    body = b'[{"a":1},\n{"b":'
    assert read(body)[1][-1] == Tail('{"b":', 10, len(body))
    assert read(b'{"a": "x')[1] == [Tail('{"a": "x', 0, 8)]


def test_what_follows_json_is_an_event_stream() -> None:
    _, items = read(b'[{"a":1}]\n\ndata: x\nid: 7\n\nfoo\n')
    assert [type(item) for item in items] == [Event, Event, Ignored, Tail]
    assert isinstance(items[1], Event)
    assert (items[1].data, items[1].id, items[1].start, items[1].end) == ("x", "7", 11, 26)


def test_a_large_value_in_many_reads_is_read_in_linear_time_and_bounded() -> None:
    reader = JsonTexts(1 << 22)
    text = json.dumps({"a": "x" * 3_000_000}).encode()
    items = reader.feed(b"[")
    for at in range(0, len(text), 1_000):
        items += reader.feed(text[at : at + 1_000])
    assert [item.end - item.start for item in items] == [len(text)]
    small = JsonTexts(1_000)
    with pytest.raises(EventTooLarge) as raised:
        small.feed(b'[{"a":1},{"b":"' + b"x" * 2_000)
    assert (len(raised.value.items), raised.value.start) == (1, 9)


def test_random_bytes_do_no_harm() -> None:
    chance = random.Random(7)
    seeds = list(FORMS)
    for _ in range(3_000):
        body = bytearray(chance.choice(seeds) + chance.choice(seeds))
        for _ in range(chance.randrange(4)):
            body[chance.randrange(len(body))] = chance.randrange(256)
        whole = read(bytes(body))
        assert len(whole[0]) == 1
        cuts = sorted(chance.randrange(len(body) + 1) for _ in range(3))
        assert read(bytes(body), *cuts) == whole, body


def test_a_line_that_never_ends_is_not_held_beyond_the_limit() -> None:
    reader = BodyItems(10_000)
    with pytest.raises(EventTooLarge):
        for _ in range(40_000):
            reader.feed(b'{"a":"' + b"x" * 1_000)


@pytest.mark.parametrize(
    ("first", "is_one"),
    [
        (b'[{"candidates": []', True),
        (b' [\n{"a"', True),
        (b'{"id":"x","object":"chat.completion","choices":[]}', True),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', True),
        (b'{"type":"ADDED","object":{}}', True),
        (b'{"error":{"message":"choices"},"choices":[]}', False),
        (b'{"status":"ok"}', False),
        (b"[1,2]", False),
        (b"data: x", False),
        (b"", False),
    ],
)
def test_which_json_is_an_answer(first: bytes, is_one: bool) -> None:
    assert is_json_answer(first) is is_one


def test_media_types() -> None:
    streams = (
        "text/event-stream; charset=utf-8",
        "Application/X-NDJSON",
        "application/jsonl",
        "application/json-seq",
    )
    assert all(
        map(is_stream_type, (*streams, "application/stream+json", "application/vnd.amazon.eventstream"))
    )
    assert not any(map(is_stream_type, ("application/json", "text/html", "", None, "text/event-streamer")))


def test_the_rest_of_a_body_goes_to_its_reader() -> None:
    reader = BodyItems(1 << 20, "7")
    assert reader.last_event_id == "7"
    assert reader.feed(delta("a"))[0].end == len(delta("a"))
    assert [item.start for item in reader.feed(delta("b"))] == [len(delta("a"))]
    assert reader.last_event_id == "7"

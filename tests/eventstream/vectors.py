"""Event streams and what they mean: name, body, items in short form, then what the connection remembers.

Short forms: ("e", data), ("e", data, type), ("e", data, type, id) an event; (":", text) a comment; ("r", ms);
("?", line) ignored; ("0", type, id) a block without data; ("t", text) the tail.
The marks in front of the groups are those of the checklist in the standard's order: D decoding, L lines, P line
processing, F fields, E dispatch.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Vector(NamedTuple):
    name: str
    body: bytes
    items: list[tuple[Any, ...]]
    last_event_id: str = ""
    retry: int | None = None
    seed: str = ""


V = Vector

VECTORS = [
    V("nothing at all", b"", []),
    # D1 to D4
    V("D1 latin-1 bytes are not guessed at", b"data: caf\xe9\n\n", [("e", "caf\ufffd")]),
    V("D2 overlong slash", b"data: \xc0\xaf|\n\n", [("e", "\ufffd\ufffd|")]),
    V("D2 surrogate half", b"data: \xed\xb0\x80|\n\n", [("e", "\ufffd\ufffd\ufffd|")]),
    V("D2 euro sign cut by the line end", b"data: \xe2\x82\ndata: \xac\n\n", [("e", "\ufffd\n\ufffd")]),
    V("D2 beyond U+10FFFF", b"data: \xf4\x90\x80\x80\n\n", [("e", "\ufffd" * 4)]),
    V("D2 three of four bytes", b"data: \xf0\x9f\x98x\n\n", [("e", "\ufffdx")]),
    V("D2 bad byte in a field name", b"da\xffta: x\n\n", [("?", "da\ufffdta: x")]),
    V(
        "D2 bad byte in type and id",
        b"id: \xff\nevent: \xfe\ndata: x\n\n",
        [("e", "x", "\ufffd", "\ufffd")],
        "\ufffd",
    ),
    V("D3 byte order mark", b"\xef\xbb\xbfdata: one\n\n", [("e", "one")]),
    V("D3 only the first mark goes", b"\xef\xbb\xbf\xef\xbb\xbf:x\n\n", [("?", "\ufeff:x")]),
    V("D3 a mark after a blank line", b"\n\xef\xbb\xbfdata: x\n\n", [("?", "\ufeffdata: x")]),
    V("D3 a mark before a comment", b"\xef\xbb\xbf:hi\n", [(":", "hi")]),
    V("D3 a mark, then a bare CR", b"\xef\xbb\xbf\r\rdata: x\r\r", [("e", "x")]),
    V("D3 two thirds of a mark", b"\xef\xbb", [("t", "\ufffd")]),
    V("D3 two thirds of a mark on a line", b"\xef\xbb\ndata: x\n\n", [("?", "\ufffd"), ("e", "x")]),
    V("D3 a mark and nothing else", b"\xef\xbb\xbf", []),
    V("D4 four-byte characters", "data: 🜚🝆\n\n".encode(), [("e", "🜚🝆")]),
    # L1 to L4
    V("L1 LF", b"data: p\ndata: q\n\n", [("e", "p\nq")]),
    V("L1 CR", b"data: p\rdata: q\r\r", [("e", "p\nq")]),
    V("L1 CRLF", b"data: p\r\ndata: q\r\n\r\n", [("e", "p\nq")]),
    V(
        "L1 no other separators",
        b"data: 1\x0b2\x0c3\x1c4\x1d5\x1e6\xc2\x857\xe2\x80\xa88\xe2\x80\xa99\n\n",
        [("e", "1\x0b2\x0c3\x1c4\x1d5\x1e6\x857\u20288\u20299")],
    ),
    V("L2 CRLF, then CR alone", b"data: p\r\n\rdata: q\r\n\r", [("e", "p"), ("e", "q")]),
    V("L2 blank CRLFs", b"\r\n\r\n\r\ndata: p\r\n\r\n", [("e", "p")]),
    V("L2 CR CR LF", b"data: p\r\r\ndata: q\r\r\n", [("e", "p"), ("e", "q")]),
    V("L3 LF CR", b"data: p\n\rdata: q\n\r", [("e", "p"), ("e", "q")]),
    V("L3 LF CRLF", b"data: p\n\r\ndata: q\n\r\n", [("e", "p"), ("e", "q")]),
    V("L4 half a line", b"data: p\n\ndata: q", [("e", "p"), ("t", "data: q")]),
    V("L4 half a comment", b": keep", [("t", ": keep")]),
    V("L4 half a retry", b"retry: 10", [("t", "retry: 10")]),
    V("L4 half a character", b"data: \xe4\xbd", [("t", "data: \ufffd")]),
    # P1 to P6
    V("P1 blank lines alone", b"\n\n\r\r\r\n", []),
    V("P2 heartbeats", b":\n\n: beat\n\n:\n", [(":", ""), (":", " beat"), (":", "")]),
    V("P2 within a block", b"event: a\n:1\ndata: x\n:2\n\n", [(":", "1"), (":", "2"), ("e", "x", "a")]),
    V("P2 colons after the first", b"::data: x\n\n", [(":", ":data: x")]),
    V("P3 no space", b"data:x\n\n", [("e", "x")]),
    V("P3 one of three spaces", b"data:   x\n\n", [("e", "  x")]),
    V("P3 tab", b"data:\tx\n\n", [("e", "\tx")]),
    V("P3 no-break space", "data:\u00a0x\n\n".encode(), [("e", "\u00a0x")]),
    V("P3 spaces behind", b"data: x  \n\n", [("e", "x  ")]),
    V("P3 first colon only", b"data:a: b\nevent: c: d\n\n", [("e", "a: b", "c: d")]),
    V("P4 bare data", b"data\n\n", [("e", "")]),
    V("P4 bare everything", b"event: x\nevent\nid\nretry\ndata\n\n", [("?", "retry"), ("e", "")], seed="9"),
    V(
        "P5 case and blanks",
        b"Data: 1\nDATA: 2\n data: 3\ndata : 4\ndata\t: 5\n\n",
        [("?", "Data: 1"), ("?", "DATA: 2"), ("?", " data: 3"), ("?", "data : 4"), ("?", "data\t: 5")],
    ),
    V("P5 NUL in a name", b"data\0: 1\nid\0: 2\n\n", [("?", "data\0: 1"), ("?", "id\0: 2")]),
    V(
        "P5 longer names",
        b"dataset: 1\nids: 2\neventual: 3\nretry-after: 4\n\n",
        [("?", "dataset: 1"), ("?", "ids: 2"), ("?", "eventual: 3"), ("?", "retry-after: 4")],
    ),
    V("P6 among known fields", b"data: a\nerror: no\ndata: b\n\n", [("?", "error: no"), ("e", "a\nb")]),
    V("P6 JSON lines", b'{"a":1}\n{"b":2}\n', [("?", '{"a":1}'), ("?", '{"b":2}'), ("t", "")]),
    # F1 to F4
    V("F1 empty values between", b"data: a\ndata:\ndata: b\n\n", [("e", "a\n\nb")]),
    V("F1 three empty values", b"data\ndata:\ndata: \n\n", [("e", "\n\n")]),
    V("F1 NUL", b"data: a\0b\n\n", [("e", "a\0b")]),
    V("F1 sentinel", b"data: [DONE]\n\n", [("e", "[DONE]")]),
    V("F2 last type", b"event: a\nevent: b\ndata: x\n\n", [("e", "x", "b")]),
    V("F2 emptied type", b"event: a\nevent:\ndata: x\n\n", [("e", "x")]),
    V("F2 type after data", b"data: x\nevent: late\n\n", [("e", "x", "late")]),
    V("F2 NUL in a type", b"event: a\0\ndata: x\n\n", [("e", "x", "a\0")]),
    V("F3 id", b"id: 12\ndata: x\n\n", [("e", "x", "message", "12")], "12"),
    V("F3 id after data", b"data: x\nid: 12\n\n", [("e", "x", "message", "12")], "12"),
    V("F3 id with spaces", b"id:  1 2 \ndata: x\n\n", [("e", "x", "message", " 1 2 ")], " 1 2 "),
    V(
        "F3 NUL",
        b"id: 1\ndata: x\n\nid: 2\0\ndata: y\n\n",
        [("e", "x", "message", "1"), ("?", "id: 2\0"), ("e", "y", "message", "1")],
        "1",
    ),
    V("F3 NUL, id alone", b"id: \0\n\n", [("?", "id: \0")]),
    V("F3 reset", b"id: 1\ndata: x\n\nid:\ndata: y\n\n", [("e", "x", "message", "1"), ("e", "y")]),
    V("F4 retry at its line", b"retry: 20\n", [("r", 20), ("t", "")], retry=20),
    V("F4 zero and zeros", b"retry: 0\nretry: 007\n\n", [("r", 0), ("r", 7)], retry=7),
    V(
        "F4 no numbers",
        "retry: -1\nretry: +1\nretry: 1_0\nretry: 1.0\nretry: ²\nretry: ٣\nretry: 5 \n\n".encode(),
        [
            ("?", "retry: -1"),
            ("?", "retry: +1"),
            ("?", "retry: 1_0"),
            ("?", "retry: 1.0"),
            ("?", "retry: ²"),
            ("?", "retry: ٣"),
            ("?", "retry: 5 "),
        ],
    ),
    V(
        "F4 hexadecimal and empty",
        b"retry: 0x10\nretry:\nretry: \n\n",
        [("?", "retry: 0x10"), ("?", "retry:"), ("?", "retry: ")],
    ),
    V(
        "F4 an invalid one changes nothing",
        b"retry: 5\n\nretry: no\n\n",
        [("r", 5), ("?", "retry: no")],
        retry=5,
    ),
    V("F4 too long to wait", b"retry: 99999999999999999999\n\n", [("r", 2**53 - 1)], retry=2**53 - 1),
    V(
        "F4 longest wait",
        b"retry: 9007199254740991\nretry: 9007199254740992\n\n",
        [("r", 2**53 - 1), ("r", 2**53 - 1)],
        retry=2**53 - 1,
    ),
    V("F4 five thousand digits", b"retry: " + b"1" * 5000 + b"\n\n", [("r", 2**53 - 1)], retry=2**53 - 1),
    V("F4 five thousand zeros", b"retry: " + b"0" * 5000 + b"3\n\n", [("r", 3)], retry=3),
    # E1 to E8
    V("E1 id without data", b"id: 3\n\ndata: x\n\n", [("0", "", "3"), ("e", "x", "message", "3")], "3"),
    V(
        "E1 inherited",
        b"id: 3\ndata: x\n\ndata: y\n\n",
        [("e", "x", "message", "3"), ("e", "y", "message", "3")],
        "3",
    ),
    V(
        "E1b seeded",
        b"data: x\n\nid: 8\ndata: y\n\n",
        [("e", "x", "message", "7"), ("e", "y", "message", "8")],
        "8",
        seed="7",
    ),
    V("E1b seeded, nothing came", b": hello\n", [(":", " hello")], "7", seed="7"),
    V("E1b seed reset", b"id\n\n", [("0", "", "")], seed="7"),
    V("E2 type without data", b"event: end\n\ndata: x\n\n", [("0", "end", ""), ("e", "x")]),
    V("E2 empty type without data", b"event\n\n", [("0", "", "")]),
    V("E2 retry block", b"retry: 9\n\ndata: x\n\n", [("r", 9), ("e", "x")], retry=9),
    V("E3 one line end goes", b"data: x\ndata:\ndata:\n\n", [("e", "x\n\n")]),
    V("E5 type does not stay", b"event: a\ndata: x\n\ndata: y\n\n", [("e", "x", "a"), ("e", "y")]),
    V(
        "E7 id in the tail",
        b"id: 1\ndata: x\n\nid: 2\ndata: y\n",
        [("e", "x", "message", "1"), ("t", "id: 2\ndata: y\n")],
        "1",
    ),
    V(
        "E7 retry in the tail",
        b"data: x\nretry: 4\n:c\nfoo\nda",
        [("r", 4), (":", "c"), ("?", "foo"), ("t", "data: x\nda")],
        retry=4,
    ),
    V("E7 CRLF in the tail", b"data: x\r\nid: 2\r\n", [("t", "data: x\nid: 2\n")]),
    V("E7 CR in the tail", b"data: x\r:c\rid: 2\r", [(":", "c"), ("t", "data: x\nid: 2\n")]),
    V("E7 ends with CR CR", b"data: x\r\r", [("e", "x")]),
    V("E7 comment is no block", b"data: x\n\n: bye\n", [("e", "x"), (":", " bye")]),
    V(
        "E8 everything at once",
        b"id: 5\nretry: 6\n:c\nevent: e\nfoo: bar\ndata: x\ndata: y\n\ndata: z\n\n",
        [("r", 6), (":", "c"), ("?", "foo: bar"), ("e", "x\ny", "e", "5"), ("e", "z", "message", "5")],
        "5",
        6,
    ),
    # As the providers send it
    V(
        "chat chunks",
        b'data: {"delta":{"content":"Hi"}}\n\ndata: {"delta":{}}\n\ndata: [DONE]\n\n',
        [("e", '{"delta":{"content":"Hi"}}'), ("e", '{"delta":{}}'), ("e", "[DONE]")],
    ),
    V(
        "typed events",
        b'event: ping\ndata: {"type":"ping"}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
        [("e", '{"type":"ping"}', "ping"), ("e", '{"type":"message_stop"}', "message_stop")],
    ),
    V(
        "heartbeat, single LF",
        b": ok\ndata: a\n\n: ok\nid: 1\ndata: b\n\n",
        [(":", " ok"), ("e", "a"), (":", " ok"), ("e", "b", "message", "1")],
        "1",
    ),
    V(
        "resumable events",
        b"id: s-1\ndata: a\n\nid: s-2\ndata: b\n\nid: s-3\nevent: m\ndata: c\n\n",
        [("e", "a", "message", "s-1"), ("e", "b", "message", "s-2"), ("e", "c", "m", "s-3")],
        "s-3",
    ),
    V("more blank lines than needed", b"data: a\n\n\ndata: b\n\n\n\n", [("e", "a"), ("e", "b")]),
    V(
        "not an event stream",
        b"<html>\n<h1>502: no</h1>\n\n</html>\n",
        [("?", "<html>"), ("?", "<h1>502: no</h1>"), ("?", "</html>"), ("t", "")],
    ),
]

"""How fast the parser is beside other decoders: ``python tests/benchmarks/parser.py [WORD ...]``.

Each decoder starts from the same reads (bytes) and ends at event objects, which are counted and dropped. The
time is that of the processor, rounds are interleaved and the best of each counts, so that a busy machine hits
all alike. Words pick the inputs whose name has one of them. httpx-sse runs its own `EventSource.iter_sse` over
httpx's own way from bytes to text; the bytes are given to it, without httpx's reading and unpacking of them.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import httpx
from httpx_sse import EventSource
from openai._streaming import SSEDecoder as OpenAIDecoder
from sseclient import SSEClient

from sse_tui.eventstream import Parser

Reads = list[bytes]
ROUNDS = 3
BYTES = 250_000  # of each input


def own(reads: Reads) -> int:
    parser = Parser()
    count = 0
    for read in reads:
        for _ in parser.feed(read):
            count += 1
    return count


class Response:
    """What `EventSource` takes from an httpx response, of which only the socket's side is left out.

    The code from bytes to text is that of httpx: its incremental decoder and its chunker.
    """

    headers: ClassVar = {"content-type": "text/event-stream"}
    encoding = "utf-8"
    _request = None
    iter_text = httpx.Response.iter_text

    def __init__(self, reads: Reads) -> None:
        self._reads = reads

    def iter_bytes(self) -> Iterator[bytes]:
        return iter(self._reads)


def httpx_sse(reads: Reads) -> int:
    count = 0
    source: Any = Response(reads)
    for _ in EventSource(source).iter_sse():
        count += 1
    return count


def openai_sdk(reads: Reads) -> int:
    return sum(1 for _ in OpenAIDecoder().iter_bytes(iter(reads)))


def sseclient_py(reads: Reads) -> int:
    return sum(1 for _ in SSEClient(iter(reads)).events())


DECODERS: dict[str, Callable[[Reads], int]] = {
    "sse-tui": own,
    "httpx-sse": httpx_sse,
    "openai": openai_sdk,
    "sseclient-py": sseclient_py,
}


def openai_block(word: str) -> bytes:
    chunk = {
        "id": "chatcmpl-9XyZ3aBcDeFgHiJkLmNoPqRsTuVw",
        "object": "chat.completion.chunk",
        "created": 1750000000,
        "model": "gpt-4o-mini-2024-07-18",
        "service_tier": "default",
        "system_fingerprint": "fp_62a23a81ef",
        "choices": [{"index": 0, "delta": {"content": word}, "logprobs": None, "finish_reason": None}],
    }
    return b"data: " + json.dumps(chunk, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"


def anthropic_block(word: str) -> bytes:
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}}
    return b"event: content_block_delta\ndata: " + json.dumps(delta, ensure_ascii=False).encode() + b"\n\n"


def repeated(*blocks: bytes) -> list[bytes]:
    """These blocks over and over, up to the size of an input."""
    times = max(1, BYTES // sum(map(len, blocks)))
    return list(blocks) * times


def pieces(body: bytes, size: int) -> Reads:
    return [body[at : at + size] for at in range(0, len(body), size)]


def inputs() -> Iterator[tuple[str, Reads]]:
    words = [" stream", " the", "ing", ' "quoted"', ".", " reconnection"]
    streams = {
        "OpenAI": repeated(*map(openai_block, words)),
        "OpenAI, Chinese": repeated(*map(openai_block, ["你好", "世界", "，", "重新连接"])),
        "Anthropic": repeated(*map(anthropic_block, words)),
        "Anthropic, Chinese": repeated(*map(anthropic_block, ["你好", "世界", "，"])),
        "OpenAI, heartbeats": repeated(b": OPENROUTER PROCESSING\n\n", *map(openai_block, words)),
        "own endpoint": repeated(*(b"id: c1-%d\n" % i + openai_block(w) for i, w in enumerate(words))),
        "MCP": repeated(*(b"event: message\nid: %d\n" % i + openai_block(w) for i, w in enumerate(words))),
        "OpenAI, CRLF": [block.replace(b"\n", b"\r\n") for block in repeated(*map(openai_block, words))],
        "Anthropic, CRLF": [
            block.replace(b"\n", b"\r\n") for block in repeated(*map(anthropic_block, words))
        ],
        "OpenAI, CR": [block.replace(b"\n", b"\r") for block in repeated(*map(openai_block, words))],
        "no space": repeated(b'data:{"token":{"id":1,"text":" a"}}\n\n'),
        "tiny": repeated(b"data: a\n\n")[: BYTES // 30],
        "tiny, CRLF": repeated(b"data: a\r\n\r\n")[: BYTES // 30],
        "comments": repeated(b": ping\n\n")[: BYTES // 30],
        "comments, single LF": repeated(b": ping\n")[: BYTES // 30],
        "comments, CRLF": repeated(b": ping\r\n\r\n")[: BYTES // 30],
        "blank lines": repeated(b"\n")[: BYTES // 30],
        "ignored": repeated(b"foo: bar\n\n")[: BYTES // 30],
        "JSON lines": repeated(
            b'{"model":"llama3.2","message":{"role":"assistant","content":"a"},"done":false}\n'
        ),
        "retry": repeated(b"retry: 1000\n\n")[: BYTES // 30],
        "ids alone": repeated(b"id: 1\n\n")[: BYTES // 30],
        "all fields": repeated(b"id: 1\nretry: 5\nevent: e\n: c\ndata: x\nfoo: bar\n\n"),
        "comments that differ": [b": beat %d\n" % i for i in range(BYTES // 300)],
        "JSON lines that differ": [b'{"id":%d,"delta":{"content":"a"}}\n' % i for i in range(BYTES // 60)],
        "pretty JSON": repeated(
            b'{\n  "error": {\n    "message": "Rate limited",\n    "code": 429\n  }\n}\n'
        ),
        "HTML": repeated(b"<html>\n<head><title>502</title></head>\n<body>\nBad gateway\n</body>\n</html>\n"),
        "line ends in turn": repeated(b"data: a\rdata: b\ndata: c\r\n\n")[: BYTES // 90],
        "12 data lines": repeated(b"data: 0123456789\n" * 12 + b"\n"),
        "12 data lines, CRLF": repeated(b"data: 0123456789\r\n" * 12 + b"\r\n"),
        "64 KiB events": repeated(b"data: " + b"x" * 2**16 + b"\n\n"),
        "64 KiB events, CRLF": repeated(b"data: " + b"x" * 2**16 + b"\r\n\r\n"),
        "bad UTF-8": repeated(b"data: " + b"ab\xff" * 60 + b"\n\n"),
    }
    for name, blocks in streams.items():
        body = b"".join(blocks)
        yield f"{name} / event a read", blocks
        yield f"{name} / 16 KiB", pieces(body, 2**14)
        yield f"{name} / 100 B", pieces(body, 100)
        yield f"{name} / 1 B", pieces(body[:20_000], 1)
        yield f"{name} / whole", [body]
    big = b"data: " + b"x" * 2**23 + b"\n\n"
    yield "8 MiB event / 1,448 B", pieces(big, 1448)
    yield "8 MiB event / 16 KiB", pieces(big, 2**14)
    yield "8 MiB event / whole", [big]
    lines = b"data: " + b"x" * 70 + b"\n"
    yield "8 MiB event of lines / 1,448 B", pieces(lines * (2**23 // len(lines)) + b"\n", 1448)


def measure(reads: Reads) -> dict[str, tuple[float, int]]:
    """Best seconds of each decoder, and how many objects it made."""
    best: dict[str, tuple[float, int]] = {}
    for _ in range(ROUNDS):
        for name, decode in DECODERS.items():
            begin = time.thread_time()
            try:
                count = decode(reads)
            except UnicodeDecodeError:
                best[name] = (float("nan"), 0)
                continue
            took = time.thread_time() - begin
            if name not in best or took < best[name][0]:
                best[name] = (took, count)
    return best


def main(words: list[str]) -> None:
    others = list(DECODERS)[1:]
    print(f"{'':<42}{'MB/s':>9}{'items/s':>12}" + "".join(f"{'x ' + name:>15}" for name in others))
    least = float("inf")
    for name, reads in inputs():
        if words and not any(word in name for word in words):
            continue
        best = measure(reads)
        took, count = best["sse-tui"]
        ratios = [best[other][0] / took for other in others]
        least = min(least, ratios[0])
        row = "".join(f"{ratio:>15.2f}" for ratio in ratios)
        print(f"{name:<42}{sum(map(len, reads)) / took / 1e6:>9.1f}{count / took:>12,.0f}{row}", flush=True)
    print(f"Best of {ROUNDS} interleaved rounds; x = times as fast as. Least against httpx-sse: {least:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])

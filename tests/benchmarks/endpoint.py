"""Tokens a second through the endpoint: ``python tests/benchmarks/endpoint.py [MODEL.gguf] [--tokens N]``.

The endpoint runs as it does for a user: a process of its own, llama.cpp in a child of it, read here over a
loopback socket. Beside it a bare llama_decode loop of the same model, prompt and threads, and the engine
without HTTP; rounds are interleaved, so that a busy machine hits all alike. Rates are those of the decode:
tokens after the first, over the time since the first. Last comes the scripted engine without pauses: what the
endpoint itself can do.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from sse_tui.engine.base import GenRequest, Piece
from sse_tui.engine.cores import decode_threads
from sse_tui.engine.llamacpp import LlamaCppEngine
from sse_tui.eventstream import Event, Parser

PROMPT = "Tell me a long story about a river."
MESSAGES = [{"role": "user", "content": PROMPT}]
ROUNDS = 5


@contextmanager
def endpoint(*options: str) -> Iterator[int]:
    """The port of an endpoint in a process of its own."""
    command = [sys.executable, "-m", "sse_tui.server.supervised", *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = {"status": ""}
        while said["status"] != "ready":
            said = json.loads(process.stdout.readline())
        yield int(said["url"].rpartition(":")[2])
        process.communicate()


def through_http(port: int, tokens: int) -> tuple[int, float]:
    """Content events after the first of one stream, and the seconds from the first to the last."""
    asked = {"messages": MESSAGES, "stream": True, "temperature": 0, "max_tokens": tokens}
    body = json.dumps(asked).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
    parser, stamps = Parser(), []
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(head.encode() + b"Connection: close\r\nContent-Type: application/json\r\n\r\n" + body)
        while chunk := sock.recv(65536):
            now = time.perf_counter()
            # The chunk sizes of the transfer coding are lines that an event stream parser ignores.
            stamps += [
                now for item in parser.feed(chunk) if isinstance(item, Event) and '"content":"' in item.data
            ]
    stamps = stamps[1:]  # the role chunk
    return len(stamps) - 1, stamps[-1] - stamps[0]


async def engine_alone(engine: LlamaCppEngine, tokens: int) -> tuple[int, float]:
    """The same from the engine's iterator."""
    stamps = [
        time.perf_counter()
        async for step in engine.submit(
            GenRequest(id="x", messages=MESSAGES, temperature=0, max_tokens=tokens)
        )
        if isinstance(step, Piece) and step.text
    ]
    return len(stamps) - 1, stamps[-1] - stamps[0]


def beside(name: str) -> ModuleType:
    """Another benchmark of this folder, as a module."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def with_model(path: Path, tokens: int) -> None:
    rates: dict[str, list[float]] = {}
    threads = decode_threads()

    def note(name: str, measured: tuple[int, float]) -> None:
        rates.setdefault(name, []).append(measured[0] / measured[1])

    async def rounds() -> None:
        engine = LlamaCppEngine(path, n_seq=1, n_ctx=2048, n_threads=threads)
        await engine.start()
        options = ["--model", str(path), "--n-seq", "1", "--n-ctx", "2048", "--n-threads", str(threads)]
        with endpoint(*options) as port:
            for number in range(ROUNDS + 1):
                engine_measured = await engine_alone(engine, tokens)
                http_measured = through_http(port, tokens)
                if number:  # the first round warms up
                    note("engine", engine_measured)
                    note("endpoint", http_measured)
        await engine.close()

    asyncio.run(rounds())
    for name, each in rates.items():
        print(f"{name:<12}{statistics.median(each):>9.1f} tokens/s  ({min(each):.1f} to {max(each):.1f})")


def scripted(tokens: int) -> None:
    with endpoint(
        "--engine", "scripted", "--script", "word " * tokens, "--ttft-ms", "0", "--gap-ms", "0"
    ) as port:
        measured = [through_http(port, tokens) for _ in range(ROUNDS)]
    rates = [count / seconds for count, seconds in measured]
    print(f"scripted engine, no pauses: {statistics.median(rates):,.0f} events/s  ({ROUNDS} x {tokens})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--tokens", type=int, default=200)
    given = parser.parse_args()
    if given.model is None:
        from sse_tui import models

        given.model = models.ensure(models.DEFAULT_MODEL)
    with_model(given.model, given.tokens)
    scripted(4000)


if __name__ == "__main__":
    main()

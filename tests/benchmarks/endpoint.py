"""Tokens a second through the endpoint against a bare llama_decode loop of the same model.

    python tests/benchmarks/endpoint.py [--rounds 5] [--tokens 96] [--threads N] [--model PATH]

The endpoint runs as it does for a user: a process of its own, llama.cpp in a child of it, read here over a
loopback socket with the parser of an inspector. It takes turns with the bare loop of `engine.py`, and the ratio
is what counts: of the medians on a quiet machine, of the best rounds on a busy one. Both are timed from the
first token to the last. At the end comes the scripted engine without pauses: what the endpoint itself can do.
"""

from __future__ import annotations

import argparse
import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sse_tui.eventstream import Event, Parser

QUESTION = [{"role": "user", "content": "Tell me a long story about a river."}]


@contextmanager
def endpoint(*options: str) -> Iterator[int]:
    """The port of an endpoint in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "sse_tui",
        "serve",
        "--supervised",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        *options,
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = {"status": ""}
        while said["status"] != "ready":
            said = json.loads(process.stdout.readline())
        yield int(said["url"].rpartition(":")[2])
        process.communicate()


def through_http(port: int, tokens: int) -> float:
    """Tokens a second of one stream, by its content events."""
    asked = {"messages": QUESTION, "stream": True, "temperature": 0, "max_tokens": tokens}
    body = json.dumps(asked).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    head += "Connection: close\r\nContent-Type: application/json\r\n\r\n"
    parser = Parser()
    stamps: list[float] = []
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(head.encode() + body)
        while chunk := sock.recv(65536):
            now = time.perf_counter()
            # The chunk sizes of the transfer coding are lines that an event stream parser ignores.
            events = [item for item in parser.feed(chunk) if isinstance(item, Event)]
            stamps += [now for event in events if '"delta":{"content":' in event.data]
    assert len(stamps) == tokens, "a token without text, or an early end"
    return (tokens - 1) / (stamps[-1] - stamps[0])


def bare_loop(path: str, tokens: int, threads: int) -> float:
    """Tokens a second of the loop in `engine.py`, in a process of its own."""
    script = Path(__file__).with_name("engine.py")
    command = [sys.executable, str(script), "bare", path, "1", str(tokens), str(threads)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def with_model(path: str, tokens: int, threads: int, rounds: int) -> None:
    options = ["--model", path, "--n-ctx", "512", "--n-seq", "4", "--n-threads", str(threads)]
    with endpoint(*options) as port:
        through_http(port, tokens)
        pairs = [(bare_loop(path, tokens, threads), through_http(port, tokens)) for _ in range(rounds)]
    loop, ours = (max(values) for values in zip(*pairs, strict=True))
    ratios = sorted(mine / other for other, mine in pairs)
    print(f"{threads} threads, {tokens} tokens, {rounds} rounds")
    print(f"best: bare loop {loop:.1f} tokens/s, endpoint {ours:.1f} tokens/s, ratio {ours / loop:.3f}")
    print(
        f"ratios of the rounds: median {statistics.median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})"
    )


def scripted(events: int, rounds: int) -> None:
    options = ["--engine", "scripted", "--script", "word " * events, "--ttft-ms", "0", "--gap-ms", "0"]
    with endpoint(*options) as port:
        rates = [through_http(port, events) for _ in range(rounds)]
    print(f"scripted engine without pauses: {statistics.median(rates):,.0f} events/s")


def main() -> None:
    from sse_tui import models
    from sse_tui.engine.cores import decode_threads

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=300)
    parser.add_argument("--threads", type=int, default=decode_threads())
    parser.add_argument("--model")
    given = parser.parse_args()
    path = given.model or str(models.ensure(models.DEFAULT_MODEL))
    with_model(path, given.tokens, given.threads, given.rounds)
    scripted(4000, given.rounds)


if __name__ == "__main__":
    main()

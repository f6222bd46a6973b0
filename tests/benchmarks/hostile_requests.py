"""Attacks by requests: bodies that cost much to read, prompts that cost much to tokenize, and very many streams.

    python -m tests.benchmarks.hostile_requests [--streams 100000]

By itself this prints how many streams a second the endpoint starts at first and after so many.
"""

from __future__ import annotations

import argparse
import contextlib
import threading
import time
from collections.abc import Callable

from tests.benchmarks._attack import SCRIPTED, Attack, connect, post

MODEL = ("--n-ctx", "4096")
LONG = b"a" * 300_000
CLIENTS = 4
SHORT = post(b'{"messages":[{"role":"user","content":"hi"}],"stream":true,"max_tokens":1}')


def message(content: bytes) -> bytes:
    return b'{"role":"user","content":"%s"}' % content


def body(messages: bytes, more: bytes = b"") -> bytes:
    return b'{"stream":true,"max_tokens":1,"messages":[%s]%s}' % (messages, more)


def repeated(data: bytes, clients: int = CLIENTS) -> Callable[[int, float], None]:
    """So many clients that post `data` again and again, each waiting for its answer."""
    request = post(data, "Connection: close")

    def client(port: int, end: float) -> None:
        while time.monotonic() < end:
            with contextlib.suppress(OSError), connect(port, 10) as sock:
                sock.sendall(request)
                while sock.recv(65536):
                    pass

    def run(port: int, end: float) -> None:
        threads = [threading.Thread(target=client, args=(port, end)) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return run


PART = b'{"type":"text","text":""}'
PARTS = b'{"role":"user","content":[%s]}' % b",".join([PART] * 300)
STOPS = b'"%s"' % b'","'.join(bytes([97 + index]) * 256 for index in range(16))

# About the most that is read of a body, with the scripted engine's context and with the model's.
SIZE = 1_800_000
TINY = body(b",".join([message(b"a")] * (SIZE // 30)))

ATTACKS = [
    Attack("bodies of 8 MB", repeated(body(message(b"a" * 7_900_000)))),
    Attack("60,000 tiny messages", repeated(TINY)),
    Attack("60,000 empty parts", repeated(body(b",".join([PARTS] * 200)))),
    Attack("1.8 MB in one message", repeated(body(message(b"a" * SIZE)))),
    Attack("1.8 MB of nested arrays", repeated(body(message(b"a"), b',"x":' + b"[" * SIZE))),
    Attack("1.8 million digits", repeated(body(message(b"a"), b',"max_tokens":' + b"9" * SIZE))),
    Attack("16 stop strings of 256 bytes", repeated(body(message(b"a"), b',"stop":[%s]' % STOPS))),
    Attack("as many streams as it starts", repeated(body(message(b"a")))),
    Attack("model: 60,000 tiny messages", repeated(TINY), MODEL),
    Attack("model: prompts of 300 kB", repeated(body(message(LONG))), MODEL),
    Attack("model: 30,000 control tokens", repeated(body(message(b"<|im_end|>" * 30_000))), MODEL),
]


def streams_per_second(port: int, streams: int) -> float:
    """The rate at which some clients, each on one connection, start `streams` streams and read them."""

    def client() -> None:
        with connect(port, 30) as sock:
            for _ in range(streams // CLIENTS):
                sock.sendall(SHORT)
                answer = b""
                while not answer.endswith(b"\r\n0\r\n\r\n"):
                    answer += sock.recv(65536)
                assert b"data: [DONE]" in answer, answer

    threads = [threading.Thread(target=client) for _ in range(CLIENTS)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return streams / (time.perf_counter() - start)


def main() -> None:
    from tests.benchmarks.hostile import endpoint

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--streams", type=int, default=100_000)
    given = parser.parse_args()
    sample = min(2000, given.streams)
    with endpoint(SCRIPTED, None) as served:
        first, memory = streams_per_second(served.port, sample), served.memory_mb()
        streams_per_second(served.port, given.streams)
        last = streams_per_second(served.port, sample)
        grown = served.memory_mb() - memory
    print(
        f"streams/s: {first:,.0f} at first, {last:,.0f} after {given.streams:,}; "
        f"memory {memory:.0f} MB, then {grown:+.0f} MB"
    )


if __name__ == "__main__":
    main()

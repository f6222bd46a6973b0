"""How fast a recorded stream is analysed: ``python -m tests.benchmarks.analysis [--profile]``.

From records in memory to a finished `Analysis`: parser, JSON, dialect, clocks, gaps, continuity, rules. Beside it, in
the same run, the openai SDK's own stream loop over the same reads, from bytes to its chunk objects, and the plain floor
of both: the parser and one JSON decoding an event. Processor time of one thread, rounds interleaved, best of each.
"""

from __future__ import annotations

import cProfile
import json
import pstats
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import msgspec
import openai
from openai import OpenAI
from openai.types.chat import ChatCompletionChunk

from sse_tui.analysis.analysis import Analysis
from sse_tui.eventstream import Event, Parser, encode
from sse_tui.recording.record_lines import decode_record, encode_line
from sse_tui.recording.records import Close, End, Header, Record, Request, Response, chunk

EVENTS = 20_000
ROUNDS = 5
TARGET_EVENTS_S = 100_000
TARGET_RATIO = 5.0
WORDS = (" stream", " the", "ing", ' "quoted"', ".", " reconnection", "\n", " caf\u00e9")


def events() -> list[bytes]:
    """The blocks of one answer, as OpenAI sends them, usage at its end."""
    head = {
        "id": "chatcmpl-9XyZ3aBcDeFgHiJkLmNoPqRsTuVw",
        "object": "chat.completion.chunk",
        "created": 1750000000,
        "model": "gpt-4o-mini-2024-07-18",
        "service_tier": "default",
        "system_fingerprint": "fp_62a23a81ef",
    }

    def block(delta: object, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return encode(data=json.dumps({**head, "choices": [choice], "usage": None}, separators=(",", ":")))

    blocks = [block({"role": "assistant", "content": "", "refusal": None})]
    blocks += [block({"content": WORDS[n % len(WORDS)]}) for n in range(EVENTS)]
    usage = {"prompt_tokens": 9, "completion_tokens": EVENTS, "total_tokens": EVENTS + 9}
    blocks += [block({}, "stop"), encode(data=json.dumps({**head, "choices": [], "usage": usage}))]
    return [*blocks, encode(data="[DONE]")]


def records(reads: list[bytes]) -> list[Record]:
    """A recording of these reads, one every 10 ms."""
    at: dict[str, Any] = {"turn": 1, "conn": 1}
    made: list[Record] = [
        Request(
            t=0, method="POST", url="https://api.openai.com/v1/chat/completions", headers=[], body="{}", **at
        ),
        Response(
            t=1, status=200, http_version="HTTP/1.1", headers=[("content-type", "text/event-stream")], **at
        ),
    ]
    made += [chunk(10_000_000 * (n + 1), data, **at) for n, data in enumerate(reads)]
    end = 10_000_000 * (len(reads) + 1)
    return [*made, Close(t=end, reason="eof", **at), End(t=end, reason="done")]


def analysis(given: list[Record]) -> int:
    made = Analysis(Header(clock="kernel"))
    for record in given:
        made.feed(record)
    made.finish()
    turn = made.turns[0]
    assert turn.outcome == "complete"
    assert len(turn.answer.text) > EVENTS
    return turn.events


def from_lines(lines: list[bytes]) -> int:
    """The same from the lines of a recording, whose own JSON is decoded as well."""
    return analysis([decode_record(line) for line in lines])


class _Body(httpx.SyncByteStream):
    def __init__(self, reads: list[bytes]) -> None:
        self._reads = reads

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._reads)


def openai_sdk(reads: list[bytes]) -> int:
    """`openai.Stream` as its users iterate it; httpx's sockets and HTTP are left out."""
    response: Any = httpx.Response(
        200,
        headers={"content-type": "text/event-stream"},
        stream=_Body(reads),
        request=httpx.Request("POST", "http://h"),
    )
    count = 0
    for _ in openai.Stream(cast_to=ChatCompletionChunk, response=response, client=CLIENT):
        count += 1
    return count


def floor(reads: list[bytes]) -> int:
    """The parser and one JSON decoding an event: nothing is left out of an analysis that is not also above this."""
    parser = Parser()
    decode = msgspec.json.Decoder().decode
    count = 0
    for read in reads:
        for item in parser.feed(read):
            if isinstance(item, Event) and item.data != "[DONE]":
                decode(item.data)
                count += 1
    return count


CLIENT = OpenAI(api_key="none", base_url="http://h")


def measured(contenders: dict[str, Callable[[], int]]) -> dict[str, float]:
    """Events a second of each."""
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(ROUNDS):
        for name, run in contenders.items():
            begin = time.thread_time()
            run()
            best[name] = min(best[name], time.thread_time() - begin)
    return {name: EVENTS / took for name, took in best.items()}


def main(arguments: list[str]) -> int:
    """Print the table; 0 when both targets are reached."""
    blocks = events()
    body = b"".join(blocks)
    given = records(blocks)
    if "--profile" in arguments:
        with cProfile.Profile() as profile:
            analysis(given)
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)
        return 0
    big = [body[at : at + 2**14] for at in range(0, len(body), 2**14)]
    missed = 0
    for name, reads in (("an event a read", blocks), ("16 KiB a read", big)):
        made = records(reads)
        lines = [encode_line(record)[:-1] for record in made]
        rates = measured(
            {
                "Analysis": lambda made=made: analysis(made),  # type: ignore[misc]
                "lines and Analysis": lambda lines=lines: from_lines(lines),  # type: ignore[misc]
                "openai SDK": lambda reads=reads: openai_sdk(reads),  # type: ignore[misc]
                "parser and JSON": lambda reads=reads: floor(reads),  # type: ignore[misc]
            }
        )
        ratio = rates["Analysis"] / rates["openai SDK"]
        missed += rates["Analysis"] < TARGET_EVENTS_S or ratio < TARGET_RATIO
        print(f"\n{name}, {EVENTS:,} events")
        for contender, rate in rates.items():
            print(f"  {contender:<20}{rate:>10,.0f} events/s   {rate / rates['openai SDK']:>5.2f} x the SDK")
    print(f"\nBest of {ROUNDS}. Targets: {TARGET_EVENTS_S:,} events/s, {TARGET_RATIO:g} x the SDK: ", end="")
    print("reached" if not missed else f"missed in {missed} of 2")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

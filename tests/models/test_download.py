"""Downloads over real sockets: resumed where they were cut, checked, and clear about what went wrong."""

from __future__ import annotations

import errno
import hashlib
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sse_tui import models
from sse_tui.errors import ModelError
from sse_tui.models import DownloadProgress
from sse_tui.models.progress import Cancelled


@pytest.fixture
def tiny(ggufs: ModuleType) -> bytes:
    """A whole GGUF file of 3 MB, so that it comes in several blocks."""
    data: bytes = ggufs.build(tensors=[ggufs.tensor("w", [750_000], 0, 0)], data=3_000_000)
    return data


def parts(folder: Path) -> list[str]:
    """What lies in the folder beside lock files."""
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".lock"))


def size_of_part(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.part"))


def failure(name: str, **options: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        models.ensure(name, **options)
    return caught.value


def test_a_file_comes_whole_once(server: Any, folder: Path, tiny: bytes) -> None:
    server.files["m.gguf"] = tiny
    seen: list[DownloadProgress] = []
    path = models.ensure(server.url("m.gguf"), seen.append)
    assert path.read_bytes() == tiny
    assert path.parent == folder
    assert parts(folder) == [path.name]
    assert seen[-1] == DownloadProgress("download", len(tiny), len(tiny))
    assert models.ensure(server.url("m.gguf")) == path
    assert len(server.seen) == 1


@pytest.mark.parametrize("cut", [0, 1, 1_000_000, 2_999_999])
def test_a_cut_connection_is_continued_by_a_range(server: Any, tiny: bytes, cut: int) -> None:
    server.files["m.gguf"] = tiny
    server.cuts = [cut]
    assert models.ensure(server.url("m.gguf")).read_bytes() == tiny
    assert len(server.seen) == 2
    if cut:
        assert server.seen[1] == ("/m.gguf", f"bytes={cut}-", '"one"')


def test_a_download_is_continued_by_the_next_run(server: Any, folder: Path, tiny: bytes) -> None:
    server.files["m.gguf"] = tiny
    server.cuts = [1_000_000]
    with pytest.raises(Cancelled):
        models.ensure(server.url("m.gguf"), cancelled=lambda: size_of_part(folder) == 1_000_000)
    assert any(name.endswith(".part") for name in parts(folder))
    assert models.ensure(server.url("m.gguf")).read_bytes() == tiny
    assert server.seen[-1][1] == "bytes=1000000-"


def test_a_server_without_ranges_gives_the_whole_again(server: Any, tiny: bytes) -> None:
    server.files["m.gguf"] = tiny
    server.ranges = False
    server.cuts = [1_000_000]
    assert models.ensure(server.url("m.gguf")).read_bytes() == tiny
    assert len(server.seen) == 2


def test_a_file_that_changed_meanwhile_starts_again(server: Any, ggufs: ModuleType, tiny: bytes) -> None:
    server.files["m.gguf"] = tiny
    server.cuts = [1_000_000]
    failing = iter([False] * 3)
    with pytest.raises(Cancelled):
        models.ensure(server.url("m.gguf"), cancelled=lambda: next(failing, True))
    other = ggufs.build(tensors=[ggufs.tensor("x", [500_000], 0, 0)], data=2_000_000)
    server.files["m.gguf"], server.etag = other, '"two"'
    assert models.ensure(server.url("m.gguf")).read_bytes() == other


@pytest.mark.parametrize("etag", [None, 'W/"weak"'])
def test_a_part_without_a_strong_validator_and_hash_is_not_trusted(
    server: Any, tiny: bytes, etag: str | None
) -> None:
    server.files["m.gguf"] = tiny
    server.etag = etag
    server.cuts = [1_000_000]
    asked = iter([False] * 3)
    with pytest.raises(Cancelled):
        models.ensure(server.url("m.gguf"), cancelled=lambda: next(asked, True))
    assert models.ensure(server.url("m.gguf")).read_bytes() == tiny
    assert server.seen[-1][1] is None


def test_a_hash_given_with_the_address_is_checked(server: Any, folder: Path, tiny: bytes) -> None:
    server.files["m.gguf"] = tiny
    right = hashlib.sha256(tiny).hexdigest()
    error = failure(server.url("m.gguf") + "#sha256=" + "0" * 64)
    assert error.code == "model-hash"
    assert right in error.message
    assert "deleted" in error.message
    assert parts(folder) == []
    assert models.ensure(server.url("m.gguf") + "#sha256=" + right).read_bytes() == tiny


def test_what_is_no_gguf_is_refused_at_its_first_bytes(server: Any, folder: Path) -> None:
    server.files["m.gguf"] = b"<html>login please</html>" + b" " * 5_000_000
    error = failure(server.url("m.gguf"))
    assert error.code == "download-not-it"
    assert "<html>login" in error.message


def test_a_cut_gguf_is_said_with_both_sizes_and_removed(server: Any, folder: Path, tiny: bytes) -> None:
    server.files["m.gguf"] = tiny[:2_000_000]
    error = failure(server.url("m.gguf"))
    assert error.code == "model-cut"
    assert "2,000,000 bytes" in error.message
    assert f"{len(tiny):,}" in error.message
    assert parts(folder) == []


def test_404_names_the_address_and_the_status(server: Any) -> None:
    error = failure(server.url("none.gguf"))
    assert error.code == "download-refused"
    assert "404" in error.message
    assert "none.gguf" in error.message


def test_a_dead_port_is_a_network_error() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    error = failure(f"http://127.0.0.1:{port}/m.gguf")
    assert error.code == "download-network"
    assert "127.0.0.1" in error.message


def test_a_server_that_always_cuts_is_given_up(server: Any, tiny: bytes) -> None:
    server.files["m.gguf"] = tiny
    server.cuts = [0] * 50
    assert failure(server.url("m.gguf")).code == "download-network"
    assert len(server.seen) == 4


def test_a_full_disk_is_said_before_anything_is_written(
    server: Any, folder: Path, tiny: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.files["m.gguf"] = tiny
    usage = shutil.disk_usage(folder.parent)
    monkeypatch.setattr("sse_tui.models.disk.shutil.disk_usage", lambda _: usage._replace(free=2_000_000))
    error = failure(server.url("m.gguf"))
    assert error.code == "disk-full"
    assert "3 MB" in error.message or "MB are needed" in error.message
    assert parts(folder) == []


def test_a_disk_that_fills_up_keeps_what_came(server: Any, tiny: bytes) -> None:
    server.files["m.gguf"] = tiny
    with pytest.raises(ModelError) as caught:
        from sse_tui.models.disk import disk_errors

        with disk_errors(Path("/some/m.part")):
            raise OSError(errno.ENOSPC, "No space left on device")
    assert caught.value.code == "disk-full"


def test_a_progress_that_raises_stops_the_download(server: Any, tiny: bytes) -> None:
    server.files["m.gguf"] = tiny

    def stop(progress: DownloadProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        models.ensure(server.url("m.gguf"), stop)
    assert models.ensure(server.url("m.gguf")).read_bytes() == tiny


def test_two_at_once_download_once(server: Any, tiny: bytes) -> None:
    server.files["m.gguf"] = tiny
    got: list[Path] = []
    threads = [
        threading.Thread(target=lambda: got.append(models.ensure(server.url("m.gguf")))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(got) == 3
    assert got[0].read_bytes() == tiny
    assert len(server.seen) == 1


def test_two_processes_at_once_download_once(server: Any, tiny: bytes) -> None:
    server.files["m.gguf"] = tiny
    program = "import sys; from sse_tui import models; print(models.ensure(sys.argv[1]))"
    command = [sys.executable, "-c", program, server.url("m.gguf")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    paths = {process.communicate(timeout=30)[0].strip() for process in running}
    assert len(paths) == 1
    assert Path(paths.pop()).read_bytes() == tiny
    assert len(server.seen) == 1

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sse_tui.errors import RecordingError
from sse_tui.recording import Follower, Redactor, Writer, read_recording
from sse_tui.recording.records import Close, Header, Note, Record, chunk


def test_the_size_it_returns_is_the_files(tmp_path: Path, session: list[Record]) -> None:
    path = tmp_path / "deep" / "er" / "a.sse.jsonl"
    with Writer(path, Header(), Redactor()) as writer:
        assert writer.size == path.stat().st_size > 0
        for record in session:
            assert writer.write(record) == record
            assert path.stat().st_size == writer.size
        before = writer.size
        assert writer.write_many([]) == []
        assert writer.size == before
        assert writer.write_many(session) == session
        assert writer.size == path.stat().st_size > before
    assert writer.closed
    writer.close()


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        Writer(tmp_path / "new" / "a", Header(), Redactor()).close()
    finally:
        os.umask(mask)
    assert (tmp_path / "new" / "a").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_the_header_says_what_is_redacted(tmp_path: Path) -> None:
    redactor = Redactor(["X-Tenant"], ["acme-[0-9]+"])
    Writer(tmp_path / "a", Header(redacted=["*cookie*"]), redactor).close()
    names = read_recording(tmp_path / "a").header.redacted
    assert {"*authorization*", "*api-key*", "X-Tenant", "pattern:1"} <= set(names)
    assert names.count("*cookie*") == 1


def test_each_record_is_one_write(
    tmp_path: Path, session: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    real = os.write

    def counted(fd: int, data: bytes) -> int:
        calls.append(len(data))
        return real(fd, data)

    with Writer(tmp_path / "a", Header(), Redactor()) as writer:
        monkeypatch.setattr(os, "write", counted)
        writer.write(session[0])
        writer.write_many(session)
        monkeypatch.undo()
    assert len(calls) == 2


def test_a_short_write_is_continued(
    tmp_path: Path, session: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    with Writer(tmp_path / "a", Header(), Redactor()) as writer:
        monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:7]))
        writer.write_many(session)
        monkeypatch.undo()
    assert list(read_recording(tmp_path / "a")) == session


def test_a_full_disk_loses_only_what_did_not_fit(tmp_path: Path) -> None:
    """A limit on the file's size stands for the full disk: the kernel writes a part and then refuses."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    path = tmp_path / "a"
    try:
        with Writer(path, Header(), Redactor()) as writer:
            writer.write(Note(t=1, text="before"))
            size = writer.size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50, hard))
            with pytest.raises(RecordingError) as caught:
                writer.write(Note(t=2, text="x" * 200))
            assert caught.value.code == "recording-write"
            assert str(path) in caught.value.message
            assert caught.value.hint
            assert writer.size == path.stat().st_size == size
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            writer.write(Note(t=3, text="after"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    recording = read_recording(path)
    assert [record.t for record in recording] == [1, 3]
    assert recording.skipped.damage == []


def test_a_disk_without_room_for_the_header_leaves_no_file(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, hard))
        with pytest.raises(RecordingError, match=r"File too large"):
            Writer(tmp_path / "a", Header(), Redactor())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert not (tmp_path / "a").exists()


def test_what_cannot_be_created(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"Is a directory.*not a directory"):
        Writer(tmp_path, Header(), Redactor())
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RecordingError, match=r"never overwritten") as caught:
        Writer(tmp_path / "file", Header(), Redactor())
    assert caught.value.code == "recording-exists"
    assert (tmp_path / "file").read_text() == "mine"
    with pytest.raises(RecordingError, match=r"Not a directory|part of the path"):
        Writer(tmp_path / "file" / "below", Header(), Redactor())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(RecordingError, match=r"Permission denied.*may write"):
            Writer(tmp_path / "a", Header(), Redactor())
    finally:
        tmp_path.chmod(0o700)


def test_a_closed_writer_refuses(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "a", Header(), Redactor())
    writer.close()
    with pytest.raises(RecordingError, match=r"closed"):
        writer.write(Note(t=0, text=""))


def test_text_that_utf8_cannot_carry_is_written_all_the_same(tmp_path: Path) -> None:
    with Writer(tmp_path / "a", Header(), Redactor()) as writer:
        writer.write(Note(t=0, text="a\udc80b\U0001f600"))
        writer.write(Close(t=0, reason="error", detail="\ud800"))
    notes = list(read_recording(tmp_path / "a"))
    assert notes[0] == Note(t=0, text="a\ufffdb\U0001f600")
    assert notes[1] == Close(t=0, reason="error", detail="\ufffd")


WRITES_FOR_EVER = """
import sys
from sse_tui.recording import Redactor, Writer
from sse_tui.recording.records import Header, chunk
writer = Writer(sys.argv[1], Header(), Redactor())
for number in range(10**7):
    if number % 2:
        writer.write(chunk(number, b"data: %d\\n\\n" % number, turn=1, conn=1))
    else:
        writer.write_many(chunk(number, b"data: %d\\n\\n" % number, turn=1, conn=1) for _ in range(3))
"""


def test_after_kill_9_everything_written_is_readable(tmp_path: Path) -> None:
    path = tmp_path / "a.sse.jsonl"
    process = subprocess.Popen([sys.executable, "-c", WRITES_FOR_EVER, str(path)])
    followed = 0
    try:
        with Follower(path) as follower:
            while followed < 2000 and process.poll() is None:
                followed += len(follower.poll())
            assert process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
            followed += len(follower.poll())
            assert follower.damage == []
    finally:
        process.kill()
        process.wait()
    recording = read_recording(path)
    assert len(list(recording)) == followed >= 2000
    # What a kill leaves is whole records, or at the most one cut line at the end.
    assert len(recording.skipped.damage) <= 1


def test_writing_is_cheap_without_secrets(write: Callable[..., Path], tmp_path: Path) -> None:
    record = chunk(0, b"data: x\n\n", turn=1, conn=1)
    assert Redactor().record(record) is record


@pytest.mark.parametrize("broken", [b"", b"half a line", b"x" * 200_000])
def test_a_recording_is_gone_on_with_after_its_last_whole_line(tmp_path: Path, broken: bytes) -> None:
    path = tmp_path / "r.sse.jsonl"
    with Writer(path, Header(created="first"), Redactor()) as writer:
        writer.write(Note(t=1, text="one"))
    with path.open("ab") as file:
        file.write(broken)
    with Writer(path, Header(created="second"), Redactor(), append=True) as writer:
        assert writer.size == path.stat().st_size
        writer.write(Note(t=2, text="two"))
        assert writer.size == path.stat().st_size
    recording = read_recording(path)
    assert recording.header.created == "first"
    assert [record.text for record in recording if isinstance(record, Note)] == ["one", "two"]
    assert recording.skipped.damage == []


def test_what_is_not_there_cannot_be_gone_on_with(tmp_path: Path) -> None:
    with pytest.raises(RecordingError):
        Writer(tmp_path / "none.sse.jsonl", Header(), Redactor(), append=True)

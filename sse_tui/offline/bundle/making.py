"""Makes a bug bundle: redacted in two passes, written, searched for secrets, and only then moved into place."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sse_tui.analysis.analysis import Analysis
from sse_tui.config import Config, hash_key
from sse_tui.errors import SseTuiError, UsageError
from sse_tui.offline.bundle import words
from sse_tui.offline.bundle.known_secrets import bundle_redactor, learn_secrets
from sse_tui.offline.bundle.proof import RULE, prove_clean, prove_text, spelled_out
from sse_tui.offline.bundle.spelled_out import blanked, secret_spans
from sse_tui.offline.opening import Piped, open_path, spool
from sse_tui.offline.report import Report, report_of
from sse_tui.recording import Recording, Redactor, Writer, read_recording
from sse_tui.recording.secret_hashes import HashedSecrets, read_hashes

Pictures = Callable[[Path], Mapping[str, str]]
"""Makes pictures (file name to SVG) of the recording at a path."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """What was made: where, of which files, how many secrets were searched for, and the report on the stream."""

    path: Path
    files: tuple[str, ...]
    secrets: int
    report: Report


def new_bundle_path(name: str, folder: Path) -> Path:
    """A path in `folder` for the bundle of a recording called `name` that is not taken yet."""
    stem = Path(name).name.removesuffix(".jsonl").removesuffix(".sse").removesuffix(".kept") or "stream"
    number = 1
    while os.path.lexists(path := folder / f"{stem}{f'-{number}' if number > 1 else ''}.bundle.zip"):
        number += 1
    return path


def make_bundle(
    source: Path | int,
    out: Path,
    *,
    config: Config | None = None,
    secrets: tuple[str, ...] = (),
    dialect: str | None = None,
    name: str = "",
    pictures: Pictures = lambda _recording: {},
) -> Bundle:
    """Bundle what `source` (a path, or an open file descriptor) holds: a zip where `out` ends in .zip, else a folder.

    Runs in the calling thread: seconds for a large file. Raises `SseTuiError` with the code "secrets-in-recording" when
    a known secret is found in what was written; then, as after every other error, nothing is left. Raises `UsageError`
    when `out` exists or cannot be written.
    """
    if os.path.lexists(out):
        raise UsageError(
            "bundle-exists", f"{out} already exists.", "A bundle overwrites nothing: choose another name."
        )
    redactor = bundle_redactor(config, secrets)
    try:
        with tempfile.TemporaryDirectory(prefix=".sse-tui-bundle-", dir=out.absolute().parent) as folder:
            work = Path(folder)
            opened = _readable_twice(source, work, redactor)
            name = name or (source.name if isinstance(source, Path) else "standard input")
            used = read_hashes(source, hash_key()) if isinstance(source, Path) else None
            return _Maker(opened, redactor, config, work, used).make(out, dialect, name, pictures)
    except OSError as error:
        raise UsageError("cannot-write", f"Cannot write {out}: {error.strerror}.") from error


def _readable_twice(source: Path | int, work: Path, redactor: Redactor) -> Recording:
    if isinstance(source, Path) and os.path.isfile(source):
        return open_path(source)
    opened = open_path(source) if isinstance(source, Path) else Piped(source)
    return read_recording(spool(opened, work / "spooled.sse.jsonl", redactor))


class _Maker:
    """The steps, in their order."""

    def __init__(
        self,
        opened: Recording,
        redactor: Redactor,
        config: Config | None,
        work: Path,
        used: HashedSecrets | None,
    ) -> None:
        self._opened = opened
        self._redactor = redactor
        self._config = config
        self._limit = (config or Config()).recording.max_event_bytes
        self._used = used
        self._work = work
        self._folder = work / "bundle"
        self._folder.mkdir()

    def make(self, out: Path, dialect: str | None, name: str, pictures: Pictures) -> Bundle:
        recording = self._redacted()
        report = self._report(recording, dialect, name)
        if spelled := {secret for _, secret in spelled_out(report.turns, self._redactor.secrets, self._used)}:
            for secret in spelled:
                self._redactor.learn(secret)
            self._mask_spelled_out(recording, dialect, sorted(spelled))
            report = self._report(recording, dialect, name)
        secrets = self._redactor.secrets
        prove_text(report.turns, secrets, self._used)
        others = self._used.others(secrets) if self._used is not None else None
        _refuse_suspicions(report)
        for file, picture in pictures(recording).items():
            self._write(file, picture)
        script = words.reproduction(report)
        if script:
            self._write("reproduce.sh", script)
            (self._folder / "reproduce.sh").chmod(0o700)
        self._write("report.md", words.issue(report, script))
        self._write("versions.txt", words.versions())
        names = sorted(path.name for path in self._folder.iterdir())
        self._write("README.md", words.readme(names, len(secrets), others, _unsearched(report)))
        self._put(out, secrets)
        return Bundle(out, tuple(sorted([*names, "README.md"])), len(secrets) + (others or 0), report)

    def _redacted(self) -> Path:
        learn_secrets(self._redactor, self._opened, self._used)
        # A second one, which knows them from the start: the first remembers the ends of bodies.
        redactor = bundle_redactor(self._config, self._redactor.secrets)
        path = spool(self._opened, self._folder / words.RECORDING, redactor)
        for secret in redactor.secrets:
            self._redactor.learn(secret)
        return path

    def _mask_spelled_out(self, path: Path, dialect: str | None, secrets: list[str]) -> None:
        recording = read_recording(path)
        analysis = Analysis(recording.header, dialect=dialect, max_event_bytes=self._limit)
        spans = secret_spans(recording, analysis, secrets, read_recording(path))
        draft = self._work / "masked.sse.jsonl"
        with Writer(draft, recording.header, Redactor()) as writer:
            for record in blanked(read_recording(path), spans):
                writer.write(record)
        os.replace(draft, path)

    def _report(self, path: Path, dialect: str | None, name: str) -> Report:
        recording = read_recording(path)
        report = report_of(recording.header, recording, name, dialect=dialect, max_event_bytes=self._limit)
        report.damage = self._opened.notes
        return report

    def _write(self, name: str, text: str) -> None:
        (self._folder / name).write_bytes(text.encode("utf-8", "replace"))

    def _put(self, out: Path, secrets: list[str]) -> None:
        if out.suffix.lower() == ".zip":
            packed = self._work / "bundle.zip"
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                for path in sorted(self._folder.iterdir()):
                    archive.write(path, f"{out.stem}/{path.name}")
            (folder,) = zipfile.Path(packed).iterdir()
            prove_clean(folder.iterdir(), secrets)
            os.replace(packed, out)
        else:
            prove_clean(sorted(self._folder.iterdir()), secrets)
            shutil.move(self._folder, out)


def _refuse_suspicions(report: Report) -> None:
    """Text that looks like a key and is still readable stops the bundle too."""
    for finding in report.findings:
        if finding.rule == RULE:
            raise SseTuiError(
                RULE,
                f"{finding.message} Nothing was written.",
                "Put it into an environment variable: --secret-env NAME.",
            )


def _unsearched(report: Report) -> list[int]:
    """The connections whose body has a content coding that cannot be decoded, or not to its end."""
    return [conn.number for turn in report.turns for conn in turn.connections if conn.undecoded]

"""Writes the result of a command to stdout, or to the file that a user named, completely or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from sse_tui.cli.output import Output
from sse_tui.errors import UsageError


def write_result(data: bytes, output: str | None) -> None:
    """Write `data` to stdout, or replace the file `output` with it. Raises `UsageError`."""
    if output is None:
        Output().raw(data)
        return
    path = Path(output)
    try:
        if path.exists() and not path.is_file():
            # A device or a pipe cannot be replaced.
            path.write_bytes(data)
            return
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            # mkstemp makes the file private; a report gets the mode of any new file.
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError("cannot-write", f"Cannot write {path}: {error.strerror}.") from error

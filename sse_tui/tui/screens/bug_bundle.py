"""The bug bundle: asks for its path, makes it in the background, and says what is in it."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Mapping
from concurrent.futures import CancelledError
from pathlib import Path

from textual.app import App

from sse_tui.errors import SseTuiError, UsageError
from sse_tui.offline.bundle import Bundle, make_bundle, new_bundle_path
from sse_tui.session.live import Live
from sse_tui.text.wording import many
from sse_tui.tui.picture_process import draw_apart
from sse_tui.tui.screens.notices import notify_error
from sse_tui.tui.screens.question import Ask

PICTURE_S = 60


class BugBundle:
    """Bundles what a session has recorded so far. `running` while one is being made."""

    def __init__(self, app: App[int], session: Live) -> None:
        self.running = False
        self._app = app
        self._session = session

    def ask(self) -> None:
        """Ask where the bundle is to go; enter takes the path that is offered."""
        path = self._session.path
        error = self._session.error
        if error is not None and error.code == "recording-removed":
            notify_error(self._app, error)
        elif path is None or not os.path.exists(path):
            self._app.notify("Nothing is recorded yet.", severity="warning")
        elif self.running:
            self._app.notify("A bundle is being made already.")
        else:
            out = new_bundle_path(path.name, Path.cwd())
            self._app.push_screen(
                Ask(
                    "bug bundle", "path of the bundle", value=str(out), subtitle="enter makes it, esc cancels"
                ),
                self._begin,
            )

    def _begin(self, out: str | None) -> None:
        if out:
            self.running = True
            self._app.notify(f"Making {out}")
            self._app.run_worker(self._run(Path(out).expanduser()), group="bundle")

    async def _run(self, out: Path) -> None:
        try:
            made = await asyncio.to_thread(self._make, out, asyncio.get_running_loop())
        except SseTuiError as error:
            notify_error(self._app, error)
        else:
            files = ", ".join(made.files)
            if "screenshot.svg" not in made.files:
                files += "; no picture could be drawn in time"
            secrets = f"searched for {many(made.secrets, 'known secret')}, found none"
            self._app.notify(
                f"{made.path}\n{files}\n{secrets}",
                title="bug bundle",
                timeout=20,
            )
        finally:
            self.running = False

    def _make(self, out: Path, loop: asyncio.AbstractEventLoop) -> Bundle:
        """In a thread: the bundle of a copy, since the recording may grow meanwhile."""
        source = self._session.path
        assert source is not None
        spec = self._session.spec
        known = [*spec.secrets, *([spec.api_key] if spec.api_key else [])]
        try:
            with tempfile.TemporaryDirectory(prefix="sse-tui-") as folder:
                copy = Path(folder) / source.name
                shutil.copyfile(source, copy)
                return make_bundle(
                    copy,
                    out,
                    config=spec.config,
                    secrets=tuple(dict.fromkeys(known)),
                    dialect=spec.dialect,
                    pictures=lambda recording: self._picture(recording, loop),
                )
        except OSError as error:
            raise UsageError("cannot-bundle", f"Cannot bundle {source}: {error.strerror}.") from error

    def _picture(self, recording: Path, loop: asyncio.AbstractEventLoop) -> Mapping[str, str]:
        """A picture of the redacted recording, by a process that the app's event loop looks after."""
        drawing = draw_apart(recording, self._session.spec.dialect, PICTURE_S)
        try:
            return {"screenshot.svg": asyncio.run_coroutine_threadsafe(drawing, loop).result()}
        except (OSError, SseTuiError, CancelledError):
            # Better a bundle without a picture than no bundle.
            return {}

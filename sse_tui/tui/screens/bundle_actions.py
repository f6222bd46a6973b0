"""The bug bundle by a key: where it goes, the work beside the app, and what became of it."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Mapping
from concurrent.futures import CancelledError
from pathlib import Path

from sse_tui.errors import SseTuiError, UsageError
from sse_tui.offline.bundle import Bundle, make_bundle, new_bundle_path
from sse_tui.tui.app_base import SessionApp
from sse_tui.tui.picture_process import draw_apart
from sse_tui.tui.screens.question import Ask

PICTURE_S = 60


class BundleActions(SessionApp):
    """Bundle what is recorded so far."""

    bundling = False

    def action_bundle(self) -> None:
        """Ask where the bundle is to go; enter takes what is offered."""
        path = self.session.path
        if path is None or not path.exists():
            self.notify("There is nothing recorded yet.", severity="warning")
        elif self.bundling:
            self.notify("A bundle is being made already.")
        else:
            out = new_bundle_path(path.name, Path.cwd())
            self.push_screen(
                Ask("bug bundle", "where to", value=str(out), subtitle="enter makes it, esc leaves"),
                self._bundle,
            )

    def _bundle(self, out: str | None) -> None:
        if out:
            self.bundling = True
            self.notify(f"Making {out}")
            self.run_worker(self._make_bundle(Path(out).expanduser()), group="bundle")

    async def _make_bundle(self, out: Path) -> None:
        try:
            made = await asyncio.to_thread(self._bundled, out, asyncio.get_running_loop())
        except SseTuiError as error:
            self.show_error(error)
        else:
            files = ", ".join(made.files)
            if "screenshot.svg" not in made.files:
                files += "; no picture could be drawn in time"
            secrets = (
                f"{made.secrets} known secret{'' if made.secrets == 1 else 's'} searched for, none found"
            )
            self.notify(
                f"{made.path}\n{files}\n{secrets}",
                title="bug bundle",
                timeout=20,
            )
        finally:
            self.bundling = False

    def _bundled(self, out: Path, loop: asyncio.AbstractEventLoop) -> Bundle:
        """In a thread: the bundle of what is recorded so far, from a copy, since the recording may grow meanwhile."""
        source = self.session.path
        assert source is not None
        spec = self.spec
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
        drawing = draw_apart(recording, self.spec.dialect, PICTURE_S)
        try:
            return {"screenshot.svg": asyncio.run_coroutine_threadsafe(drawing, loop).result()}
        except (OSError, SseTuiError, CancelledError):
            # A bundle without a picture is better than none.
            return {}

"""Actions on the session as a whole: keep its recording, bookmark, bundle, restart what has stopped."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import App
from textual.dom import DOMNode

from sse_tui.errors import SseTuiError
from sse_tui.session.live import Live
from sse_tui.tui.screens.bug_bundle import BugBundle
from sse_tui.tui.screens.notices import attempt, notify_error
from sse_tui.tui.screens.question import Ask


class SessionKeys(DOMNode):
    """Holds the ``session.`` actions. A node only so that Textual can run them; it is not on screen."""

    def __init__(self, app: App[int], session: Live, wake: Callable[[], None]) -> None:
        super().__init__()
        self.bug_bundle = BugBundle(app, session)
        self._notices = app
        self._session = session
        self._wake = wake

    def action_bundle(self) -> None:
        self.bug_bundle.ask()

    def action_keep(self) -> None:
        try:
            kept = self._session.keep()
        except SseTuiError as error:
            notify_error(self._notices, error)
            return
        self._notices.notify(
            f"Kept: {kept}" if kept is not None else "This file is your own: nothing will clear it."
        )

    def action_note(self) -> None:
        if self._session.spec.mode == "open":
            self._notices.notify("Bookmarks need a running session; this is a recording.")
            return
        self._notices.push_screen(Ask("bookmark", "what happened here"), self._note)

    async def _note(self, text: str | None) -> None:
        if text:
            await attempt(self._notices, self._session.note(text))

    async def action_retry(self) -> None:
        """Restart a process that died; else send an inspected request again."""
        session, endpoint = self._session, self._session.status.endpoint
        if session.status.capture_gone:
            if await attempt(self._notices, session.restart_capture()):
                self._notices.notify("The capture process is running again; the recording goes on.")
            self._wake()
        elif session.spec.mode == "inspect":
            await attempt(self._notices, session.again())
        elif endpoint is not None and endpoint.state in {"failed", "stopped"}:
            await attempt(self._notices, session.restart_endpoint())
        else:
            self._notices.notify("Nothing has stopped, so there is nothing to restart.")

"""What the keys do to the session itself: keep its recording, write a bookmark, start the endpoint again."""

from __future__ import annotations

from sse_tui.errors import SseTuiError
from sse_tui.tui.app_base import SessionApp
from sse_tui.tui.screens.question import Ask


class SessionActions(SessionApp):
    """Keep, bookmark, try again."""

    def action_keep(self) -> None:
        """Mark the recording to be kept, or take the mark off."""
        try:
            kept = self.session.keep()
        except SseTuiError as error:
            self.show_error(error)
            return
        self.notify(
            f"Kept: {kept}" if kept is not None else "This recording is yours already; nothing clears it."
        )

    def action_note(self) -> None:
        """Ask for a bookmark."""
        if self.spec.mode == "open":
            self.notify("Bookmarks are written while a session runs.")
            return
        self.push_screen(Ask("bookmark", "what happened here"), self._note)

    async def _note(self, text: str | None) -> None:
        if text:
            await self.attempt(self.session.note(text))

    async def action_retry(self) -> None:
        """Start a process that died again; else send an inspected request again."""
        if self.session.status.capture_gone:
            if await self.attempt(self.session.restart_capture()):
                self.notify("The capture process runs again; the recording goes on.")
            self.wake()
            return
        if self.spec.mode == "inspect":
            await self.attempt(self.session.again())
            return
        endpoint = self.session.status.endpoint
        if endpoint is None or endpoint.state not in {"failed", "stopped"}:
            self.notify("There is nothing to start again.")
            return
        await self.attempt(self.session.restart_endpoint())

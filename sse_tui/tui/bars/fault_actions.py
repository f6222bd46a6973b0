"""What the keys of the faults bar do: break the running stream, or arm a fault for later."""

from __future__ import annotations

from sse_tui.tui.app_base import SessionApp
from sse_tui.tui.bars.faults_bar import FaultsBar


class FaultActions(SessionApp):
    """Faults now and later, and the way back to where the focus was."""

    focus_before: str | None = None

    def action_faults(self) -> None:
        """The bar takes the next key."""
        if self.spec.mode == "open":
            self.notify("Faults need a live connection; this is a recording.")
            return
        focused = self.focused
        if focused is not None and focused is not self.faults.keys:
            self.focus_before = focused.id
        self.focus_on(self.faults.keys)

    def action_leave_faults(self) -> None:
        """Back to where the focus was."""
        self.faults.done()
        before = self.query(f"#{self.focus_before}") if self.focus_before else None
        self.focus_on(before.first() if before else self.prompt or self.wire)

    async def action_fault(self, plan: str) -> None:
        """Do it now; without a stream there is nothing to break."""
        self.action_leave_faults()
        if not self.session.busy:
            self.notify("No stream is running: ^x then a arms a fault for the next one.", severity="warning")
            return
        await self.attempt(self.session.fault(plan))

    def action_arm(self) -> None:
        """Ask for a plan."""
        self.faults.ask(self.session.armed or "cut@event=")

    async def on_faults_bar_arm(self, event: FaultsBar.Arm) -> None:
        """Arm a plan, in the running stream or for the next."""
        self.action_leave_faults()
        if await self.attempt(self.session.fault(event.plan)) and self.session.busy:
            self.watch_entries.armed = event.plan

    def action_disarm(self) -> None:
        """Take back a fault that is armed for the next stream."""
        if self.session.armed:
            self.session.armed = ""
        elif self.watch_entries.armed:
            self.notify("It is armed in the running stream and cannot be taken back.")
        self.action_leave_faults()

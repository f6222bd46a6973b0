"""The header line: the server, the state of the stream, and the recording."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from rich.style import Style
from rich.text import Text
from textual.widget import Widget

from sse_tui.analysis.outcome import Outcome
from sse_tui.analysis.turn import Turn
from sse_tui.session.live import Live, SessionStatus
from sse_tui.text.safety import pane_line
from sse_tui.text.wording import many
from sse_tui.tui.bars.endpoint_text import engine_short, loading_text
from sse_tui.tui.detail.findings import SIGNS
from sse_tui.tui.drawing.fit import LinePart, fit_line
from sse_tui.tui.drawing.styles import component_style


class State(NamedTuple):
    """A sign, a word and a style, so that no state is shown by colour alone."""

    sign: str
    word: str
    style: str


STATES = {
    Outcome.CONNECTING: State("◌", "CONNECTING", "wait"),
    Outcome.WAITING: State("○", "WAITING", "wait"),
    Outcome.STREAMING: State("●", "LIVE", "live"),
    Outcome.RECONNECTING: State("↻", "RECONNECTING", "wait"),
    Outcome.UNFINISHED: State("✗", "UNFINISHED", "bad"),
    Outcome.COMPLETE: State("✓", "COMPLETE", "good"),
    Outcome.ENDED: State("✓", "ENDED", "good"),
    Outcome.EMPTY: State("✗", "EMPTY", "bad"),
    Outcome.STOPPED: State("■", "STOPPED", "wait"),
    Outcome.TRUNCATED: State("✗", "TRUNCATED", "bad"),
    Outcome.STOPPED_BY_PROVIDER: State("✗", "STOPPED BY PROVIDER", "bad"),
    Outcome.ERROR: State("✗", "ERROR", "bad"),
    Outcome.REFUSED: State("✗", "REFUSED", "bad"),
    Outcome.FAILED: State("✗", "FAILED", "bad"),
}
ENDPOINT_STATES = {
    "starting": State("◌", "STARTING", "wait"),
    "downloading": State("↓", "DOWNLOADING", "wait"),
    "loading": State("◌", "LOADING", "wait"),
    "ready": State("○", "READY", "good"),
    "failed": State("✗", "FAILED", "bad"),
    "stopped": State("■", "STOPPED", "bad"),
}


_NOT_RECORDED = {"recording-write", "recording-removed"}


class HeaderLine(Widget):
    """One line, fitted to the width: state and time are dropped last."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "header--name", "header--quiet", "header--live", "header--good", "header--wait", "header--bad", "header--rec",
        "header--error", "header--warning", "header--info",
    }  # fmt: skip
    ALLOW_SELECT = False

    def __init__(self, live: Live, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._live = live

    def render(self) -> Text:
        return fit_line(self._parts(), self.size.width)

    def _style(self, name: str) -> Style:
        return component_style(self, f"header--{name}")

    def _parts(self) -> list[LinePart]:
        status = self._live.status
        turn = self._live.analysis.turn
        quiet = self._style("quiet")
        parts = [LinePart(" sse-tui", self._style("name"), 8)]
        parts += self._where(turn, quiet)
        parts += self._state(turn, status)
        if turn is not None:
            parts += self._progress(turn, quiet)
        parts += self._badge()
        if self._live.damaged:
            parts.append(LinePart(many(self._live.damaged, "damaged line"), self._style("bad"), 2))
        if self._live.unknown:
            parts.append(LinePart(many(self._live.unknown, "unknown record"), self._style("wait"), 3))
        if self._live.behind and not self._live.unreadable and self._live.progress < 0.99:
            parts.append(LinePart(f"reading {self._live.progress:.0%}", self._style("wait"), 1))
        if status.endpoint is not None:
            parts.append(LinePart(engine_short(status.endpoint), quiet, 5))
        if status.recording is not None:
            lost = status.error is not None and status.error.code in _NOT_RECORDED
            running = "■ NOT REC" if status.capture_gone or lost else "● REC"
            word = running if self._live.spec.path is None else "◼ FILE"
            name = pane_line(status.recording.name)
            parts.append(
                LinePart(f"{word} {name} ", self._style("rec"), 7, shorter=word + " ", right=True, then=3)
            )
        return parts

    def _badge(self) -> list[LinePart]:
        """How many findings of each severity there are, by letter; nothing while there is none."""
        found = self._live.found
        if not len(found):
            return []
        counts = {severity: count for severity, count in found.counts().items() if count}
        text = " ".join(f"{SIGNS[severity]}{count}" for severity, count in counts.items())
        return [LinePart(text, self._style(next(iter(counts))), 1)]

    def _where(self, turn: Turn | None, quiet: Style) -> list[LinePart]:
        request = next((conn.request for conn in turn.connections if conn.request), None) if turn else None
        model = self._model(turn)
        if request is None:
            return [LinePart(model, "", 4)]
        _, _, rest = request.url.partition("://")
        host, slash, path = rest.partition("/")
        whole = pane_line(f"{request.method} {host}{slash}{path}")
        return [LinePart(whole, "", 6, shorter=pane_line(host), then=5), LinePart(model, "", 4)]

    def _model(self, turn: Turn | None) -> str:
        endpoint = self._live.status.endpoint
        if turn is not None and turn.answer.model:
            return pane_line(turn.answer.model)
        if endpoint is not None and endpoint.model:
            return pane_line(endpoint.model)
        spec = self._live.spec
        local = spec.config.local.model if spec.mode == "chat" and spec.profile.base_url is None else ""
        return pane_line(spec.profile.model or local)

    def _state(self, turn: Turn | None, status: SessionStatus) -> list[LinePart]:
        endpoint, spec = status.endpoint, self._live.spec
        code = loading = ""
        file = self._file_state(turn) if spec.mode == "open" else None
        if file is not None:
            state = file
        elif status.capture_gone:
            state = State("✗", "CAPTURE GONE: F8", "bad")
        elif self._live.broken_off:
            state = State("✗", "BROKEN OFF", "bad")
        elif turn is not None and turn.over and endpoint is not None and endpoint.state == "failed":
            state = State("✗", "ENDPOINT FAILED: F8", "bad")
        elif turn is not None:
            state = STATES[turn.outcome]
            response = next((c.response for c in reversed(turn.connections) if c.response is not None), None)
            code = f"{response.status} " if response is not None else ""
        elif endpoint is not None:
            state = ENDPOINT_STATES.get(endpoint.state, State("◌", endpoint.state.upper(), "wait"))
            loading = loading_text(endpoint)
        elif spec.mode == "open":
            state = State("◌", "READING", "wait")
        elif spec.mode == "chat":
            state = ENDPOINT_STATES["starting" if spec.profile.base_url is None else "ready"]
        else:
            state = STATES[Outcome.CONNECTING]
        shown = f"{code}{state.sign} {state.word}"
        return [LinePart(shown, self._style(state.style), 0), LinePart(loading, "", 1)]

    def _file_state(self, turn: Turn | None) -> State | None:
        """What an opened file that ends too early looks like; None where its last turn says how it stands."""
        live = self._live
        if live.unreadable:
            return State("✗", "UNREADABLE", "bad")
        if live.behind or live.analysis.end is not None or (turn is not None and turn.over) or live.written:
            return None
        return State("✗", "EMPTY", "bad") if turn is None else STATES[Outcome.UNFINISHED]

    def _progress(self, turn: Turn, quiet: Style) -> list[LinePart]:
        parts: list[LinePart] = []
        if turn.last_event_id:
            shown = pane_line(turn.last_event_id)
            shown = f"…{shown[-9:]}" if len(shown) > 12 else shown
            parts.append(LinePart(f"id {shown}", quiet, 5))
        resumed = turn.connection_count - 1
        if resumed > 0:
            parts.append(LinePart(f"resumed {resumed}×", "", 2))
        elapsed = self._elapsed(turn)
        if elapsed is not None:
            parts.append(LinePart(f"{int(elapsed) // 60:02}:{elapsed % 60:04.1f}", "", 1))
        return parts

    def _elapsed(self, turn: Turn) -> float | None:
        t0 = turn.clocks.t0
        if turn.over:
            end = turn.clocks.clocks().stream_end
            return end / 1000 if end is not None else None
        now = self._live.now() if not self._live.broken_off else None
        return (now - t0) / 1e9 if now is not None and t0 is not None and now >= t0 else None

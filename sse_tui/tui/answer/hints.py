"""What the answer pane says while there is no conversation yet: what it is waiting for."""

from __future__ import annotations

from sse_tui.session.live import Live, SessionStatus
from sse_tui.text.safety import pane_line
from sse_tui.tui.bars.endpoint_text import engine_text, loading_text

BAR_CELLS = 30
Hint = tuple[str, str]


def hints(live: Live, status: SessionStatus, waiting: str, retry_key: str) -> list[Hint]:
    """Lines of (style, text). `waiting` is a prompt that will be sent as soon as the model is ready."""
    if live.spec.mode == "open":
        return [("hint", ""), ("hint", "reading the recording…")]
    if status.capture_gone and status.error is not None:
        return [
            ("hint", ""),
            ("error", f"✗ {pane_line(str(status.error))}"),
            ("hint", f"{retry_key} tries again"),
        ]
    if live.spec.mode == "inspect":
        return [
            ("hint", ""),
            ("hint", f"connecting to {pane_line(live.spec.request.url)}" if live.spec.request else ""),
        ]
    lines: list[Hint] = [("hint", ""), ("label", "Chat, with every byte shown in the wire log.")]
    lines += _endpoint(status, retry_key)
    if waiting:
        lines += [
            ("hint", ""),
            ("user", f"▌ {pane_line(waiting)}"),
            ("hint", "will be sent when the model is ready"),
        ]
    return lines


def _endpoint(status: SessionStatus, retry_key: str) -> list[Hint]:
    endpoint = status.endpoint
    if endpoint is None:
        return []
    if endpoint.state == "failed":
        return [
            ("hint", ""),
            ("error", f"✗ {pane_line(endpoint.message)}"),
            ("hint", f"{retry_key} tries again"),
        ]
    if endpoint.state == "ready":
        return [("hint", engine_text(endpoint))]
    lines = [("hint", loading_text(endpoint))]
    if endpoint.state == "downloading" and endpoint.total:
        filled = endpoint.done * BAR_CELLS // endpoint.total
        lines.append(("hint", "█" * filled + "░" * (BAR_CELLS - filled)))
    return lines

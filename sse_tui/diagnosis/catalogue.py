"""All rules: importing this module registers them."""

from __future__ import annotations

from sse_tui.diagnosis import (  # noqa: F401
    buffering,
    comments,
    errors,
    framing,
    idle,
    ids,
    latency,
    payload,
    reconnects,
    responses,
    resume,
    retries,
    secrets,
    shape,
    termination,
    tools,
    usage,
)

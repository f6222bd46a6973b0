"""All rules; importing this module registers them."""

from __future__ import annotations

from sse_tui.diagnosis.rules import (  # noqa: F401
    buffering,
    comments,
    framing,
    hidden_errors,
    ids,
    latency,
    leaked_secrets,
    payloads,
    reconnects,
    responses,
    resumes,
    retries,
    shape,
    silence,
    termination,
    tool_calls,
    usage,
)

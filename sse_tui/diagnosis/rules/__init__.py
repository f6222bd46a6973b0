"""The rules, by what they look at; importing this package registers them."""

from __future__ import annotations

from sse_tui.diagnosis.rules import (  # noqa: F401
    buffering,
    comments,
    empty_answers,
    end_marks,
    framing,
    hidden_errors,
    ids,
    irregular_http,
    leaked_secrets,
    misframed,
    payloads,
    provider_stops,
    read_boundaries,
    reconnects,
    responses,
    resumes,
    retries,
    shape,
    silence,
    stripped_spaces,
    termination,
    token_counts,
    tool_calls,
    unknown_fields,
)

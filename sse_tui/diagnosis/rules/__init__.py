"""The rules, by what they look at; importing this package registers them."""

from __future__ import annotations

from sse_tui.diagnosis.rules import (  # noqa: F401
    buffering,
    comments,
    empty_answers,
    end_marks,
    first_tokens,
    framing,
    held_beginnings,
    hidden_errors,
    ids,
    irregular_http,
    late_reads,
    leaked_secrets,
    misframed,
    payloads,
    placeholders,
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

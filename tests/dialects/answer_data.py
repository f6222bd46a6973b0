"""An answer as plain data, under the names that the indices of recorded streams use."""

from __future__ import annotations

from typing import Any

from sse_tui.dialects import Answer


def as_data(answer: Answer) -> dict[str, Any]:
    """All choices as one, as the indices have them; the rare members only where present."""
    choices = answer.by_choice
    data: dict[str, Any] = {
        "model": answer.model,
        "text": "".join(choice.text for choice in choices),
        "reasoning": "".join(choice.reasoning for choice in choices),
        "refusal": "".join(choice.refusal for choice in choices),
        "tool_calls": answer.calls,
        "finish_reason": answer.finish_reason,
        "usage": answer.usage,
        "error": answer.error._asdict() if answer.error else None,
        "done_sentinel": answer.done_sentinel,
        "json_errors": answer.json_errors,
    }
    if answer.server_tool_calls:
        data["server_tool_calls"] = answer.server_tool_calls
    if answer.tool_plan:
        data["tool_plan"] = answer.tool_plan
    if answer.choices > 1:
        data["choices"] = answer.choices
    if answer.incomplete_reason is not None:
        data["incomplete_reason"] = answer.incomplete_reason
    if answer.final_text is not None:
        data["final_text"] = answer.final_text
    if answer.jsonrpc:
        data["jsonrpc"] = dict(answer.jsonrpc)
    return data

"""What is said of a retry comes from a table: the server's troubles pass, the client's mistakes do not."""

from __future__ import annotations

import pytest

from sse_tui.diagnosis.retry_advice import retry_may_help, retry_words
from sse_tui.dialects.base import StreamFault

ROWS: list[tuple[StreamFault, bool | None]] = [
    (StreamFault("overloaded_error", None, "Overloaded"), True),
    (StreamFault("rate_limit_error", None, "Number of requests has exceeded"), True),
    (StreamFault("api_error", None, "Internal server error"), True),
    (StreamFault("server_error", 500, None), True),
    (StreamFault("InternalServerError", None, "boom"), True),
    (StreamFault("timeout_error", None, None), True),
    (StreamFault("throttlingException", None, "Too many"), True),
    (StreamFault("UNAVAILABLE", 503, "The model is overloaded."), True),
    (StreamFault("RESOURCE_EXHAUSTED", 429, "quota"), True),
    (StreamFault(None, 502, "x"), True),
    (StreamFault(None, "503", "x"), True),
    (StreamFault(None, 429, "x"), True),
    (StreamFault(None, None, "upstream connect error or disconnect/reset before headers"), True),
    (StreamFault(None, None, "Rate limit exceeded, please slow down"), True),
    (StreamFault("insufficient_quota", 429, "You exceeded your current quota"), False),
    (StreamFault("invalid_request_error", None, "max_tokens is too large"), False),
    (StreamFault("authentication_error", 401, "invalid x-api-key"), False),
    (StreamFault("permission_error", None, None), False),
    (StreamFault("not_found_error", 404, "model: x"), False),
    (
        StreamFault("invalid_request_error", "context_length_exceeded", "maximum context length is 8192"),
        False,
    ),
    (StreamFault(None, "content_policy_violation", "blocked"), False),
    (StreamFault("billing_error", None, None), False),
    (StreamFault(None, 400, "x"), False),
    (StreamFault(None, 404, "x"), False),
    (StreamFault(None, 422, "x"), False),
    (StreamFault(None, 501, "x"), False),
    (StreamFault("Expired", 410, "too old resource version"), False),
    (StreamFault(None, None, "boom"), None),
    (StreamFault(None, None, None), None),
    (StreamFault(None, "x", "boom"), None),
]


@pytest.mark.parametrize(("fault", "again"), ROWS)
def test_whether_a_retry_may_help(fault: StreamFault, again: bool | None) -> None:
    assert retry_may_help(fault) is again
    words = {True: "may succeed", False: "unlikely to help", None: "does not show"}
    assert words[again] in retry_words(fault)


def test_a_status_beside_a_code_of_its_own() -> None:
    fault = StreamFault(None, "x", "boom")
    assert [retry_may_help(fault, status) for status in (None, 400, 408, 500)] == [None, False, True, True]

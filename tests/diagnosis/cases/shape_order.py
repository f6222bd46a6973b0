"""Mixed answers, events out of order, and what comes after the finish reason."""

from __future__ import annotations

from tests.diagnosis.building import (
    CLAUDE_BLOCK,
    CLAUDE_START,
    CLAUDE_STOP,
    COUNTS,
    DONE,
    END,
    ROLE,
    STOP,
    chunk,
    claude,
    claude_end,
    claude_text,
    event,
    gemini,
    said,
)
from tests.diagnosis.cases.case import Case

MIXED = [
    Case(
        "t11-two-responses-interleaved",
        said("Tea ", id="x")
        + said("Rain ", id="y")
        + said("is hot.", id="x")
        + said("is wet.", id="y")
        + chunk({}, "stop", id="x")
        + chunk({}, "stop", id="y")
        + DONE,
        findings={
            "mixed-answers": "error two answers are mixed. By their ids, '.+' says '.+'; '.+' says '.+'"
        },
    ),
    Case(
        "mixed-after-many-chunks",
        b"".join(said("a ", id="x") for _ in range(30)) + said("B", id="y") + said("c", id="x") + END,
        findings={"mixed-answers": "error 'y' says 'B'"},
    ),
    Case(
        "another-id-with-the-usage-only",
        said("a", id="x") + said("b", id="x") + chunk({}, "stop", id="x") + chunk({}, id="z") + COUNTS + DONE,
        silent=("mixed-answers",),
        quiet=True,
    ),
    Case(
        "one-answer-that-goes-on-under-another-id",
        said("a", "b", id="x") + said("c", "d", id="y") + END,
        findings={"changed-id": "info from 'x' to 'y'"},
        silent=("mixed-answers", "id-in-every-chunk"),
        quiet=True,
    ),
    Case(
        "a-new-id-in-every-chunk",
        b"".join(said(letter, id=f"chunk-{n}") for n, letter in enumerate("calm sea"))
        + chunk({}, "stop", id="last")
        + DONE,
        text="calm sea",
        findings={"id-in-every-chunk": "info 9 chunks have a response id of their own"},
        quiet=True,
    ),
]

ORDER = [
    Case(
        "v07-finish-twice",
        ROLE + said("calm") + STOP + said(" sea") + chunk({}, "length") + DONE,
        findings={
            "content-after-finish": "warning came after the finish reason 'stop' of event 3",
            "repeated-finish": "warning 'stop' in event 3, then 'length'",
        },
    ),
    Case(
        "text-beside-a-second-finish-reason",
        ROLE + said("calm") + STOP + chunk({"content": " sea"}, "stop") + DONE,
        findings={"content-after-finish": "warning ' sea' came after"},
    ),
    Case(
        "text-after-the-finish-of-a-long-answer",
        ROLE + b"".join(said(f"{n} ") for n in range(40)) + STOP + said("more") + DONE,
        findings={"content-after-finish": "warning 'more' came after the finish reason 'stop' of event 42"},
    ),
    Case(
        "a-call-after-the-finish-reason",
        ROLE
        + said("calm")
        + STOP
        + chunk({"tool_calls": [{"index": 0, "id": "t", "function": {"name": "look", "arguments": "{}"}}]})
        + DONE,
        findings={"content-after-finish": "warning 'look' came after"},
    ),
    Case(
        "the-finish-reason-again-with-the-usage",
        ROLE
        + said("calm")
        + STOP
        + chunk({}, "stop", usage={"prompt_tokens": 1, "completion_tokens": 1})
        + DONE,
        findings={"repeated-finish": "info 'stop' came again"},
        silent=("content-after-finish",),
        quiet=True,
    ),
    Case(
        "a-finish-reason-in-every-chunk",
        chunk({"content": "a"}, "stop")
        + chunk({"content": "b"}, "stop")
        + chunk({"content": "c"}, "stop")
        + DONE,
        text="abc",
        findings={"content-after-finish": "warning 'b' came after", "repeated-finish": "info"},
    ),
    Case(
        "gemini-answers-interleaved",
        gemini("Tea ", responseId="x")
        + gemini("Rain ", responseId="y")
        + gemini("is hot.", responseId="x")
        + gemini("is wet.", "STOP", responseId="y"),
        findings={"mixed-answers": "error 'x' says 'Tea is hot.'; 'y' says 'Rain is wet.'"},
    ),
    Case(
        "gemini-with-a-finish-reason-in-every-event",
        gemini("a", "STOP") + gemini("b", "STOP") + gemini("c", "STOP"),
        text="abc",
        findings={"repeated-finish": "info"},
        silent=("content-after-finish",),
        quiet=True,
    ),
    Case(
        "choices-that-finish-one-after-another",
        ROLE
        + said("a")
        + said("b").replace(b'"index": 0', b'"index": 1')
        + STOP
        + said("c").replace(b'"index": 0', b'"index": 1')
        + STOP.replace(b'"index": 0', b'"index": 1')
        + DONE,
        silent=("content-after-finish", "repeated-finish"),
        quiet=True,
    ),
    Case(
        "anthropic-without-message-start",
        claude(CLAUDE_BLOCK, claude_text("a"), CLAUDE_STOP, *claude_end(1)),
        text="a",
        findings={"event-order": "warning content_block_start came before message_start"},
    ),
    Case(
        "anthropic-delta-without-a-start",
        claude(CLAUDE_START, claude_text("a"), CLAUDE_STOP, *claude_end()),
        findings={
            "event-order": "warning content_block_delta for index 0 came without a content_block_start"
        },
    ),
    Case(
        "anthropic-stop-without-a-start",
        claude(CLAUDE_START, CLAUDE_STOP, *claude_end()),
        findings={"event-order": "warning content_block_stop for index 0 came without a content_block_start"},
    ),
    Case(
        "anthropic-delta-after-its-stop",
        claude(
            CLAUDE_START,
            CLAUDE_BLOCK,
            *map(claude_text, "calm sea and sky"),
            CLAUDE_STOP,
            claude_text("!"),
            *claude_end(),
        ),
        text="calm sea and sky!",
        findings={"event-order": "warning content_block_delta for index 0 came after its content_block_stop"},
    ),
    Case(
        "anthropic-message-start-again",
        claude(
            CLAUDE_START,
            CLAUDE_BLOCK,
            claude_text("a"),
            CLAUDE_START,
            claude_text("b"),
            CLAUDE_STOP,
            *claude_end(),
        ),
        findings={"event-order": "warning message_start came again in the middle"},
    ),
    Case(
        "anthropic-blocks-in-order",
        claude(
            CLAUDE_START,
            {"type": "ping"},
            CLAUDE_BLOCK,
            claude_text("a"),
            CLAUDE_STOP,
            {**CLAUDE_BLOCK, "index": 1},
            {**claude_text("b"), "index": 1},
            {**CLAUDE_STOP, "index": 1},
            *claude_end(),
        ),
        text="ab",
        silent=("event-order",),
        quiet=True,
    ),
    Case(
        "cohere-delta-without-a-start",
        claude(
            {"type": "message-start", "id": "c", "delta": {"message": {"role": "assistant"}}},
            {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "a"}}}},
            {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
        ),
        findings={"event-order": "info content-delta for index 0 came without a content-start"},
    ),
    Case(
        "an-unknown-stream-goes-on-after-done",
        event({"n": 1}) + DONE + event({"n": 2}),
        outcome="ended",
        findings={"data-after-terminal": "info"},
        quiet=True,
    ),
    Case(
        "responses-from-the-middle",
        claude(
            {
                "type": "response.output_text.delta",
                "output_index": 0,
                "content_index": 0,
                "delta": "a",
                "sequence_number": 9,
            },
            {
                "type": "response.completed",
                "response": {"id": "r", "status": "completed"},
                "sequence_number": 10,
            },
        ),
        text="a",
        silent=("event-order",),
    ),
]

CASES = [*MIXED, *ORDER]

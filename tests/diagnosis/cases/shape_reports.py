"""Payloads of an odd shape, each rebuilt from the public report in its name."""

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
    counted,
    said,
)
from tests.diagnosis.cases.case import Case

CASES = [
    Case(
        "cloudflare-ai-651-tokens-of-digits-are-numbers",
        said("It costs $")
        + chunk({"content": 0}, usage={"prompt_tokens": 0, "completion_tokens": 1})
        + said(".")
        + chunk({"content": 5}, usage={"prompt_tokens": 0, "completion_tokens": 1})
        + END,
        text="It costs $.",
        findings={"wrong-type": "warning delta.content is a number .*the text in it, '[05]', is not read"},
    ),
    Case(
        "kohaku-terrarium-48-a-low-surrogate-from-a-byte",
        ROLE + said("caf\udcc3", "\udca9") + END,
        text="caf\ufffd\ufffd",
        findings={"lone-surrogates": "warning"},
    ),
    Case(
        "tt-inference-server-2594-each-half-decoded-alone",
        ROLE + chunk({"content": " \ufffd"}) + chunk({"content": "\ufffd"}) + END,
        text=" \ufffd\ufffd",
        findings={"replacement-characters": "warning 2 times"},
    ),
    Case(
        "sub2api-5771-grok-counts-reasoning-apart",
        counted(
            {
                "prompt_tokens": 10120,
                "completion_tokens": 1499,
                "total_tokens": 14428,
                "prompt_tokens_details": {"cached_tokens": 128},
                "completion_tokens_details": {"reasoning_tokens": 2809},
            }
        ),
        result={"usage": {"input": 10120, "output": 4308, "reasoning": 2809, "cached": 128}},
        silent=("usage-mismatch",),
        quiet=True,
    ),
    Case(
        "chatlas-435-two-equal-deltas-at-the-start",
        said("\n", "\n", "Here it is.") + END,
        text="\n\nHere it is.",
        silent=("cumulative-text",),
        quiet=True,
    ),
    Case(
        "foundry-local-144-another-id-in-every-chunk",
        b"".join(
            said(word, id=f"chat.id.{n}")
            for n, word in enumerate(("In", " the", " sky", ",", " maybe"), 4110)
        )
        + END,
        text="In the sky, maybe",
        findings={"id-in-every-chunk": "info"},
        silent=("mixed-answers",),
        quiet=True,
    ),
    Case(
        "chatmock-114-stop-after-tool-calls",
        said("Let me look.")
        + chunk({"tool_calls": [{"index": 0, "id": "t", "function": {"name": "look", "arguments": "{}"}}]})
        + chunk({}, "tool_calls")
        + STOP
        + DONE,
        findings={"repeated-finish": "warning 'tool_calls' in event 3, then 'stop'"},
    ),
    Case(
        "cliproxyapi-530-block-before-message",
        claude(CLAUDE_BLOCK, CLAUDE_START, claude_text("a"), CLAUDE_STOP, *claude_end()),
        text="a",
        findings={"event-order": "warning content_block_start came before message_start"},
    ),
    Case(
        "new-api-1502-message-started-twice",
        claude(CLAUDE_START, CLAUDE_START, CLAUDE_BLOCK, claude_text("a"), CLAUDE_STOP, *claude_end()),
        text="a",
        findings={"event-order": "warning message_start came again"},
    ),
    Case(
        "litellm-30115-no-output-item-added",
        claude(
            {"type": "response.created", "response": {"id": "r", "model": "m"}},
            {"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "delta": "a"},
            {"type": "response.completed", "response": {"id": "r", "status": "completed"}},
        ),
        text="a",
        findings={"event-order": "info for output_index 0 came without a response.output_item.added"},
    ),
    Case(
        "anthropic-sdk-python-1690-a-block-index-is-skipped",
        claude(
            CLAUDE_START,
            {**CLAUDE_BLOCK, "index": 1},
            {**claude_text("a"), "index": 1},
            {**CLAUDE_STOP, "index": 1},
            *claude_end(),
        ),
        text="a",
        findings={"event-order": "warning content_block_start for index 1 came where index 0 is due"},
    ),
    Case(
        "vllm-36944-the-finish-reason-beside-the-last-text",
        said("calm") + chunk({"content": " sea"}, "length") + COUNTS + DONE,
        text="calm sea",
        silent=("content-after-finish", "repeated-finish"),
    ),
]

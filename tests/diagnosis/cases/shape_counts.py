"""Usage in every spelling, and text that is sent again with every delta."""

from __future__ import annotations

from typing import Any

from tests.diagnosis.building import (
    CLAUDE_BLOCK,
    CLAUDE_START,
    CLAUDE_STOP,
    DONE,
    END,
    ROLE,
    chunk,
    claude,
    claude_end,
    claude_text,
    counted,
    event,
    gemini,
    said,
)
from tests.diagnosis.cases.case import Case

SPELLINGS: dict[str, dict[str, Any]] = {
    "as-floats": {"prompt_tokens": 5.0, "completion_tokens": 7.0},
    "in-camel-case": {"promptTokens": 5, "completionTokens": 7, "totalTokens": 12},
    "as-input-and-output": {"input_tokens": 5, "output_tokens": 7},
    "in-a-member": {"tokens": {"input_tokens": 5, "output_tokens": 7}},
    "as-input-and-output-alone": {"input": 5, "output": 7, "total": 12},
    "as-billed": {"billed_units": {"input_tokens": 5, "output_tokens": 7}},
    "as-google-spells-it": {"promptTokenCount": 5, "candidatesTokenCount": 7},
    "as-bedrock-spells-it": {"inputTokens": 5, "outputTokens": 7},
    "as-ollama-spells-it": {"prompt_eval_count": 5, "eval_count": 7},
}

USAGE = [
    Case(
        "s17-anthropic-usage-cumulative",
        claude(CLAUDE_START, CLAUDE_BLOCK, claude_text("calm sea"), CLAUDE_STOP, *claude_end()),
        outcome="complete",
        result={"usage": {"input": 25, "output": 15}},
        silent=("running-usage",),
        quiet=True,
    ),
    Case(
        "s31-usage-in-every-chunk",
        b"".join(
            chunk(
                {"content": letter},
                usage={"prompt_tokens": 10, "completion_tokens": n, "total_tokens": 10 + n},
            )
            for n, letter in enumerate("abc", 1)
        )
        + chunk({}, "stop", usage={"prompt_tokens": 10, "completion_tokens": 3})
        + DONE,
        text="abc",
        result={"usage": {"input": 10, "output": 3}},
        findings={"running-usage": "info 3 events"},
        quiet=True,
    ),
    Case(
        "gemini-usage-in-every-event",
        b"".join(
            gemini(letter, usageMetadata={"promptTokenCount": 4, "candidatesTokenCount": n})
            for n, letter in enumerate("abcd", 1)
        )
        + gemini("e", "STOP", usageMetadata={"promptTokenCount": 4, "candidatesTokenCount": 5}),
        result={"usage": {"input": 4, "output": 5}},
        findings={"running-usage": "info 5 events"},
        quiet=True,
    ),
    Case(
        "v06-lm-fields-usage-strings",
        counted({"prompt_tokens": "5", "completion_tokens": "7", "total_tokens": "12"}),
        result={"usage": {"input": 5, "output": 7}},
        findings={"wrong-type": "info usage.prompt_tokens is a string where a number is due"},
        quiet=True,
    ),
    *(
        Case(f"usage-{name}", counted(usage), result={"usage": {"input": 5, "output": 7}}, quiet=True)
        for name, usage in SPELLINGS.items()
    ),
    Case(
        "reasoning-beside-the-completion",
        counted(
            {
                "prompt_tokens": 5,
                "completion_tokens": 7,
                "total_tokens": 112,
                "completion_tokens_details": {"reasoning_tokens": 100},
            }
        ),
        result={"usage": {"input": 5, "output": 107, "reasoning": 100}},
        silent=("usage-mismatch",),
        quiet=True,
    ),
    Case(
        "reasoning-within-the-completion",
        counted(
            {
                "prompt_tokens": 5,
                "completion_tokens": 107,
                "total_tokens": 112,
                "completion_tokens_details": {"reasoning_tokens": 100},
            }
        ),
        result={"usage": {"input": 5, "output": 107, "reasoning": 100}},
        quiet=True,
    ),
    Case(
        "cohere-reasoning-tokens",
        claude(
            {"type": "message-start", "id": "c", "delta": {"message": {"role": "assistant"}}},
            {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "calm"}}}},
            {
                "type": "message-end",
                "delta": {
                    "finish_reason": "COMPLETE",
                    "usage": {
                        "billed_units": {"input_tokens": 3, "output_tokens": 30},
                        "tokens": {"input_tokens": 66, "output_tokens": 34, "reasoning_tokens": 29},
                    },
                },
            },
        ),
        result={"usage": {"input": 66, "output": 34, "reasoning": 29}},
        quiet=True,
    ),
]

REPEATED = [
    Case(
        "s10-cumulative-deltas",
        ROLE + said("A", "A calm", "A calm sea", "A calm sea and", "A calm sea and sky") + END,
        outcome="complete",
        findings={"cumulative-text": "warning begins with all the text before it.*Read so, the text is"},
    ),
    Case(
        "s11-gemini-cumulative",
        gemini("A") + gemini("A calm") + gemini("A calm sea") + gemini("A calm sea and sky", "STOP"),
        findings={"cumulative-text": "warning Read so, the text is '[^']+', 18 characters"},
    ),
    Case(
        "cumulative-anthropic",
        claude(
            CLAUDE_START,
            CLAUDE_BLOCK,
            *map(claude_text, ("A", "A calm", "A calm sea")),
            CLAUDE_STOP,
            *claude_end(),
        ),
        findings={"cumulative-text": "warning 'A calm sea', 10 characters"},
    ),
    Case(
        "cumulative-after-much-reasoning",
        ROLE
        + b"".join(chunk({"reasoning_content": f"step {n}. "}) for n in range(30))
        + said("A", "A calm", "A calm sea", "A calm sea and sky")
        + END,
        findings={"cumulative-text": "warning 'A calm sea and sky'"},
    ),
    Case(
        "a-long-cumulative-answer",
        ROLE + said(*(" ".join(map(str, range(n))) for n in range(1, 60))) + END,
        findings={"cumulative-text": "warning 166 characters; a client that appends the 59 pieces"},
    ),
    Case(
        "cumulative-members-of-an-unknown-stream",
        b"".join(
            event({"state": {"log": text}, "n": 1})
            for text in ("go", "go on", "go on to", "go on to the end")
        ),
        findings={"cumulative-text": "info event's 'state.log' .*'go on to the end'"},
        quiet=True,
    ),
    Case(
        "cumulative-plain-text",
        b"".join(event(text) for text in ("go", "go on", "go on to", "go on to the end")),
        findings={"cumulative-text": "info event's data .*'go on to the end'"},
        quiet=True,
    ),
    Case(
        "the-whole-text-again-at-the-end",
        said("A calm sea", " and sky.", "A calm sea and sky.") + END,
        findings={"doubled-text": "info same 19 characters twice"},
        quiet=True,
    ),
    Case("a-refrain", said("La la la la, ") * 5 + END, silent=("doubled-text",), quiet=True),
    Case(
        "laughter",
        ROLE + said("ha", "haha", "hahaha", "hahahaha!") + END,
        silent=("cumulative-text",),
        quiet=True,
    ),
    Case(
        "counting",
        ROLE + said("1", "10", "100", ", ", "1", "10") + END,
        silent=("cumulative-text",),
        quiet=True,
    ),
    Case(
        "growing-rules",
        ROLE + said("-", "--", "----", "\n", "\n\n", "    ", "        ") + END,
        silent=("cumulative-text",),
        quiet=True,
    ),
    Case(
        "one-delta-that-begins-like-the-one-before",
        ROLE + said("in", "into", " the", "in", "inside") + END,
        silent=("cumulative-text",),
        quiet=True,
    ),
]

CASES = [*USAGE, *REPEATED]

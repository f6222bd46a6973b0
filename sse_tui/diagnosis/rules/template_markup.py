"""Rules about what a model's chat template leaves in the text: tags around its reasoning, and control tokens."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, UNDERSTOOD, Occurrence, also, rule
from sse_tui.dialects.base import Meta
from sse_tui.dialects.markup import PAIRS, control_tokens
from sse_tui.eventstream import Event, Ignored, Tail
from sse_tui.recording.records import Close

_NAMED = 5  # tokens that a message names

# What a token belongs to, by a part of it.
_TEMPLATES = (
    (("<|channel|>", "<|message|>", "<|start|>", "<|return|>", "<|call|>"), "Harmony, gpt-oss's format"),
    (("<|im_",), "ChatML"),
    (
        ("<|eot_id|>", "_header_id|>", "<|python_tag|>", "<|begin_of_text|>", "<|eom_id|>"),
        "Llama 3's template",
    ),
    (("_of_turn>",), "Gemma's template"),
    (("INST]", "SYS>>", "TOOL_CALLS]", "AVAILABLE_TOOLS]"), "Mistral's and Llama 2's template"),
    (("\uff5c",), "DeepSeek's template"),
)


@rule(
    "info",
    *UNDERSTOOD,
    advice="In the server, turn the reasoning parser on: --reasoning-parser with vLLM and SGLang, --reasoning-format "
    "with llama.cpp, think with Ollama; in the client, take out what stands between the tags.",
    reference="linshenkx/prompt-optimizer#348; QwenLM/qwen-code#6666; bytedance/deer-flow#3217",
)
def reasoning_tags(_: Event | Ignored | Tail, facts: Facts) -> Occurrence | None:
    """The reasoning came in the text, between tags: clients that do not know the tags show it as the answer."""
    for delta in facts.entry.deltas:
        if isinstance(delta, Meta) and delta.name == "reasoning-tag":
            tag = delta.value
            closing = PAIRS.get(tag.lower())
            where = (
                f"between {tag} and {closing}"
                if closing
                else f"before {tag}, without an opening tag in front of it"
            )
            return Occurrence(
                f"The reasoning came in the text, {where}. It is shown as reasoning here; clients that do not know the "
                "tag show it as the answer, and count its first token as the first output.",
                evidence={"tag": tag},
            )
    return None


@also("reasoning-tags", CLOSE)
def unclosed_reasoning(_: Close, facts: Facts) -> Occurrence | None:
    """The same where the closing tag is missing: all of the text is reasoning."""
    markup = facts.turn.view.dialect.markup
    tag = markup.unclosed if markup is not None else None
    if tag is None:
        return None
    return Occurrence(
        f"The text begins with {tag}, and {PAIRS[tag.lower()]} never came: all of it is shown as reasoning here, and "
        "clients that wait for the closing tag show no answer.",
        evidence={"closed": False},
        amend=True,
    )


@rule(
    "info",
    *UNDERSTOOD,
    advice="In the server, use the chat template of the model and skip special tokens (skip_special_tokens), or turn "
    "on the parser of the format; in the client, do not show them.",
    reference="OpenAI's Harmony response format; ggml-org/llama.cpp#15341",
)
def control_token(_: Event | Ignored | Tail, facts: Facts) -> Occurrence | None:
    """Control tokens of a chat template in the text: the server did not take them out, and readers see them."""
    found = [
        str(delta.value)
        for delta in facts.entry.deltas
        if isinstance(delta, Meta) and delta.name == "control-token"
    ]
    if not found or facts.turn.control_token_seen:
        return None
    facts.turn.control_token_seen = True
    return Occurrence(_control(found), evidence={"tokens": found[:_NAMED]})


@also("control-token", CLOSE)
def control_tokens_in_all(_: Close, facts: Facts) -> Occurrence | None:
    """The same over the whole text: tokens that were cut over deltas, and whether the text begins or ends with one."""
    text = facts.turn.view.answer.text
    found = control_tokens(text)
    if not found:
        return None
    first, (at, last) = found[0][0], found[-1]
    outside = not text[:first].strip() or not text[at + len(last) :].strip()
    tokens = [token for _, token in found]
    return Occurrence(
        _control(tokens),
        # A text about templates has them too, but not where it begins or ends.
        "warning" if outside else None,
        evidence={"tokens": list(dict.fromkeys(tokens))[:_NAMED], "count": len(tokens)},
        amend=facts.turn.control_token_seen,
    )


def _control(tokens: list[str]) -> str:
    names = list(dict.fromkeys(tokens))
    shown = ", ".join(names[:_NAMED]) + (" ..." if len(names) > _NAMED else "")
    origin = next(
        (name for parts, name in _TEMPLATES if any(part in each for part in parts for each in names)), ""
    )
    belong = f" ({origin})" if origin else ""
    return (
        f"The text holds {shown}, control tokens of a chat template{belong}: readers see them in the answer."
    )

"""The rule about tool calls that the server left in the text, as the model wrote them."""

from __future__ import annotations

import re
from typing import Any

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import OVER, Occurrence, rule
from sse_tui.dialects.payload import JsonError, decode, items, members, string
from sse_tui.dialects.substance import shown

# How models write a call, where a line begins with it: Hermes and Qwen, Llama 3, Claude's older form and those after
# it, and what MiniMax and GLM made of these.
_TAGGED = re.compile(
    r"^[ \t]*(?P<tag><tool_calls?>|<(?:\w+:)?function_calls?>|<function=[\w.-]{1,64}>|<(?:\w+:)?invoke name=|"
    r"<(?:\w+:)?tool_call>|<tool_use>|<use_tool>|<call_tool>)\s*(?P<next>[\w{\[<\"'])",
    re.M,
)
_NAMED = re.compile(r'"name"\s*:\s*"([\w.:-]{1,64})"|<function=([\w.-]{1,64})>|invoke name="([\w.-]{1,64})"')
_FENCE = "```"
_FENCED = re.compile(r"\A```(?:json|tool_call|tool_code|xml)?\s*\n(.*?)\n?```\Z", re.S)
_LONGEST = 100_000  # characters of a text that is decoded
_ARGUMENTS = ("arguments", "parameters", "args")


@rule(
    "warning",
    OVER,
    advice="In the server, turn on the parser of the model's tool calls: --enable-auto-tool-choice and "
    "--tool-call-parser with vLLM, --tool-call-parser with SGLang, --jinja with llama.cpp.",
    reference="Arthur-Ficial/apfel#224; guoqingbao/xinfer#383; sgl-project/sglang#3387",
)
def tool_call_in_text(_: None, facts: Facts) -> Occurrence | None:
    """A tool call in the text, as the model wrote it: clients show it to the reader and run nothing."""
    answer = facts.turn.view.answer
    if not facts.turn.json_answers or not answer.text_length:
        return None
    text = answer.text
    form, name = _call_in(text)
    if not form:
        return None
    beside = next((call for call in answer.calls if call["name"]), None)
    if beside is not None:
        effect = f"the call to {shown(str(beside['name']))!r} came as a tool call as well: clients show it and run it"
    elif form == "JSON":
        effect = "no tool call came: clients show it to the reader and run nothing, if it was meant as a call"
    else:
        effect = "no tool call came: clients show it to the reader and run nothing"
    called = f" to {shown(name)!r}" if name else ""
    return Occurrence(
        f"The text holds a tool call{called} as the model wrote it ({form}), and {effect}.",
        "info" if form == "JSON" and beside is None else None,  # it may be the answer that was asked for
        evidence={"form": form, "name": name or None, "also_called": beside is not None},
    )


def _call_in(text: str) -> tuple[str, str]:
    """The form of a call in a text, and the name of the tool; "" and "" without one."""
    if "<" in text and (found := _TAGGED.search(text)) is not None:
        before = text[: found.start()]
        if before.count(_FENCE) % 2 == 0:  # within a fence it is quoted
            named = _NAMED.search(text, found.start())
            name = next(filter(None, named.groups()), "") if named is not None else ""
            return found["tag"].rstrip("=").removesuffix(" name"), name
    bare = text.strip()
    if len(bare) > _LONGEST:
        return "", ""
    fenced = _FENCED.match(bare)
    bare = fenced[1].strip() if fenced is not None else bare
    if bare[:1] not in ("{", "["):
        return "", ""
    try:
        value = decode(bare)
    except JsonError:
        return "", ""
    name = _called(value)
    return ("JSON", name) if name else ("", "")


def _called(value: Any) -> str:
    """The name of the tool that a JSON value calls, "" where it is no call."""
    if isinstance(value, list):
        names = [_called(each) for each in value[:8] if isinstance(each, dict)]
        return names[0] if names and all(names) and len(names) == min(len(value), 8) else ""
    fields = members(value)
    calls = items(fields.get("tool_calls")) or items(fields.get("function_calls"))
    if calls:
        return _called(calls)
    fields = members(fields.get("function")) or members(fields.get("function_call")) or fields
    given = next((fields[name] for name in _ARGUMENTS if name in fields), None)
    name = string(fields.get("name"))
    return name if name and isinstance(given, dict | str) and len(fields) <= 4 else ""

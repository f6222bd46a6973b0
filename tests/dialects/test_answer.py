from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sse_tui.dialects import Answer
from sse_tui.dialects.base import (
    Delta,
    Finish,
    Malformed,
    Meta,
    Progress,
    Reasoning,
    Refusal,
    StreamFault,
    Text,
    ToolCall,
    Usage,
)
from tests.dialects.answer_data import as_data


def assembled(*deltas: Delta) -> Answer:
    answer = Answer()
    for delta in deltas:
        answer.add(delta)
    return answer


def test_nothing() -> None:
    assert as_data(Answer()) == {
        "model": None,
        "text": "",
        "reasoning": "",
        "refusal": "",
        "tool_calls": [],
        "finish_reason": None,
        "usage": None,
        "error": None,
        "done_sentinel": False,
        "json_errors": 0,
    }


def test_everything() -> None:
    answer = assembled(
        Meta("model", "m"),
        Reasoning("hm"),
        Text("Hi"),
        Refusal("no"),
        ToolCall(0, "a", "f", "{}"),
        Progress(1, 2),
        Finish("stop"),
        Usage(1, 2, 3, 4),
        StreamFault("t", "c", "m"),
        Malformed("x"),
        Malformed("y", "json"),
        Meta("server_tool_call", {"type": "search", "name": "web"}),
        Meta("tool_plan", "first "),
        Meta("tool_plan", "this"),
        Text("b", 1),
        Meta("done", "[DONE]"),
        Meta("anything", None),
    )
    assert as_data(answer) == {
        "model": "m",
        "text": "Hib",
        "reasoning": "hm",
        "refusal": "no",
        "tool_calls": [{"id": "a", "name": "f", "arguments": "{}"}],
        "finish_reason": "stop",
        "usage": {"input": 1, "output": 2, "reasoning": 3, "cached": 4},
        "error": {"type": "t", "code": "c", "message": "m"},
        "done_sentinel": True,
        "json_errors": 1,
        "server_tool_calls": [{"type": "search", "name": "web"}],
        "tool_plan": "first this",
        "choices": 2,
    }
    assert answer.progress == Progress(1, 2)


@given(st.lists(st.tuples(st.text(max_size=5), st.integers(-2, 3), st.booleans())))
def test_each_choice_has_its_text_however_often_it_is_asked_for(pieces: list[tuple[str, int, bool]]) -> None:
    answer = Answer()
    for text, index, ask in pieces:
        answer.add(Text(text, index))
        assert not ask or sum(len(choice.text) for choice in answer.by_choice) == answer.text_length
    expected: dict[int | None, str] = {}
    for text, index, _ in sorted(pieces, key=lambda piece: piece[1]):
        expected[index] = expected.get(index, "") + text
    assert {choice.index: choice.text for choice in answer.by_choice} == expected
    assert answer.text == next(iter(expected.values()), "")


def test_the_joined_text_is_kept_until_more_comes() -> None:
    answer = assembled(Text("a" * 1_000), Text("b"))
    assert answer.text is answer.text
    answer.add(Text("c"))
    assert answer.text.endswith("bc")


def test_an_empty_model_name_does_not_replace_one() -> None:
    assert assembled(Meta("model", "m"), Meta("model", "")).model == "m"


def test_a_later_usage_replaces_the_earlier_one_whole() -> None:
    assert assembled(Usage(1, 2, 3), Usage(1, 5)).usage == {"input": 1, "output": 5}

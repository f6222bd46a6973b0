from __future__ import annotations

from typing import Any

import pytest
from textual.actions import parse

from sse_tui.session.spec import SessionSpec
from sse_tui.tui.actions import ACTIONS, BY_ID, FOOTER_KEYS, FOOTERS, Keymap, bindings, footer
from sse_tui.tui.app import SseTuiApp


def test_every_id_is_there_once() -> None:
    assert len(BY_ID) == len(ACTIONS)


def test_no_key_has_two_meanings_in_one_scope() -> None:
    for scope in {action.scope for action in ACTIONS}:
        keys = [key for action in ACTIONS if action.scope == scope for key in Keymap().keys(action)]
        assert len(keys) == len(set(keys)), scope


def test_a_key_that_is_typed_is_never_taken_from_the_prompt() -> None:
    for binding in bindings("app"):
        if binding.priority:
            assert all(len(key) > 1 and key != "space" for key in binding.key.split(",")), binding


def test_the_footer_names_at_most_seven_known_actions() -> None:
    for pane, names in FOOTERS.items():
        assert len(names) <= FOOTER_KEYS
        assert [action.id for action in footer(pane)] == list(names)


def test_own_keys_replace_all_keys_of_an_action() -> None:
    keymap = Keymap({"find": "ctrl+g"})
    assert keymap.keys(BY_ID["find"]) == ["ctrl+g"]
    assert keymap.textual == {"find": "ctrl+g", "find.plain": "ctrl+g"}
    assert keymap.first(BY_ID["find"]) == "^g"
    assert keymap.problems == []


def test_an_unknown_action_names_the_nearest_one() -> None:
    (problem,) = Keymap({"find.nxt": "x"}).problems
    assert "find.nxt" in problem
    assert "find.next" in problem


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_every_action_says_what_it_does_in_a_sentence(action: Any) -> None:
    assert action.help.endswith(".")
    assert action.label


async def test_every_action_is_there_to_be_run() -> None:
    app = SseTuiApp(SessionSpec(mode="chat", engine="scripted"))
    async with app.run_test(size=(120, 36)):
        targets = {"app": app, "wire": app.workspace.wire.log_view, "answer": app.workspace.answer,
                   "detail": app.workspace.detail, "findings": app.workspace.detail.findings, "prompt": app.prompt,
                   "faults": app.faults, "plan": app.faults.query_one("#fault-plan")}  # fmt: skip
        for action in ACTIONS:
            owner, name, _ = parse(action.run)
            target = app.targets[owner] if owner else targets[action.scope]
            assert callable(getattr(target, f"action_{name}", None)), action

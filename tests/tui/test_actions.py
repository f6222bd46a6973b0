from __future__ import annotations

import pytest

from sse_tui.tui.actions import ACTIONS, BY_ID, FOOTER_KEYS, FOOTERS, Keymap, bindings, footer, key_table


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
def test_the_key_table_has_every_action(action) -> None:
    assert f"| {action.id} |" in key_table()
    assert action.help.endswith(".")

"""The collections that stay small."""

from __future__ import annotations

import pickle

from sse_tui.bounded import NAME_LENGTH, NAMES, FirstFew, Recent, Seen, Slots, Tally


def test_a_tally_counts_the_first_names_one_by_one_and_the_others_together() -> None:
    tally = Tally()
    for number in range(NAMES + 10):
        tally.add(f"name-{number}")
    tally.add("name-0")
    tally.add("name-9999")
    assert (len(tally), tally.others, tally["name-0"]) == (NAMES, 11, 2)


def test_long_names_are_counted_by_their_beginning() -> None:
    tally = Tally()
    tally.add("n" * 1_000_000)
    tally.add("n" * 2_000_000)
    assert dict(tally) == {"n" * NAME_LENGTH + "…": 2}


def test_a_list_takes_the_first_items() -> None:
    few = FirstFew[int](3)
    for number in range(10):
        few.append(number)
    assert (few, few.others) == ([0, 1, 2], 7)


def test_the_last_keys_are_remembered() -> None:
    recent = Recent[int, str](4)
    for number in range(100):
        recent.put(number, str(number))
        assert len(recent) <= 8
    assert [recent.get(number) for number in range(96, 100)] == ["96", "97", "98", "99"]
    assert recent.get(50) is None
    assert (recent.pop(99), recent.pop(99), 98 in recent) == ("99", None, True)


def test_a_long_key_takes_no_more_room_than_its_digest() -> None:
    recent = Recent[tuple[str, int], int]()
    recent.put(("k" * 1_000_000, 1), 7)
    assert recent.get(("k" * 1_000_000, 1)) == 7
    assert recent.get(("k" * 1_000_000, 2)) is None
    assert recent.get(("k" * 999_999, 1)) is None
    assert len(pickle.dumps(recent)) < 500


def test_keys_are_new_once() -> None:
    seen = Seen[str]()
    assert [seen.add(key) for key in "aba"] == [True, True, False]
    seen.discard("a")
    assert seen.add("a")


def test_things_are_numbered_by_any_of_their_keys() -> None:
    slots = Slots[str]()
    assert (slots.of("a"), slots.of("b", "c"), slots.of("c"), slots.of("a")) == (0, 1, 1, 0)
    assert (slots.renew("a"), slots.of("a"), slots.of()) == (2, 2, 3)

"""What is wrong with the finished arguments of a call."""

from __future__ import annotations

import json
import time

import pytest

from sse_tui.diagnosis.arguments import flaw_of, same_value, unfinished

WHOLE = '{"path":"a{b","deep":{"x":[1,2]}}'


@pytest.mark.parametrize(
    ("arguments", "kind", "meant"),
    [
        (WHOLE, None, ""),
        (" {} ", None, ""),
        ("", "empty", ""),
        (WHOLE + WHOLE, "sent-twice", WHOLE),
        (WHOLE + "\n" + WHOLE + " " + WHOLE, "sent-twice", WHOLE),
        (WHOLE + json.dumps(WHOLE), "sent-twice", WHOLE),
        (WHOLE[:9] + WHOLE, "sent-twice", WHOLE),
        ("{}" + WHOLE, "sent-twice", WHOLE),
        ("{}{}", "sent-twice", "{}"),
        (WHOLE[:9] * 2_000 + WHOLE, "not-json", ""),
        ("null" + WHOLE, "sent-twice", WHOLE),
        (WHOLE[:4] + WHOLE[:9] + WHOLE[:20] + WHOLE, "cumulative", WHOLE),
        (json.dumps(WHOLE), "encoded-twice", WHOLE),
        (json.dumps("no JSON"), "not-an-object", ""),
        ("[1]", "not-an-object", ""),
        ("null", "not-an-object", ""),
        ("5", "not-an-object", ""),
        (WHOLE + '{"other":1}', "several", ""),
        (WHOLE[:-1], "not-json", ""),
        ("{'a': 1}", "not-json", ""),
        ("path=a", "not-json", ""),
        ("[" * 100_000, "not-json", ""),
        ('{"a":' * 100_000 + WHOLE, "not-json", ""),
    ],
)
def test_flaws(arguments: str, kind: str | None, meant: str) -> None:
    began = time.process_time()
    flaw = flaw_of(arguments)
    assert time.process_time() - began < 1
    assert (None if flaw is None else flaw.kind) == kind
    assert flaw is None or flaw.meant == meant
    assert flaw is None or len(flaw.words) < 400


def test_what_is_whole() -> None:
    assert not unfinished(WHOLE)
    assert unfinished(WHOLE[:-1])
    assert unfinished("")
    assert same_value('{"a": 1}', '{"a":1}')
    assert not same_value('{"a": 1}', '{"a":2}')
    assert not same_value("", "")

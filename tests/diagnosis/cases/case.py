"""One case of the table: a stream, and what must be said of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

Named = dict[str, str]
"""By rule: the finding's severity, then perhaps words (a regular expression) that its message must hold."""


@dataclass(frozen=True)
class Case:
    """A stream of our own making under the name of the case that it stands for.

    What is None is not checked. `findings` must be there, `silent` names rules that must not be; `quiet` wants no
    finding above info. `result` is checked member by member against the JSON result of the turn, `error` is found in
    the error's JSON. A case of the same name beside the checkout is checked against the same table.
    """

    name: str
    stream: bytes
    outcome: str | None = None
    text: str | None = None
    findings: Named = field(default_factory=dict)
    silent: tuple[str, ...] = ()
    quiet: bool = False
    error: str | None = None
    result: dict[str, Any] = field(default_factory=dict)
    dialect: str | None = None
    only_own: bool = False  # what the text says holds for our own stream only


def disagreements(case: Case, result: dict[str, Any], *, own: bool = True) -> list[str]:
    """Where the JSON result of a turn is not what the case expects, in words; `own`: of our own stream."""
    wrong = []
    exact = dict(case.result)
    if case.outcome is not None:
        exact["outcome"] = case.outcome
    if case.text is not None and (own or not case.only_own):
        exact["text"] = case.text
    for name, value in exact.items():
        if result.get(name) != value:
            wrong.append(f"{name} is {result.get(name)!r}, not {value!r}")
    if case.error is not None and case.error not in str(result["error"]):
        wrong.append(f"the error is {result['error']!r}, without {case.error!r}")
    by_rule: dict[str, list[dict[str, Any]]] = {}
    for finding in result["findings"]:
        by_rule.setdefault(finding["rule"], []).append(finding)
    for rule, wanted in case.findings.items():
        severity, _, words = wanted.partition(" ")
        found = by_rule.get(rule, [])
        if not any(f["severity"] == severity and re.search(words, f["message"]) for f in found):
            wrong.append(f"no {severity} {rule!r} with {words!r}: {[f['message'] for f in found]}")
    wrong += [f"{rule} fires: {by_rule[rule][0]['message']}" for rule in case.silent if rule in by_rule]
    if case.quiet:
        wrong += [f"{f['severity']} {f['rule']}" for f in result["findings"] if f["severity"] != "info"]
    return wrong

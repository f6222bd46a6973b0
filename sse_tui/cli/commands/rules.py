"""``sse-tui rules``: the rules that find what is wrong with a stream, and what each of them means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sse_tui.cli.options import config_option, json_option, load_config
from sse_tui.cli.output import Output

if TYPE_CHECKING:
    from sse_tui.diagnosis import Rule
    from sse_tui.diagnosis.rule_examples import RuleExample


@click.command("rules")
@click.argument("name", required=False)
@json_option(help="Print one JSON object per rule.")
@config_option
def command(name: str | None, as_json: bool) -> int:
    """List the rules of the diagnosis, or explain one.

    The names are stable. Severities can be changed: --ignore NAME leaves a rule's findings out, and [rules] in the
    configuration sets their severity.
    """
    from sse_tui.diagnosis import RULES, checked_rule
    from sse_tui.diagnosis.rule_examples import examples

    settings: dict[str, Any] = {**load_config().config.rules}
    shown = [RULES[checked_rule(name)]] if name is not None else sorted(RULES.values(), key=_by_severity)
    example, out = examples(), Output()
    width = max(len(rule.id) for rule in shown)
    for rule in shown:
        setting = settings.get(rule.id)
        if as_json:
            out.json(_json(rule, setting, example[rule.id]))
        elif name is None:
            out.line(f"{setting or rule.severity:<8} {rule.id:<{width}}  {rule.summary}")
        else:
            out.line(_explained(rule, setting, example[rule.id]))
    return 0


def _by_severity(rule: Rule) -> tuple[int, str]:
    from sse_tui.diagnosis import WORST_FIRST

    return WORST_FIRST.index(rule.severity), rule.id


def _json(rule: Rule, setting: str | None, example: RuleExample) -> dict[str, Any]:
    return {
        "rule": rule.id,
        "severity": rule.severity,
        "setting": setting,
        "meaning": rule.summary,
        "advice": rule.advice,
        "reference": rule.reference,
        "example": {"stream": example.stream, "message": example.message},
    }


def _explained(rule: Rule, setting: str | None, example: RuleExample) -> str:
    import textwrap

    severity = f"{rule.severity} ({setting} by the configuration)" if setting is not None else rule.severity
    parts = [f"{rule.id}: {severity}", textwrap.fill(rule.summary, 100)]
    if example.stream:
        lines = textwrap.indent(example.stream.rstrip("\n"), "  ", lambda _line: True)
        parts.append(f"Example:\n{lines}")
    message = textwrap.fill(example.message, 98, initial_indent="  ", subsequent_indent="  ")
    parts.append(f"It says:\n{message}")
    parts.append(
        "What to do:\n" + textwrap.fill(rule.advice, 98, initial_indent="  ", subsequent_indent="  ")
    )
    return "\n\n".join([*parts, f"Reference: {rule.reference}"])

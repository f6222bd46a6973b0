"""The examples of the rules that ``sse-tui rules`` shows, made from the streams on which the rules' tests fire.

``python tests/diagnosis/examples.py`` rewrites them; a test fails when one is not what its rule says.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sse_tui.diagnosis.rule_examples import FILE
from sse_tui.text.safety import log_line
from tests.diagnosis.telling import only
from tests.diagnosis.test_rules import ALL, FIRES


def made() -> str:
    """The examples as the file holds them: one rule a line."""
    lines = []
    for rule in sorted(ALL):
        finding = only(FIRES[rule], rule)
        quoted = finding.raw.decode("utf-8", "backslashreplace").rstrip("\r\n").split("\n")
        example = {"stream": "\n".join(map(log_line, quoted)), "message": finding.message}
        lines.append(f"{json.dumps(rule)}: {json.dumps(example, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(made(), "utf-8")

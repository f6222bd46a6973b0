"""The map of the code in CONTRIBUTING.md, made from the first line of each module's docstring.

``python tests/code_map.py`` rewrites it; a test fails when it is not what the modules say.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- map -->", "<!-- /map -->"


def summary(path: Path) -> str:
    """The first sentence of a module's docstring, on one line."""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    paragraph = re.sub(r"\s+", " ", text.split("\n\n")[0])
    return re.split(r"(?<=[.!?]) (?=[A-Z])", paragraph)[0]


def code_map() -> str:
    """A Markdown list of every module, by package."""
    lines: list[str] = []
    package = Path()
    for path in sorted((ROOT / "sse_tui").rglob("*.py")):
        if path.name == "__init__.py":
            continue
        relative = path.relative_to(ROOT)
        if relative.parent != package:
            package = relative.parent
            init = summary(ROOT / package / "__init__.py")
            lines += ["", f"**{package.as_posix()}/** {init}".rstrip(), ""]
        lines.append(f"- `{relative.as_posix()}` {summary(path)}")
    return "\n".join(lines).strip()


def with_map(text: str) -> str:
    """The document with its map renewed."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{code_map()}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    CONTRIBUTING.write_text(with_map(CONTRIBUTING.read_text("utf-8")), "utf-8")

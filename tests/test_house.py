"""The rules of the house that a machine can check: layers, small modules, a true map, commands that exist."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from statistics import median

import grimp
import pytest

from tests.code_map import CONTRIBUTING, summary, with_map
from tests.readme import BLOCK, README, with_outputs

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "sse_tui").rglob("*.py"))
LONGEST_MODULE = 400
MEDIAN_MODULE = 120


def test_the_import_contracts_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout


def test_no_import_cycle_not_even_a_lazy_one() -> None:
    graph = grimp.build_graph(
        "sse_tui", cache_dir=None
    )  # imports in functions and under TYPE_CHECKING included
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert sum(map(len, imports.values())) > len(MODULES)
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize("module", MODULES)
def test_a_module_holds_one_idea(module: str) -> None:
    assert len((ROOT / module).read_text("utf-8").splitlines()) <= LONGEST_MODULE


def test_modules_are_short() -> None:
    lengths = [
        len((ROOT / module).read_text("utf-8").splitlines()) for module in MODULES if "__" not in module
    ]
    assert median(lengths) <= MEDIAN_MODULE


def test_no_two_modules_of_one_name() -> None:
    # A command's module bears the command's name. `errors` and `registry` say best what they are.
    names = Counter(
        Path(module).stem for module in MODULES if "__" not in module and "/cli/commands/" not in module
    )
    assert {name for name, count in names.items() if count > 1} == {"errors", "registry"}


def test_no_two_public_classes_of_one_name() -> None:
    classes = Counter(
        node.name
        for module in MODULES
        for node in ast.walk(ast.parse((ROOT / module).read_text("utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, count in classes.items() if count > 1} == set()


def test_every_module_says_what_it_is_for() -> None:
    assert [
        module for module in MODULES if not module.endswith("__init__.py") and not summary(ROOT / module)
    ] == []


def test_the_map_of_the_code_is_true() -> None:
    text = CONTRIBUTING.read_text("utf-8")
    assert with_map(text) == text, "run: python tests/code_map.py"


def test_the_readme_has_exactly_the_two_commands_and_ci_runs_the_second() -> None:
    blocks = re.findall(
        r"```sh\n(python3 -m venv .*?)\n```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL
    )
    assert len(blocks) == 2
    start, test = blocks
    assert start.endswith("sse-tui")
    assert test in (ROOT / ".ci/run").read_text("utf-8").splitlines()


def test_the_readme_shows_what_its_commands_print() -> None:
    text = README.read_text("utf-8")
    assert len(BLOCK.findall(text)) >= 2
    assert with_outputs(text) == text, "run: python tests/readme.py"


def test_the_readme_is_short() -> None:
    assert 500 < len(README.read_text("utf-8").split()) < 1000


def test_the_readme_shows_screenshots_that_exist() -> None:
    shown = re.findall(
        r"\((screenshots/[^)]+)\)|src=\"(screenshots/[^\"]+)\"", (ROOT / "README.md").read_text("utf-8")
    )
    paths = {first or second for first, second in shown}
    assert len(paths) >= 3
    assert all((ROOT / path).is_file() for path in paths)

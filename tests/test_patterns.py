"""Every regular expression of the package takes linear time, whatever the text that it is given.

What comes from a server or a file may be as long as an event may be. A pattern that tries every start and reads on to
the end from each takes hours for that, in one call that nothing can interrupt.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import sse_tui

# Characters: a quick look first, then those that are asked for.
SIZES = (500, 5_000, 2_000, 20_000, 200_000)
MOST_GROWTH = 25  # for ten times as much text
NOISE_S = 0.0001
# A quadratic search of 5,000 characters takes twelve million steps, which no machine does in this time.
NEVER_QUADRATIC_S = 0.0005
# Letters of every class, what separates words and fields, and what begins and ends quotes, escapes, tags and links.
LETTERS = ("a", "A", "0", "f", "é", " ", "\t", "\n", "\r", "_", *"-.:/,;=?&@%+~#*\"'`\\<>[](){}|!")
MIXES = (
    "a ",
    "a\n",
    " \n",
    "a.",
    "a=",
    "ab0",
    '"a',
    "a:",
    "://",
    "a=b&",
    "\\u0041",
    "\\\\",
    "a/",
    "0.0",
    "* ",
    "- ",
)

Pattern = re.Pattern[Any]
_CALL = re.compile(r"\b(\w+)\.(match|fullmatch|search|sub|subn|split|findall|finditer)\(")


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(sse_tui.__path__, "sse_tui."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def compiled(value: Any, depth: int = 3) -> Iterator[Pattern]:
    """The patterns in a value of a module: by itself, in a collection, in a class or an instance."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        for item in [*value.keys(), *value.values()]:
            yield from compiled(item, depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from compiled(item, depth - 1)
    elif depth and (value if isinstance(value, type) else type(value)).__module__.startswith("sse_tui"):
        for item in [*getattr(value, "__dict__", {}).values()]:
            yield from compiled(item, depth - 1)


def written(source: str) -> Iterator[tuple[Pattern, str]]:
    """The patterns that are written out in calls of `re`, and what is called."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr != "compile" and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str | bytes):
                    yield re.compile(first.value), node.func.attr


class Found(NamedTuple):
    """A pattern, and the methods that the package calls on it; none where it is not called by a name of its own."""

    pattern: Pattern
    methods: set[str]

    @property
    def searches(self) -> bool:
        """Whether it may be tried at every place of a text, and not only at its beginning."""
        return not self.methods or not self.methods <= {"match", "fullmatch"}


@cache
def patterns() -> dict[str, Found]:
    found: dict[str, Found] = {}
    everywhere = defaultdict[str, set[str]](set)
    own: list[tuple[Pattern, str, str]] = []
    called: dict[str, dict[str, set[str]]] = {}
    for module in modules():
        source = Path(str(module.__file__)).read_text("utf-8")
        here = called[module.__name__] = defaultdict[str, set[str]](set)
        for owner, method in _CALL.findall(source):
            everywhere[owner].add(method)
            if owner != "re":
                here[owner].add(method)
        for name, value in vars(module).items():
            if not name.startswith("__"):
                own += [(one, module.__name__, name if one is value else "") for one in compiled(value)]
            if isinstance(getattr(value, "__self__", None), re.Pattern):
                own.append((value.__self__, module.__name__, name))
                here[name].add(value.__name__)
        for one, method in written(source):
            own.append((one, module.__name__, method))
            here[method].add(method)
    for one, where, name in own:
        known = found.setdefault(repr(one), Found(one, set()))
        # One in a table is called by another name: by all that the module calls.
        known.methods.update(
            called[where][name] or everywhere[name] or set[str]().union(*called[where].values())
        )
    return found


def literals(pattern: Pattern) -> list[str]:
    """The characters that a pattern names, in their order."""
    found: list[str] = []

    def walk(node: Any) -> None:
        if isinstance(node, tuple) and len(node) == 2 and str(node[0]) in ("LITERAL", "NOT_LITERAL"):
            found.append(chr(node[1]))
        elif isinstance(node, tuple | list) or hasattr(node, "data"):
            for item in getattr(node, "data", node):
                walk(item)

    walk(_parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG))
    return found


def texts(pattern: Pattern) -> Iterable[str]:
    """What is repeated to make the texts: letters, mixes, and what the pattern itself asks for."""
    named = list(dict.fromkeys(literals(pattern)))
    signs = [sign for sign in named if not sign.isalnum()]
    own = [*signs, *named[:8], "".join(literals(pattern))[:200]]
    own += [sign + end for sign in signs[:8] for end in ("a", "0", " ")] + [
        "".join(two) for two in pairwise(named[:8])
    ]
    return dict.fromkeys(text for text in (*LETTERS, *MIXES, *own) if text)


Use = Callable[[Pattern, Any], object]


def search_all(pattern: Pattern, text: Any) -> int:
    return sum(1 for _ in pattern.finditer(text))


def match_once(pattern: Pattern, text: Any) -> bool:
    return bool(pattern.match(text)) and bool(pattern.fullmatch(text))


def seconds(use: Use, pattern: Pattern, text: str, size: int) -> float:
    """Seconds of this thread's own work: the machine may be busy with other things."""
    # At the end something else: what would match to the end is tried in vain, which is what takes time.
    made = (text * (size // len(text) + 1))[: size - 1] + "\0"
    given = made if isinstance(pattern.pattern, str) else made.encode("utf-8")
    start = time.thread_time()
    use(pattern, given)
    return time.thread_time() - start


def is_linear(use: Use, pattern: Pattern, text: str) -> bool:
    """Whether ten times as much text takes about ten times as long."""
    for few_chars, many_chars in (SIZES[:2], SIZES[2:4], SIZES[3:]):
        many = seconds(use, pattern, text, many_chars)
        if many < NEVER_QUADRATIC_S * (many_chars / SIZES[1]) ** 2:
            if many_chars == SIZES[3]:
                return True  # at 200,000 characters it is as quick for each of them
            continue
        few = seconds(use, pattern, text, few_chars)
        if many > MOST_GROWTH * max(few, NOISE_S):
            # Once more: the machine may have been busy.
            many = min(many, seconds(use, pattern, text, many_chars))
            if many > MOST_GROWTH * max(few, NOISE_S):
                return False
    return True


def test_the_patterns_of_the_package_are_found() -> None:
    assert len(patterns()) > 60


@pytest.mark.timeout(300)
def test_every_pattern_takes_linear_time() -> None:
    slow = [
        f"{name} on {text!r}"
        for name, found in patterns().items()
        for text in texts(found.pattern)
        if not is_linear(search_all if found.searches else match_once, found.pattern, text)
    ]
    assert slow == []


@pytest.mark.parametrize("pattern", [r"\s+$", r"[a-z]+://\S+@", r"x*y", r"<[^>]*>"])
def test_a_pattern_that_is_not_linear_is_found(pattern: str) -> None:
    one = re.compile(pattern)
    assert not all(is_linear(search_all, one, text) for text in texts(one))

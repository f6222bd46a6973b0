"""The example file names every key, and says the truth about each default."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sse_tui.config import Config, load
from sse_tui.config.check import fields, is_mapping, is_table

EXAMPLE = Path(__file__).resolve().parents[2] / "config.example.toml"
NOT_SET = "# (not set)"
SETTING = re.compile(r"#(\[|[A-Za-z0-9_-]+ = )")


def uncommented(*, not_set: bool) -> str:
    lines = []
    for line in EXAMPLE.read_text().splitlines():
        wanted = SETTING.match(line) and (not_set or not line.endswith(NOT_SET))
        lines.append(line[1:] if wanted else line)
    return "\n".join(lines)


def test_as_it_is_it_changes_nothing() -> None:
    loaded = load(EXAMPLE, environ={})

    assert loaded.config == Config()


def test_what_it_calls_the_default_is_the_default(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(uncommented(not_set=False))

    assert load(path, environ={}).config == Config()


def test_every_key_with_a_default_is_written_out(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(uncommented(not_set=False))
    loaded = load(path, environ={})

    left = [key for key, origin in loaded.origins.items() if origin == "default"]
    values = {key: value for key, value in leaves(msgspec.to_builtins(Config())) if value is not None}
    assert [key for key in left if key in values] == []


def test_its_examples_are_valid(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(uncommented(not_set=True))

    config = load(path, environ={}).config

    assert config.profiles["openai"].api_key_env == "OPENAI_API_KEY"
    assert config.faults == {"midway": "cut@event=41"}


def test_every_key_of_the_schema_appears_with_an_explanation() -> None:
    text = EXAMPLE.read_text()
    for table, names in tables(Config):
        body = text.split(f"[{table}]\n", 1)[1].split("\n[", 1)[0] if table else text
        for name in names:
            assert re.search(rf"^#{name} = ", body, re.MULTILINE), f"{table}.{name}"


@pytest.mark.parametrize("line", [line for line in EXAMPLE.read_text().splitlines() if NOT_SET in line])
def test_not_set_marks_only_keys_without_a_default(line: str) -> None:
    assert line.startswith("#")
    assert line.count(NOT_SET) == 1


def tables(kind: type, at: str = "") -> Any:
    """Every table with fixed keys, and the names of its leaves; profiles under the name "local"."""
    yield at, [name for name, type_ in fields(kind).items() if not (is_table(type_) or is_mapping(type_))]
    for name, type_ in fields(kind).items():
        below = f"{at}.{name}" if at else name
        if is_table(type_):
            yield from tables(type_, below)
        elif name == "profiles":
            yield from tables(type_.__args__[1], f"{below}.local")


def leaves(values: dict[str, Any], at: str = "") -> Any:
    for name, value in values.items():
        key = f"{at}.{name}" if at else name
        if isinstance(value, dict):
            yield from leaves(value, key)
        else:
            yield key, value

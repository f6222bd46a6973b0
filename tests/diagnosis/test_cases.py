"""The table of broken streams: each gets its name, and each healthy one none."""

from __future__ import annotations

import importlib
import json
import pkgutil
from typing import Any

import pytest

from sse_tui import api
from sse_tui.analysis.jsonform import result_json
from tests.diagnosis import cases
from tests.diagnosis.cases.case import Case, disagreements
from tests.samples import SHARED


def _table() -> list[Case]:
    modules = sorted(found.name for found in pkgutil.iter_modules(cases.__path__) if found.name != "case")
    return [case for name in modules for case in importlib.import_module(f"{cases.__name__}.{name}").CASES]


TABLE = _table()
# The reported streams themselves, where they lie beside the checkout.
FOLDER = SHARED / "cases"
REPORTED = json.loads((FOLDER / "cases.json").read_text("utf-8")) if FOLDER.is_dir() else []


def result_of(stream: bytes, dialect: str | None) -> dict[str, Any]:
    analysis = api.analyse(stream, dialect=dialect)
    assert analysis.turn is not None
    result = json.loads(json.dumps(result_json(analysis, analysis.turn), ensure_ascii=False).encode())
    assert isinstance(result, dict)
    return result


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case.name)
def test_the_stream_gets_its_name(case: Case) -> None:
    assert disagreements(case, result_of(case.stream, case.dialect)) == []


@pytest.mark.skipif(not REPORTED, reason="the reported streams do not lie beside this checkout")
@pytest.mark.parametrize("reported", REPORTED or [{"name": "none"}], ids=lambda reported: reported["name"])
def test_the_reported_stream_gets_the_same(reported: dict[str, Any]) -> None:
    case = next((case for case in TABLE if case.name == reported["name"]), None)
    assert case is not None, "no entry in the table"
    stream = (FOLDER / reported["file"]).read_bytes()
    assert stream != case.stream
    assert disagreements(case, result_of(stream, case.dialect), own=False) == []


def test_every_name_is_there_once() -> None:
    names = [case.name for case in TABLE]
    assert len(names) == len(set(names))

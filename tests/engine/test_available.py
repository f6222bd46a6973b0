"""A base install without llama.cpp says what to install, before anything is downloaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from sse_tui.engine import available
from sse_tui.engine.available import require_local_models
from sse_tui.engine.interface import ModelOptions
from sse_tui.engine.llamacpp import LlamaCppEngine
from sse_tui.errors import EngineError
from sse_tui.server.backend import Backend
from sse_tui.server.serve_options import Progress, ServeOptions, make_engine

SENTENCE = "Local models need llama-cpp-python: pip install 'sse-tui[local]'"


@pytest.fixture(params=["llama_cpp", "numpy", "jinja2"])
def missing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(available, "find_spec", lambda name: None if name == request.param else object())


@pytest.mark.usefixtures("missing")
async def test_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    def ensure(model: str | None, progress: Progress) -> Path:
        raise AssertionError("a model was looked for that could not be run")

    with pytest.raises(EngineError) as caught:
        require_local_models()
    assert str(caught.value) == SENTENCE
    with pytest.raises(EngineError, match=r"sse-tui.local"):
        await LlamaCppEngine(tmp_path / "model.gguf", ModelOptions()).start()
    with pytest.raises(EngineError, match=r"sse-tui.local"):
        await make_engine(ServeOptions(), ensure, Backend())


def test_nothing_is_raised_when_everything_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(available, "find_spec", lambda name: object())
    require_local_models()

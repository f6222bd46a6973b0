"""Errors of the helper processes, as the session gets them: their own class, and a name for every way to fail."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sse_tui.config import Config, Profile
from sse_tui.errors import EngineError, ModelError, RecordingError, SseTuiError, StreamError, UsageError
from sse_tui.server.status import EndpointState
from sse_tui.session import endpoint
from sse_tui.session.capture import client
from sse_tui.session.endpoint import LocalEndpoint
from sse_tui.session.live import Live
from sse_tui.session.spec import SessionSpec
from sse_tui.transport import StreamRequest
from tests.children import children


@pytest.fixture(autouse=True, name="state")
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SSE_TUI_STATE_DIR", str(tmp_path / "state"))
    return tmp_path


async def start_failure(record_to: Path | None = None) -> SseTuiError:
    request = StreamRequest("GET", "http://127.0.0.1:9/stream")
    live = Live(SessionSpec(mode="inspect", request=request, record_to=record_to))
    try:
        with pytest.raises(SseTuiError) as caught:
            await live.start()
    finally:
        await live.close()
    assert not children()
    return caught.value


async def test_a_recording_that_cannot_be_made_is_a_recording_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    error = await start_failure(tmp_path / "file" / "session.sse.jsonl")
    assert type(error) is RecordingError


async def test_a_capture_process_that_does_not_start_in_time_is_ended_and_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client, "START_S", 0.01)
    error = await start_failure()
    assert type(error) is StreamError
    assert error.code == "capture-gone"
    assert "It did not start within 0.01 s" in error.message


async def test_a_capture_that_could_not_start_is_shown_as_gone_and_can_be_started_again(
    tmp_path: Path,
) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "recordings").touch()
    live = Live(SessionSpec(mode="inspect", request=StreamRequest("GET", "http://127.0.0.1:9/stream")))
    try:
        with pytest.raises(RecordingError) as caught:
            await live.start()
        assert live.status.capture_gone
        assert live.status.error is caught.value
        (tmp_path / "state" / "recordings").unlink()
        await live.restart_capture()
        assert not live.status.capture_gone
        assert live.path is not None
        assert live.busy
    finally:
        await live.close()


async def test_a_recording_that_is_removed_is_said(tmp_path: Path) -> None:
    path = tmp_path / "r.sse.jsonl"
    request = StreamRequest("GET", "http://127.0.0.1:9/stream")
    live = Live(SessionSpec(mode="inspect", request=request, record_to=path))
    try:
        await live.start()
        live.poll()
        path.unlink()
        live.poll()
        error = live.status.error
        assert error is not None
        assert error.code == "recording-removed"
        assert str(path) in error.message
        assert live.status.error is error
        with pytest.raises(RecordingError, match="was removed"):
            live.keep()
    finally:
        await live.close()


async def test_a_process_that_the_system_refuses_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    error = await start_failure()
    assert (type(error), error.code) == (StreamError, "process-start")
    assert "/no/such/python" in error.message


async def endpoint_failure(*arguments: str, model: str = "", engine: str = "scripted") -> SseTuiError:
    profile = Profile(model=model) if model else Profile()
    spec = SessionSpec("chat", config=Config(), profile=profile, engine=engine, engine_args=arguments)
    local = LocalEndpoint(spec)
    await local.start()
    try:
        with pytest.raises(SseTuiError) as caught:
            await local.ready()
        assert local.status.state == EndpointState.FAILED
        assert local.status.message == str(caught.value)
        # Who asks later gets the same answer.
        with pytest.raises(type(caught.value)):
            await local.ready()
    finally:
        await local.close()
    assert not children()
    return caught.value


async def test_the_endpoints_error_keeps_its_class() -> None:
    missing = await endpoint_failure(model="/no/such/model.gguf", engine="llamacpp")
    assert (type(missing), missing.code) == (ModelError, "model-missing")
    refused = await endpoint_failure("--host", "no-such-host.invalid")
    assert isinstance(refused, UsageError)


async def test_an_endpoint_that_ends_before_it_can_say_anything_is_told_with_its_last_words(
    state: Path,
) -> None:
    error = await endpoint_failure("--no-such-option")
    assert (type(error), error.code) == (EngineError, "endpoint-gone")
    assert "ended with exit status 2: " in error.message
    assert "--no-such-option" in error.message
    assert "--no-such-option" in (state / "state" / "endpoint.log").read_text()


async def test_an_endpoint_that_does_not_start_in_time_is_ended_and_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(endpoint, "_START_S", 0.01)
    error = await endpoint_failure()
    assert "It did not start within 0.01 s" in error.message

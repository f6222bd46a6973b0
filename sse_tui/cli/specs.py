"""Turns the configuration and a command's parameters into a `SessionSpec`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from sse_tui.config import Loaded, Profile, api_key
from sse_tui.errors import UsageError

if TYPE_CHECKING:
    from sse_tui.cli.curl_arguments import CurlRequest
    from sse_tui.resume import Policy
    from sse_tui.session.spec import SessionSpec
    from sse_tui.transport import Timeouts


def chat_spec(loaded: Loaded, given: Mapping[str, Any]) -> SessionSpec:
    """A conversation with the selected profile. Raises `EngineError` if that is a local model and none can run."""
    profile = loaded.config.selected
    if profile.base_url is None and given["engine"] == "llamacpp":
        from sse_tui.engine.available import require_local_models

        require_local_models()
    key = api_key(profile, os.environ)
    return _spec(loaded, given, mode="chat", profile=profile, api_key=key, secrets=(key,) if key else ())


def inspect_spec(loaded: Loaded, given: Mapping[str, Any], curl: CurlRequest) -> SessionSpec:
    """A request for any event stream. Raises `UsageError` for HTTP/2 without the package that speaks it."""
    if curl.http2 and find_spec("h2") is None:
        raise UsageError("http2-extra-missing", "HTTP/2 needs h2: pip install 'sse-tui[http2]'")
    from sse_tui.transport import StreamRequest

    return _spec(
        loaded,
        given,
        mode="inspect",
        request=StreamRequest(curl.method, curl.url, tuple(curl.headers), curl.body),
        dialect=given["stream_dialect"],
        verify=not curl.insecure,
        http2=bool(curl.http2),
        any_type=bool(given.get("any_type")),
    )


def open_spec(loaded: Loaded, given: Mapping[str, Any], path: Path) -> SessionSpec:
    """A file to look at."""
    return _spec(loaded, given, mode="open", path=path, dialect=given["stream_dialect"])


def _spec(
    loaded: Loaded, given: Mapping[str, Any], *, mode: Literal["chat", "inspect", "open"], **more: Any
) -> SessionSpec:
    from sse_tui.session.spec import SessionSpec

    config = loaded.config
    record = given.get("record")
    return SessionSpec(
        mode=mode,
        config=config,
        plan=fault_plan(loaded, given.get("fault")),
        policy=_policy(given.get("reconnect")),
        timeouts=_timeouts(loaded),
        record_to=Path(record) if record is not None else None,
        max_event_bytes=config.recording.max_event_bytes,
        engine=given.get("engine") or "llamacpp",
        **{"profile": Profile(), **more},
    )


def fault_plan(loaded: Loaded, text: str | None) -> str:
    """A plan given as text, or by its name in ``[faults]``; "" for none. Raises `UsageError`."""
    if not text:
        return ""
    plan = loaded.config.faults.get(text, text)
    from sse_tui.faults import parse_plan

    parse_plan(plan)
    return plan


def _policy(kind: str | None) -> Policy | None:
    from sse_tui.resume import Policy

    return Policy(kind=kind) if kind is not None else None


def _timeouts(loaded: Loaded) -> Timeouts:
    from sse_tui.transport import Timeouts

    section = loaded.config.timeouts
    return Timeouts(section.connect_s, section.first_byte_s, section.idle_s, section.total_s)


def recording_path(spec: SessionSpec, given: Mapping[str, Any], *, default: bool) -> Path | None:
    """Where a headless command records; None for nowhere. `default`: whether it records without --record."""
    if given.get("no_record"):
        if spec.record_to is not None:
            raise UsageError("record-twice", "--record and --no-record cannot be combined.")
        return None
    if spec.record_to is not None or default:
        from sse_tui.session.capture.client import recording_path as new_recording

        return new_recording(spec)
    return None


def with_local_model(loaded: Loaded, model: str | None) -> Loaded:
    """The configuration with another local model, for ``serve``, which knows no profiles."""
    if model is None:
        return loaded
    local = msgspec.structs.replace(loaded.config.local, model=model)
    return loaded._replace(config=msgspec.structs.replace(loaded.config, local=local))

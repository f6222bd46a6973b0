"""Turns the configuration and a command's parameters into a `SessionSpec`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sse_tui.cli.curl_options import curl_request
from sse_tui.cli.options import load_config
from sse_tui.config import Loaded, api_key
from sse_tui.errors import UsageError

if TYPE_CHECKING:
    from sse_tui.session.spec import SessionSpec


def chat_spec(given: Mapping[str, Any]) -> SessionSpec:
    """A conversation with the selected profile. Raises `EngineError` if that is a local model and none can run."""
    loaded = load_config(given)
    profile = loaded.config.selected
    if profile.base_url is None and given["engine"] == "llamacpp":
        from sse_tui.engine.available import require_local_models

        require_local_models()
    key = api_key(profile, os.environ)
    secrets = (key,) if key else ()
    return _spec(
        loaded, given, mode="chat", profile=profile, api_key=key, secrets=secrets, engine=given["engine"]
    )


def inspect_spec(url: str | None, given: dict[str, Any]) -> SessionSpec:
    """A request for any event stream. Raises `UsageError` for HTTP/2 without the package that speaks it."""
    curl = curl_request(url, given)
    # `reconnect` belongs to this request and not to a profile.
    loaded = load_config({name: value for name, value in given.items() if name != "reconnect"})
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
        any_type=given["any_type"],
    )


def open_spec(loaded: Loaded, dialect: str | None, path: Path) -> SessionSpec:
    """A file to look at."""
    return _spec(loaded, {}, mode="open", path=path, dialect=dialect)


def _spec(loaded: Loaded, given: Mapping[str, Any], **more: Any) -> SessionSpec:
    from sse_tui.resume import Policy
    from sse_tui.session.spec import SessionSpec
    from sse_tui.transport import Timeouts

    config = loaded.config
    limits = config.timeouts
    record, reconnect = given.get("record"), given.get("reconnect")
    return SessionSpec(
        config=config,
        plan=_fault_plan(loaded, given.get("fault")),
        policy=Policy(kind=reconnect) if reconnect is not None else None,
        timeouts=Timeouts(limits.connect_s, limits.first_byte_s, limits.idle_s, limits.total_s),
        record_to=Path(record) if record is not None else None,
        max_event_bytes=config.recording.max_event_bytes,
        **more,
    )


def _fault_plan(loaded: Loaded, text: str | None) -> str:
    """A plan given as text, or by its name in ``[faults]``; "" for none. Raises `UsageError`."""
    if not text:
        return ""
    plan = loaded.config.faults.get(text, text)
    from sse_tui.faults import parse_plan

    parse_plan(plan)
    return plan


def recording_path(spec: SessionSpec, given: Mapping[str, Any], *, default: bool) -> Path | None:
    """Where a headless command records; None for nowhere. `default`: whether it records without --record."""
    if given["no_record"] and spec.record_to is not None:
        raise UsageError("record-twice", "--record and --no-record cannot be combined.")
    if given["no_record"] or not (default or spec.record_to is not None):
        return None
    from sse_tui.session.capture.client import recording_path as new_recording

    return new_recording(spec)

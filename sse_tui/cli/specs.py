"""Turns the configuration and a command's parameters into a `SessionSpec`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sse_tui.cli.curl_options import curl_request
from sse_tui.cli.options import load_config
from sse_tui.config import Loaded, Profile, api_key, key_in, not_set
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
    if given["key_env"] and profile.base_url is None:
        raise UsageError(
            "key-env-local",
            "--key-env is for a server, and the built-in endpoint needs no key.",
            "Name the server with --base-url or --profile.",
        )
    key = _given_key(given) or api_key(profile, os.environ)
    return _spec(
        loaded,
        given,
        mode="chat",
        profile=profile,
        api_key=key,
        headers=_given_headers(given),
        trusted=given["location_trusted"],
        verify=_verify(given["insecure"], given["cacert"], profile),
        engine=given["engine"],
    )


def inspect_spec(url: str | None, given: dict[str, Any]) -> SessionSpec:
    """A request for any event stream. Raises `UsageError` for HTTP/2 without the package that speaks it."""
    curl = curl_request(url, given)
    # These belong to this request and not to a profile.
    own = ("reconnect", "max_reconnects")
    loaded = load_config({name: value for name, value in given.items() if name not in own})
    if curl.http2 and find_spec("h2") is None:
        raise UsageError("http2-extra-missing", "HTTP/2 needs h2: pip install 'sse-tui[http2]'")
    from sse_tui.transport import StreamRequest

    return _spec(
        loaded,
        given,
        mode="inspect",
        request=StreamRequest(curl.method, curl.url, tuple(curl.headers), curl.body),
        dialect=given["stream_dialect"],
        api_key=_given_key(given),
        trusted=curl.trusted,
        verify=_verify(curl.insecure, curl.cacert),
        http2=bool(curl.http2),
        any_type=given["any_type"],
        max_reconnects=given["max_reconnects"],
    )


def _given_key(given: Mapping[str, Any]) -> str | None:
    """The key in the variable that --key-env names; None without the option. Raises `UsageError` if there is none."""
    variable = given["key_env"]
    key = key_in(variable, os.environ) if variable else None
    if key == "":
        raise UsageError("api-key-not-set", *not_set(variable, "--key-env"))
    return key


def _given_headers(given: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The headers that -H adds to a conversation's."""
    from sse_tui.cli.curl_arguments import CurlRequest

    request = CurlRequest()
    for line in given["header"]:
        if line == "@-":
            raise UsageError(
                "header-stdin", "-H @- cannot be used here: stdin is for the prompt.", "Use -H @FILE."
            )
        request.header(line)
    return tuple(request.headers)


def _verify(insecure: bool, cacert: str | None, profile: Profile | None = None) -> bool | str:
    """Whose certificates are trusted, as `transport` has it; the options come before the profile."""
    profile = profile or Profile()
    if insecure or (cacert is None and not profile.verify):
        return False
    file = cacert or profile.ca_file
    return True if file is None else str(Path(file).expanduser().absolute())


def open_spec(loaded: Loaded, dialect: str | None, path: Path) -> SessionSpec:
    """A file to look at."""
    return _spec(loaded, {}, mode="open", path=path, dialect=dialect)


def _spec(
    loaded: Loaded, given: Mapping[str, Any], *, api_key: str | None = None, **more: Any
) -> SessionSpec:
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
        timeouts=Timeouts(
            limits.connect_s, limits.first_byte_s, limits.idle_s, limits.total_s, limits.finish_wait_s
        ),
        record_to=Path(record) if record is not None else None,
        max_event_bytes=config.recording.max_event_bytes,
        api_key=api_key,
        secrets=(api_key,) if api_key else (),
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

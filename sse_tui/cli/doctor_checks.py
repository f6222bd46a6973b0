"""The checks of ``sse-tui doctor``, one function each. A check never raises: what it meets is its result."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import sse_tui
from sse_tui.cli.options import load_config
from sse_tui.cli.running import run
from sse_tui.config import Loaded
from sse_tui.errors import SseTuiError

if TYPE_CHECKING:
    from sse_tui.session.headless import Headless

_PACKAGES = ("textual", "httpx", "httptools", "starlette", "uvicorn", "uvloop", "msgspec", "llama-cpp-python")
_SELF_TEST_TEXT = (
    "The quick brown fox jumps over the lazy dog, and the stream goes on where it was cut. \u00fc\u20ac"
)
_MODEL_TIMEOUT_S = 120.0


class Found(NamedTuple):
    """What a check found. `hint` says what to do, "" when there is nothing to do."""

    state: Literal["ok", "warn", "fail"]
    detail: str
    hint: str = ""


Check = Callable[[], Found]


def checks(config: str | None) -> Iterator[tuple[str, Check]]:
    """Every check by name, in order; those of one that cannot be made are left out."""
    yield "program", _program
    yield "packages", _packages
    yield "terminal", _terminal
    loaded: Loaded | None = None
    try:
        loaded = load_config(config)
    except SseTuiError as error:
        broken = Found("fail", error.message, error.hint)
        yield "configuration", lambda: broken
    else:
        sound = loaded
        yield "configuration", lambda: _configuration(sound)
        yield "model", lambda: _model(sound)
        yield "llama.cpp", lambda: _llama(sound)
    yield "clock", _clock
    yield "loopback", _loopback


def _program() -> Found:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return Found("ok", f"sse-tui {sse_tui.__version__}, {python}, {platform.platform()}")


def _packages() -> Found:
    from importlib.metadata import PackageNotFoundError, version

    have, missing = [], []
    for name in _PACKAGES:
        try:
            have.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            if name != "uvloop":
                missing.append(name)
    if missing:
        return Found("fail", f"missing: {', '.join(missing)}", "Install sse-tui again.")
    return Found("ok", ", ".join(have))


def _terminal() -> Found:
    term = os.environ.get("TERM", "")
    if not sys.stdin.isatty() and not sys.stderr.isatty():
        return Found("warn", "none here, so the full-screen view could not open")
    size = shutil.get_terminal_size()
    colours = "no colour" if "NO_COLOR" in os.environ else os.environ.get("COLORTERM") or "basic colours"
    detail = f"{size.columns}x{size.lines}, TERM={term or 'not set'}, {colours}"
    if size.columns < 80 or size.lines < 24:
        return Found("warn", detail, "The view is made for 80x24 and more.")
    if term in ("", "dumb"):
        return Found("warn", detail, "The view needs a terminal that can move its cursor.")
    return Found("ok", detail)


def _configuration(loaded: Loaded) -> Found:
    where = f"{loaded.path}" if loaded.exists else f"defaults ({loaded.path} is not there)"
    return Found("ok", f"{where}, profile {loaded.config.profile}")


def _model(loaded: Loaded) -> Found:
    from sse_tui.models import CATALOGUE, resolve
    from sse_tui.models.disk import sha256_of
    from sse_tui.models.progress import Report

    name = loaded.config.local.model
    try:
        found = resolve(name)
        if not isinstance(found, Path):
            return Found("warn", f"{name} is not downloaded", f"Run: sse-tui models pull {name}")
        known = CATALOGUE.get(name)
        if known is None:
            return Found("ok", f"{found} ({found.stat().st_size / 1e6:.1f} MB)")
        if sha256_of(found, Report()) != known.sha256:
            hint = f"Run: sse-tui models rm {name}; sse-tui models pull {name}"
            return Found("fail", f"{found} has the wrong SHA-256", hint)
    except (SseTuiError, OSError) as error:
        return _failed(error)
    return Found("ok", f"{found}, SHA-256 as published")


def _llama(loaded: Loaded) -> Found:
    """Load the model as a chat would, in its own process, and let llama.cpp say where it runs."""
    from sse_tui.models import resolve
    from sse_tui.session.endpoint import LocalEndpoint
    from sse_tui.session.spec import SessionSpec

    async def load() -> Found:
        import asyncio

        endpoint = LocalEndpoint(SessionSpec("chat", config=loaded.config))
        await endpoint.start()
        try:
            await asyncio.wait_for(endpoint.ready(), _MODEL_TIMEOUT_S)
            return Found("ok", engine_line(endpoint.status.engine))
        finally:
            await endpoint.close()

    try:
        if not isinstance(resolve(loaded.config.local.model), Path):
            return Found("warn", "not tried without a model")
        return run(load())
    except (SseTuiError, TimeoutError, OSError) as error:
        return _failed(error)


def engine_line(engine: dict[str, object]) -> str:
    """One line of what an engine says of itself."""
    devices = engine.get("devices")
    names = [
        f"{device.get('name')} ({device.get('description') or device.get('kind')})"
        for device in (devices if isinstance(devices, list) else [])
        if isinstance(device, dict)
    ]
    layers = f"{engine.get('layers_offloaded', 0)} of {engine.get('layers', 0)} layers offloaded"
    program = f"{engine.get('engine')} {engine.get('version', '')}"
    return f"{program}, {layers}; devices: {', '.join(names) or 'unknown'}"


def _clock() -> Found:
    import time

    resolution = time.get_clock_info("monotonic").resolution
    detail = f"monotonic, resolution {resolution * 1e9:.0f} ns"
    if resolution > 1e-4:
        return Found("warn", detail, "Gaps below that are not told apart.")
    return Found("ok", detail)


def _loopback() -> Found:
    """A scripted answer over a real socket, cut in the middle: it must resume without loss."""
    try:
        with tempfile.TemporaryDirectory(prefix="sse-tui-doctor-") as folder:
            return run(_resumed(Path(folder) / "loopback.sse.jsonl"))
    except (SseTuiError, TimeoutError, OSError) as error:
        return _failed(error)


async def _resumed(path: Path) -> Found:
    import asyncio

    from sse_tui.config import Profile
    from sse_tui.dialects.base import Message
    from sse_tui.session.headless import Headless
    from sse_tui.session.spec import SessionSpec

    spec = SessionSpec(
        "chat",
        profile=Profile(),
        plan="cut@event=5",
        engine="scripted",
        engine_args=("--script", _SELF_TEST_TEXT, "--ttft-ms", "20", "--gap-ms", "5"),
    )

    async def ask(session: Headless) -> None:
        async for _ in session.ask([Message("user", "Hello")]):
            pass

    async with Headless(spec, path) as session:
        await asyncio.wait_for(ask(session), 30)
    return _verdict(session, path)


def _verdict(session: Headless, path: Path) -> Found:
    from sse_tui.recording import read_recording
    from sse_tui.recording.records import Chunk

    if session.problem is not None:
        return _failed(session.problem)
    turn = session.analysis.turns[-1]
    verdict = turn.verdict.kind if turn.verdict is not None else "never reconnected"
    if turn.answer.text.strip() != _SELF_TEST_TEXT or verdict != "lossless":
        return Found("fail", f"a cut stream came back wrong: {verdict}, text {turn.answer.text!r}")
    header = session.recorder.header.clock
    clocks = {record.clock or header for record in read_recording(path) if isinstance(record, Chunk)}
    stamped = "kernel receive times" if clocks == {"kernel"} else f"times of {' and '.join(sorted(clocks))}"
    return Found("ok", f"{turn.events} events, cut after 5, resumed lossless; {stamped}")


def _failed(error: BaseException) -> Found:
    if isinstance(error, SseTuiError):
        return Found("fail", error.message, error.hint)
    if isinstance(error, TimeoutError):
        return Found("fail", "it did not answer in time")
    return Found("fail", str(error) or type(error).__name__)

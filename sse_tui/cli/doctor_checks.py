"""The checks of ``sse-tui doctor``, one function each."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from sse_tui.cli.options import load_config
from sse_tui.cli.running import run
from sse_tui.engine.available import MISSING, local_models_available
from sse_tui.errors import SseTuiError
from sse_tui.version import __version__

if TYPE_CHECKING:
    from sse_tui.config import Loaded

_PACKAGES = ("textual", "httpx", "httptools", "starlette", "uvicorn", "uvloop", "msgspec")
_LOCAL_PACKAGES = ("llama-cpp-python", "numpy", "jinja2")
_SELF_TEST_TEXT = (
    "The quick brown fox jumps over the lazy dog, and the stream goes on where it was cut. \u00fc\u20ac"
)
_MODEL_TIMEOUT_S = 120.0


class CheckResult(NamedTuple):
    """The result of a check. `hint` says what to do, "" when there is nothing to do."""

    state: Literal["ok", "warn", "fail"]
    detail: str
    hint: str = ""


Check = Callable[[], CheckResult]


def checks() -> Iterator[tuple[str, Check]]:
    """Every check by name, in order, but those that another one's result rules out."""
    yield "program", _program
    yield "packages", _packages
    yield "terminal", _terminal
    try:
        loaded = load_config()
    except SseTuiError as error:
        broken = _failed(error)
        yield "configuration", lambda: broken
    else:
        yield "configuration", lambda: _configuration(loaded)
        if local_models_available():
            yield "model", lambda: _model(loaded)
            yield "llama.cpp", lambda: _llama(loaded)
        else:
            yield "llama.cpp", lambda: CheckResult("warn", MISSING)
    yield "clock", _clock
    yield "loopback", _loopback


def result_of(check: Check) -> CheckResult:
    """The result of a check; an error that it raises is one too."""
    try:
        return check()
    except (SseTuiError, OSError) as error:  # TimeoutError is an OSError
        return _failed(error)


def _program() -> CheckResult:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return CheckResult("ok", f"sse-tui {__version__}, {python}, {platform.platform()}")


def _packages() -> CheckResult:
    from importlib.metadata import PackageNotFoundError, version

    have, missing = [], []
    for name in (*_PACKAGES, *_LOCAL_PACKAGES):
        try:
            have.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            # uvloop has no builds for some platforms, and the loop of asyncio stands in for it.
            if name in _PACKAGES and name != "uvloop":
                missing.append(name)
    if missing:
        return CheckResult("fail", f"missing: {', '.join(missing)}", "Reinstall sse-tui.")
    return CheckResult("ok", ", ".join(have))


def _terminal() -> CheckResult:
    term = os.environ.get("TERM", "")
    if not sys.stdin.isatty() and not sys.stderr.isatty():
        return CheckResult("warn", "not a terminal, so the full-screen view cannot open")
    size = shutil.get_terminal_size()
    colours = "no colour" if "NO_COLOR" in os.environ else os.environ.get("COLORTERM") or "basic colours"
    detail = f"{size.columns}x{size.lines}, TERM={term or 'not set'}, {colours}"
    if size.columns < 80 or size.lines < 24:
        return CheckResult("warn", detail, "The view needs at least 80x24.")
    if term in ("", "dumb"):
        return CheckResult("warn", detail, "The view needs a terminal that can move the cursor.")
    return CheckResult("ok", detail)


def _configuration(loaded: Loaded) -> CheckResult:
    where = loaded.path if loaded.exists else f"defaults ({loaded.path} does not exist)"
    return CheckResult("ok", f"{where}, profile {loaded.config.profile}")


def _model(loaded: Loaded) -> CheckResult:
    from sse_tui.models import CATALOGUE, resolve
    from sse_tui.models.disk import sha256_of
    from sse_tui.models.progress import ProgressReporter

    name = loaded.config.local.model
    found = resolve(name)
    if not isinstance(found, Path):
        return CheckResult("warn", f"{name} is not downloaded", f"Run: sse-tui models pull {name}")
    known = CATALOGUE.get(name)
    if known is None:
        return CheckResult("ok", f"{found} ({found.stat().st_size / 1e6:.1f} MB)")
    if sha256_of(found, ProgressReporter()) != known.sha256:
        hint = f"Run: sse-tui models rm {name}; sse-tui models pull {name}"
        return CheckResult("fail", f"{found} has an unexpected SHA-256", hint)
    return CheckResult("ok", f"{found}, SHA-256 matches")


def _llama(loaded: Loaded) -> CheckResult:
    """Load the model as a chat would, in a process of its own, and report the devices that llama.cpp uses."""
    from sse_tui.models import resolve
    from sse_tui.session.endpoint import LocalEndpoint
    from sse_tui.session.spec import SessionSpec

    async def load() -> CheckResult:
        import asyncio

        endpoint = LocalEndpoint(SessionSpec("chat", config=loaded.config))
        await endpoint.start()
        try:
            address = await asyncio.wait_for(endpoint.ready(), _MODEL_TIMEOUT_S)
        finally:
            await endpoint.close()
        engine = address.engine
        names = [f"{device.name} ({device.description or device.kind})" for device in engine.devices]
        layers = f"{engine.layers_offloaded} of {engine.layers} layers offloaded"
        devices = ", ".join(names) or "unknown"
        return CheckResult("ok", f"{engine.engine} {engine.version}, {layers}; devices: {devices}")

    if not isinstance(resolve(loaded.config.local.model), Path):
        return CheckResult("warn", "not checked: there is no model")
    return run(load())


def _clock() -> CheckResult:
    import time

    resolution = time.get_clock_info("monotonic").resolution
    detail = f"monotonic, resolution {resolution * 1e9:.0f} ns"
    if resolution > 1e-4:
        return CheckResult("warn", detail, "Shorter gaps cannot be measured.")
    return CheckResult("ok", detail)


def _loopback() -> CheckResult:
    """A scripted answer over a real socket is cut in the middle: it must resume without loss."""
    with tempfile.TemporaryDirectory(prefix="sse-tui-doctor-") as folder:
        return run(_resumed(Path(folder) / "loopback.sse.jsonl"))


async def _resumed(path: Path) -> CheckResult:
    import asyncio

    from sse_tui.dialects.base import Message
    from sse_tui.recording import read_recording
    from sse_tui.recording.records import Chunk
    from sse_tui.session.headless import Headless
    from sse_tui.session.spec import SessionSpec

    spec = SessionSpec(
        "chat",
        plan="cut@event=5",
        engine="scripted",
        engine_args=("--script", _SELF_TEST_TEXT, "--ttft-ms", "20", "--gap-ms", "5"),
    )

    async with Headless(spec, path) as session, asyncio.timeout(30):
        async for _ in session.ask([Message("user", "Hello")]):
            pass
    if session.problem is not None:
        return _failed(session.problem)
    turn = session.analysis.turns[-1]
    verdict = turn.verdict.kind if turn.verdict is not None else "never reconnected"
    if turn.answer.text.strip() != _SELF_TEST_TEXT or verdict != "lossless":
        return CheckResult(
            "fail", f"a stream that was cut did not resume: {verdict}, text {turn.answer.text!r}"
        )
    header = session.recorder.header.clock
    clocks = {record.clock or header for record in read_recording(path) if isinstance(record, Chunk)}
    stamped = "kernel receive times" if clocks == {"kernel"} else f"times of {' and '.join(sorted(clocks))}"
    return CheckResult("ok", f"{turn.events} events, cut after event 5, resumed without loss; {stamped}")


def _failed(error: BaseException) -> CheckResult:
    if isinstance(error, SseTuiError):
        return CheckResult("fail", error.message, error.hint)
    timed_out = "timed out" if isinstance(error, TimeoutError) else ""
    return CheckResult("fail", timed_out or str(error) or type(error).__name__)

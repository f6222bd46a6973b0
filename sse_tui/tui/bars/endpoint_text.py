"""The state of the local endpoint in words: the download, the model, and where it really runs."""

from __future__ import annotations

from sse_tui.engine.interface import EngineInfo
from sse_tui.server.status import EndpointStatus
from sse_tui.text.safety import pane_line


def loading_text(status: EndpointStatus) -> str:
    """A line for a state that passes: ``downloading model 41 % of 98 MB``; "" when there is nothing to wait for."""
    if status.state == "downloading" and status.total:
        return f"downloading model {status.done * 100 // status.total} % of {megabytes(status.total)}"
    if status.state == "downloading":
        return f"downloading model {megabytes(status.done)}" if status.done else "downloading model"
    if status.state in {"starting", "loading"}:
        return f"{status.state} the model" + (f" {pane_line(status.model)}" if status.model else "")
    return ""


def engine_text(status: EndpointStatus) -> str:
    """Where the model runs, as llama.cpp itself reports: ``ready on CPU, 0/31 layers offloaded``."""
    engine = status.engine
    if engine is None:
        return status.state
    if engine.engine == "scripted":
        return "ready: scripted engine, no model runs"
    text = f"ready on {_devices(engine)}"
    layers = _layers(engine)
    return f"{text}, {layers} layers offloaded" if layers else text


def engine_short(status: EndpointStatus) -> str:
    """The same for the header: ``CPU 0/31``."""
    engine = status.engine
    if status.state != "ready" or engine is None:
        return ""
    if engine.engine == "scripted":
        return "scripted"
    return f"{_devices(engine)} {_layers(engine)}".rstrip()


def _devices(engine: EngineInfo) -> str:
    return pane_line("+".join(device.name for device in engine.devices)) or "CPU"


def _layers(engine: EngineInfo) -> str:
    return f"{engine.layers_offloaded}/{engine.layers}" if engine.layers else ""


def megabytes(count: int) -> str:
    """Bytes in MB of a million bytes."""
    return f"{count / 1e6:.0f} MB"

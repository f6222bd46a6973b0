"""The conformance data: what lies in tests/data, and more of the same beside the checkout where there is any."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"
SHARED = DATA.parents[2] / "shared"

# Headers in which services and gateways take a key, beside the usual ones.
KEY_HEADERS = (
    "Authentication",
    "Helicone-Auth",
    "X-Functions-Key",
    "X-Litellm-Key",
    "X-Auth",
    "X-Master-Key",
    "Private-Key",
    "X-JWT",
    "Key",
)


def folders(name: str) -> list[Path]:
    """The folders of this name that there are, that of tests/data first."""
    return [folder for root in (DATA, SHARED) if (folder := root / name).is_dir()]


def stream_files() -> list[Path]:
    """The event streams of all providers."""
    files = [path for folder in folders("streams") for path in sorted(folder.rglob("*.sse"))]
    assert len(files) >= 85
    return files


def protocol() -> str | None:
    """The text of the notes on the protocol, None where they are not there."""
    path = SHARED / "protocol.md"
    return path.read_text("utf-8") if path.is_file() else None

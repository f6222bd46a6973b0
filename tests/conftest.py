"""What every test may ask for: the shared conformance data where it is there, and the default model."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of conformance vectors and recorded provider streams beside the checkout, if there is one."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "vectors").is_dir():
        pytest.skip("no shared conformance data beside this checkout")
    return folder

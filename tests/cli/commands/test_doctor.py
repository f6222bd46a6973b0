"""``doctor`` tells what works; a thing that does not work is exit 1."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def found(out: str) -> dict[str, dict[str, str]]:
    return {row["check"]: row for row in map(json.loads, out.splitlines())}


def test_everything_here_works(cli: Callable[..., Any]) -> None:
    done = cli("doctor", "--json")

    checks = found(done.out)
    assert checks["loopback"]["state"] == "ok", checks["loopback"]
    assert "resumed without loss" in checks["loopback"]["detail"]
    assert checks["configuration"]["state"] == "ok"
    # A fresh home has no model yet; that is said, and is no failure.
    assert checks["model"]["state"] == "warn"
    assert "sse-tui models pull" in checks["model"]["hint"]
    assert done.code == 0
    assert done.err == ""


def test_a_broken_configuration_fails_and_the_rest_is_still_checked(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "c.toml"
    path.write_text("[local]\nn_ctx = 'x'\n")

    done = cli("doctor", "--config", str(path))

    assert done.code == 1
    assert f"FAIL  configuration  {path}:2: local.n_ctx" in done.out
    assert "loopback" in done.out

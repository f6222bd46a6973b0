"""The fuzz targets, a few seconds of them: every seed as it is, and what hypothesis makes of their parts."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.mutation import mutated
from tests.fuzz.targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_every_seed_passes(name: str) -> None:
    for seed in TARGETS[name].seeds():
        TARGETS[name].run(seed)


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_parts_and_bytes(name: str, data: st.DataObject) -> None:
    target = TARGETS[name]
    parts = st.sampled_from(target.words) | st.binary(max_size=12) | st.text(max_size=6).map(str.encode)
    start = data.draw(st.sampled_from([b"", *[seed[:3000] for seed in target.seeds()]]))
    place = data.draw(st.integers(0, len(start)))
    middle = b"".join(data.draw(st.lists(parts, max_size=15)))
    target.run(start[:place] + middle + start[place + data.draw(st.integers(0, 20)) :])


@pytest.mark.parametrize("name", TARGETS)
def test_mutations_of_seeds(name: str) -> None:
    target = TARGETS[name]
    seeds, dice = [seed[:3000] for seed in target.seeds()], random.Random(1)
    for _ in range(40):
        target.run(mutated(seeds, target.words, dice))


@pytest.mark.parametrize(
    "case", sorted((Path(__file__).parent / "found").glob("*/*")), ids=lambda p: f"{p.parent.name}-{p.name}"
)
def test_what_was_found_stays_mended(case: Path) -> None:
    TARGETS[case.parent.name].run(case.read_bytes())


def test_the_runner_runs_and_counts() -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.fuzz", "fault-plan", "expectation", "--seconds", "1", "--plain"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["fault-plan", "expectation"]
    assert all(line.endswith("ok") and int(line.split()[2].replace(",", "")) > 10 for line in lines)

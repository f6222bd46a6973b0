"""Fuzzing at length: ``python -m tests.fuzz [NAME...] [--seconds N]``, each target in a process of its own.

With atheris (``pip install '.[fuzz]'``) guided by coverage, else by plain mutation. An input that fails is kept in
the folder ``--keep`` (default: the temporary folder) and named; the exit code is the number of targets that failed.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from hashlib import sha256
from pathlib import Path
from types import FrameType

SLOW_S = 20
MOST_BYTES = 60_000
MEMORY_MB = 2048


def main(arguments: list[str]) -> int:
    """Run the targets one after another."""
    from tests.fuzz.targets import TARGETS

    options = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    options.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TARGETS))
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--keep", default=str(Path(tempfile.gettempdir()) / "sse-tui-fuzz"))
    options.add_argument(
        "--plain", action="store_true", help="Mutate plainly even where atheris is installed."
    )
    options.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args(arguments)
    unknown = [name for name in given.names if name not in TARGETS]
    if unknown:
        options.error(f"there is no target {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    guided = not given.plain and importlib.util.find_spec("atheris") is not None
    if given.child:
        (_guided if guided else _plain)(given.names[0], given.seconds, Path(given.keep))
        return 0
    Path(given.keep).mkdir(exist_ok=True)
    failed = 0
    for name in given.names or TARGETS:
        ended, count = _child(name, arguments, given.seconds)
        failed += ended != 0
        kind = "atheris" if guided else "mutation"
        print(f"{name:<12} {kind:<9} {count:>12,} inputs  {'FAILED' if ended else 'ok'}", flush=True)
    return failed


def _child(name: str, arguments: list[str], seconds: int) -> tuple[int, int]:
    rest = [word for word in arguments if word.startswith("-") or word.isdigit() or "/" in word]
    command = [sys.executable, "-m", "tests.fuzz", name, *rest, "--child"]
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=seconds * 3 + 120
    )
    counts = re.findall(r"^Done (\d+) (?:runs|inputs)|^#(\d+)\t", done.stderr, re.MULTILINE)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if not line.startswith("#")]
        print(done.stdout[-2000:] + "\n".join(said)[-4000:], flush=True)
    return done.returncode, max((int(one or other) for one, other in counts), default=0)


def _guided(name: str, seconds: int, keep: Path) -> None:
    import atheris

    with atheris.instrument_imports(include=["sse_tui"]):
        for module in [
            module for module in sys.modules if module.startswith(("sse_tui", "tests.fuzz.targets"))
        ]:
            del sys.modules[module]
        from tests.fuzz.targets import TARGETS
    target = TARGETS[name]
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for number, seed in enumerate(target.seeds()):
            (corpus / f"seed-{number}").write_bytes(seed)
        words = Path(folder) / "words"
        words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words))
        atheris.Setup(
            [
                *("fuzz", str(corpus), f"-dict={words}", f"-max_total_time={seconds}", f"-timeout={SLOW_S}"),
                *(f"-max_len={MOST_BYTES}", f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={keep}/{name}-"),
            ],
            target.run,
        )
        atheris.Fuzz()


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word[:60])


def _plain(name: str, seconds: int, keep: Path) -> None:
    from tests.fuzz.mutation import mutated
    from tests.fuzz.targets import TARGETS

    target = TARGETS[name]
    seeds, dice = target.seeds(), random.Random(time.time_ns())
    signal.signal(signal.SIGALRM, _too_slow)
    end = time.monotonic() + seconds
    count = 0
    while time.monotonic() < end:
        data = mutated(seeds, target.words, dice)
        signal.alarm(SLOW_S)
        try:
            target.run(data)
        except Exception:
            path = keep / f"{name}-{sha256(data).hexdigest()[:16]}"
            path.write_bytes(data)
            traceback.print_exc()
            sys.exit(f"{name}: failed on {path}")
        count += 1
    signal.alarm(0)
    print(f"Done {count} inputs", file=sys.stderr)


def _too_slow(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError(f"one input took longer than {SLOW_S} s")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""All benchmarks, one after another: ``python -m tests.benchmarks [NAME...]``, on an idle machine.

Each prints its own table and the ratios against its peers, measured in the same run.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# The attacks in hostile_*.py are run by `hostile`.
NAMES = sorted(
    path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith(("_", "hostile_"))
)


def main(wanted: list[str]) -> int:
    """Run the named ones, all without a name; the number of those that failed."""
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        print(f"There is no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}.", file=sys.stderr)
        return 2
    failed = 0
    for name in wanted or NAMES:
        print(f"\n=== {name}", flush=True)
        failed += subprocess.run([sys.executable, "-m", f"tests.benchmarks.{name}"]).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

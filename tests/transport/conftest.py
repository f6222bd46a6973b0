"""The helpers beside these tests are imported as plain modules; the kernel is asked for stamps in good time."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from sse_tui.transport import SessionClock

SessionClock()

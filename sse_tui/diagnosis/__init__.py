"""What is wrong with a stream: rules over its bytes, items, records and times, one function each.

Pure: no clock, no I/O. `Diagnosis` runs the rules while a session is read and keeps their `Finding`s.
"""

from sse_tui.diagnosis.collector import KEPT
from sse_tui.diagnosis.diagnosis import Diagnosis
from sse_tui.diagnosis.finding import RAW_BYTES, WORST_FIRST, Finding, Setting, Severity
from sse_tui.diagnosis.registry import RULES, Occurrence, Rule, checked_rule

__all__ = [
    "KEPT", "RAW_BYTES", "RULES", "WORST_FIRST", "Diagnosis", "Finding", "Occurrence", "Rule", "Setting", "Severity",
    "checked_rule",
]  # fmt: skip

"""What is wrong with a stream: rules over its bytes, items, records and times, one function each.

Pure: no clock, no I/O. `Diagnosis` runs the rules while a session is read and keeps their `Finding`s.
"""

from sse_tui.diagnosis.collector import KEPT
from sse_tui.diagnosis.diagnosis import Diagnosis
from sse_tui.diagnosis.finding import RAW_BYTES, Finding, Severity
from sse_tui.diagnosis.registry import RULES, Occurrence, Rule

__all__ = ["KEPT", "RAW_BYTES", "RULES", "Diagnosis", "Finding", "Occurrence", "Rule", "Severity"]

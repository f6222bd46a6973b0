"""What is wrong with a stream: rules over its bytes, items, records and times, one function each.

Pure: no clock, no input or output. `Diagnosis` runs the rules as a session is read and keeps their `Finding`s.
"""

from sse_tui.diagnosis.diagnosis import Diagnosis
from sse_tui.diagnosis.finding import RAW_BYTES, Finding, Hit, Severity
from sse_tui.diagnosis.keeping import KEPT
from sse_tui.diagnosis.registry import RULES, Rule

__all__ = ["KEPT", "RAW_BYTES", "RULES", "Diagnosis", "Finding", "Hit", "Rule", "Severity"]

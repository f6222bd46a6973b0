"""Faults injected on purpose: the language of plans, and a plan applied to a stream."""

from sse_tui.faults.injector import Cut, Fired, Forward, Injector, Reset, Stall, Step
from sse_tui.faults.plan import FaultSpec, Plan, parse_plan

__all__ = ["Cut", "FaultSpec", "Fired", "Forward", "Injector", "Plan", "Reset", "Stall", "Step", "parse_plan"]

"""Faults injected on purpose: the language of plans, and a plan applied to a stream."""

from sse_tui.faults.injector import Fired, Forward, Injector, Step
from sse_tui.faults.plan import FaultSpec, Plan, parse_plan

__all__ = ["FaultSpec", "Fired", "Forward", "Injector", "Plan", "Step", "parse_plan"]

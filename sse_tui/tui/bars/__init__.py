"""Header, metrics, faults and footer."""

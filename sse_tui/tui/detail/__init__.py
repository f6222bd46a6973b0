"""The selected row, and the findings."""

"""The wire log as rows over a recording."""

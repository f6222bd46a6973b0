"""Broken streams of public reports, rebuilt here by kind: what each holds and what must be said of it."""

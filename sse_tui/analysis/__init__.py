"""From records to everything that is shown: entries, turns, transcript, outcome, JSON."""

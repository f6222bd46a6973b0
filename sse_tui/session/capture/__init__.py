"""The capture process, the TUI's end of it, and what they say to each other."""

"""Processes of this program: starting, watching and ending them, and what they say to each other."""

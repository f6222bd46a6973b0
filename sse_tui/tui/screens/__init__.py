"""Screens and windows over the app."""

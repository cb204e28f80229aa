"""Telling what happened, and what it came to."""

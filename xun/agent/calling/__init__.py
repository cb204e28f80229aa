"""Rules about the calls of tools."""

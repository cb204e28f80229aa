"""Splits a bill between friends, to the cent."""

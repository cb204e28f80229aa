"""The base of xun's exceptions, in a module that loads nothing."""

from __future__ import annotations


class XunError(Exception):
    """Base of every exception that xun raises on purpose."""

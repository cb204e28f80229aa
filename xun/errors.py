"""The bases of xun's exceptions, in a module that loads nothing."""

from __future__ import annotations


class XunError(Exception):
    """Base of every exception that xun raises on purpose."""


class ConfigurationError(XunError, ValueError):
    """What an agent, a tool or a policy was given cannot be used. `str()` says what is wrong, and what is wanted."""


class WrongTypeError(ConfigurationError, TypeError):
    """The same, where what was given is of the wrong kind."""

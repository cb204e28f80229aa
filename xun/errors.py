"""The bases of xun's exceptions, in a module that loads nothing."""

from __future__ import annotations


class XunError(Exception):
    """Base of every exception that xun raises on purpose."""


class ConfigurationError(XunError, ValueError):
    """What an agent, a tool or a policy was given cannot be used. `str()` says what is wrong, and what is wanted."""


class WrongTypeError(ConfigurationError, TypeError):
    """The same, where what was given is of the wrong kind."""


class RuntimeStateError(XunError, RuntimeError):
    """Something was used in a state that does not allow it: not started, closed, busy, over, or on a running loop."""


def text_of(error: BaseException) -> str:
    """What `error` of others says: its class where that is nothing, or where asking it fails, in whatever way."""
    try:
        return str(error) or type(error).__name__
    except BaseException:  # noqa: BLE001 - an exception of others that cannot even be shown
        return type(error).__name__

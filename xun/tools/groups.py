"""The tool groups by name. A group's modules are imported when it is first asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from xun.errors import ConfigurationError

_MODULES = {
    "fs": "xun.tools.fs",
    "search": "xun.tools.search",
    "cmd": "xun.tools.cmd",
    "framework": "xun.tools.framework",
}

DEFAULT_GROUPS: tuple[str, ...] = ("fs", "search", "cmd", "framework")
"""What an agent gets when nothing is said."""


def names() -> tuple[str, ...]:
    """The names of all groups."""
    return tuple(_MODULES)


def functions(group: str) -> Sequence[Callable[..., Any]]:
    """The functions of a group, ready to be registered. Raises `ConfigurationError`."""
    module = _MODULES.get(group)
    if module is None:
        raise ConfigurationError(f"unknown tool group {group!r}; known: {', '.join(_MODULES)}")
    return tuple(importlib.import_module(module).TOOLS)

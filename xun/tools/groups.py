"""The built-in tools by name, alone or by group. A group's modules are imported when one of its tools is asked for."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from xun.errors import ConfigurationError
from xun.toolbox.attr import attr_of
from xun.toolbox.signature import name_of

_TOOLS: dict[str, tuple[str, ...]] = {
    "fs": ("list_dir", "read_file", "write_file", "edit_file", "move", "delete"),
    "search": ("glob", "grep"),
    "cmd": ("bash",),
    "framework": ("ask_preference",),
    "planning": ("write_todos", "read_todos"),
}
"""The names of each group's tools, so that finding one by its name loads no other group."""

DEFAULT_GROUPS: tuple[str, ...] = ("fs", "search", "cmd", "framework", "planning")
"""What an agent gets when nothing is said."""


def names() -> tuple[str, ...]:
    """The names of all groups."""
    return tuple(_TOOLS)


def functions(name: str, **options: Any) -> Sequence[Callable[..., Any]]:
    """The functions of a group, or the one that a tool's name means, ready to be registered.

    `options` are the group's own: for `fs`, `max_read_bytes` and `max_directory_entries`. Raises `ConfigurationError`
    for an unknown name or option.
    """
    group = next((group for group, tools in _TOOLS.items() if name == group or name in tools), None)
    if group is None:
        tools = ", ".join(tool for tools in _TOOLS.values() for tool in tools)
        groups = ", ".join((*_TOOLS, "agents"))
        raise ConfigurationError(f"unknown tool group or tool {name!r}; groups: {groups}; tools: {tools}")
    found = _functions(group, options)
    return found if name == group else tuple(function for function in found if _named(function) == name)


def _functions(group: str, options: dict[str, Any]) -> tuple[Callable[..., Any], ...]:
    module = importlib.import_module(f"xun.tools.{group}")
    configured: Callable[..., Any] | None = getattr(module, "configured", None)
    known = [] if configured is None else list(inspect.signature(configured).parameters)
    for option in options:
        if option not in known:
            raise ConfigurationError(
                f"the tool group {group} has no option {option!r}; known: {', '.join(known) or 'none'}"
            )
    return tuple(module.TOOLS if configured is None or not options else configured(**options))


def _named(function: Callable[..., Any]) -> str:
    return attr_of(function).name or name_of(function)

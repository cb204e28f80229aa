"""The commands that xun has by itself."""

from __future__ import annotations

from collections.abc import Iterable

from xun.commands import help as help_commands
from xun.commands import history, mode, model, policy, sessions, settings, spending, tools
from xun.commands.command import Command
from xun.commands.registry import CommandRegistry

_FAMILIES = (policy, model, mode, history, tools, spending, settings, sessions)


def default_registry(custom: Iterable[Command] = ()) -> CommandRegistry:
    """A registry of the built-in commands and of `custom` ones, whose names must be free (`custom.load_commands`)."""
    first, *last = help_commands.COMMANDS
    built_in = (command for family in _FAMILIES for command in family.COMMANDS)
    return CommandRegistry((first, *built_in, *last, *custom))

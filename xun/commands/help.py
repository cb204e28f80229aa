"""`/help` and `/exit`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from xun.commands.command import Call, Command, CommandError
from xun.commands.outcome import Exit, Outcome

if TYPE_CHECKING:
    from xun.commands.registry import CommandRegistry

_ALSO = (
    ("!command", "Run it in the shell and tell the model; with !! do not tell it."),
    ("\\/text", "Send a text that begins with a slash. -h explains a command."),
)


async def _help(call: Call) -> Outcome:
    return Outcome(text=explained(call.registry, call.optional_argument()))


def explained(registry: CommandRegistry, name: str | None = None) -> str:
    """How the command `name` is used, or all of them. Raises `CommandError` for one that is not there."""
    if name is None:
        return overview(registry)
    command = registry.find(name.removeprefix("/"))
    if command is None:
        raise CommandError(f"there is no command {name}; /help lists them")
    return command.explain()


def overview(commands: Iterable[Command]) -> str:
    """A line for each command, and what else the prompt understands. xun's own commands fit a screen of 24 rows."""
    rows = [*((f"/{command.name}", command.help) for command in commands), *_ALSO]
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"{name:{width}}  {text}" for name, text in rows)


async def _exit(call: Call) -> Outcome:
    call.no_arguments()
    return Outcome(action=Exit())


COMMANDS = (
    Command("help", "What can be typed here, or how one command is used.", _help, "[command]", while_busy=True),
    Command("exit", "Leave; the session stays.", _exit, aliases=("quit",), while_busy=True),
)

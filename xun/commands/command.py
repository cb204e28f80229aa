"""A command: its name, what it says about itself, and what it does."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xun.commands.context import CommandContext
from xun.commands.outcome import Completion, Outcome
from xun.result import XunError

if TYPE_CHECKING:
    from xun.commands.registry import CommandRegistry

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*(?::[a-z0-9][a-z0-9_-]*)*")


class CommandError(XunError):
    """A command that cannot do what it was asked. `str()` is what the person reads."""


class UsageError(CommandError):
    """A command was written wrongly; the text says how it is written."""

    def __init__(self, usage: str) -> None:
        super().__init__(f"Usage: {usage}")


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a command: `text` is everything behind its name, `args` the same as words, quotes removed."""

    command: Command
    context: CommandContext
    registry: CommandRegistry
    text: str = ""
    args: tuple[str, ...] = ()

    def argument(self) -> str:
        """The one argument. Raises `UsageError` where there is none, or more."""
        found = self.optional_argument()
        if found is None:
            raise UsageError(self.command.usage)
        return found

    def optional_argument(self) -> str | None:
        """The one argument, or None where there is none. Raises `UsageError` where there are more."""
        if len(self.args) > 1:
            raise UsageError(self.command.usage)
        return self.args[0] if self.args else None

    def no_arguments(self) -> None:
        """Raises `UsageError` where there are any."""
        if self.args:
            raise UsageError(self.command.usage)


Run = Callable[[Call], Awaitable[Outcome]]
Complete = Callable[[CommandContext, tuple[str, ...]], Iterable[Completion]]


@dataclass(frozen=True, slots=True)
class Command:
    """One command, found by `name` or an alias.

    `arguments` is the rest of its usage line, `help` one sentence, `details` more lines for `-h`. `while_busy` says
    that it works while a turn runs. `raw` hands its text over as it was written, without looking at quotes.
    `complete` gives what the next word may be, from the words before it. `parent` is the command that this is a
    subcommand of, `source` the file that a custom one is from.
    """

    name: str
    help: str
    run: Run
    arguments: str = ""
    details: str = ""
    aliases: tuple[str, ...] = ()
    while_busy: bool = False
    raw: bool = False
    complete: Complete | None = None
    subcommands: tuple[Command, ...] = ()
    parent: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        for name in (self.name, *self.aliases):
            if not _NAME.fullmatch(name):
                raise ValueError(f"a command's name has small letters, digits, - and _ only, unlike {name!r}")

    @property
    def usage(self) -> str:
        return " ".join(filter(None, (self.parent, self.name, self.arguments)))

    def explain(self) -> str:
        """What `-h` shows."""
        also = f"Also: {', '.join(f'/{name}' for name in self.aliases)}" if self.aliases else ""
        busy = "" if self.while_busy else "While a turn runs, it waits for the end of it, or says that it has to."
        whence = f"From {self.source}" if self.source else ""
        below = self.list_subcommands()
        return "\n".join(filter(None, (self.help, f"Usage: {self.usage}", below, self.details, also, busy, whence)))

    def list_subcommands(self) -> str:
        """A line for each, empty where there are none."""
        if not self.subcommands:
            return ""
        rows = [(" ".join(filter(None, (sub.name, sub.arguments))), sub.help) for sub in self.subcommands]
        width = max(len(usage) for usage, _ in rows)
        return "\n".join(["Subcommands:", *(f"  {usage:{width}}  {text}" for usage, text in rows)])

    def sub(self, name: str) -> Command | None:
        """The subcommand called `name`."""
        return next((sub for sub in self.subcommands if sub.name == name), None)

    def completions(self, context: CommandContext | None, before: tuple[str, ...]) -> Iterable[Completion]:
        """What the word after `before` may be."""
        if self.subcommands and not before:
            return [Completion(sub.name, sub.help) for sub in self.subcommands]
        chosen = self.sub(before[0]) if before else None
        if chosen is not None:
            return chosen.completions(context, before[1:])
        return self.complete(context, before) if self.complete is not None and context is not None else ()


async def run_subcommand(call: Call) -> Outcome:
    """The `run` of a command that consists of its subcommands."""
    command = call.command
    if not call.args:
        raise CommandError(f"{command.name}: a subcommand is required\n{command.list_subcommands()}")
    sub = command.sub(call.args[0])
    if sub is None:
        raise CommandError(f"Unknown subcommand: {call.args[0]}")
    return await sub.run(Call(sub, call.context, call.registry, call.text, call.args[1:]))


def is_name(text: str) -> bool:
    """Could `text` be the name of a command?"""
    return _NAME.fullmatch(text) is not None

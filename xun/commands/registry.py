"""The table of commands, and what a typed line means. The same for every front end."""

from __future__ import annotations

import logging
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping

from xun.commands.command import Call, Command, CommandError, is_name
from xun.commands.context import CommandContext
from xun.commands.outcome import Completion, Outcome, Send
from xun.commands.shell_line import run_shell_line
from xun.result import XunError

_log = logging.getLogger("xun.commands")
_HELP = ("-h", "--help")
_QUOTES = "'\""
_LITERAL = ("\\/", "\\!")
_FIRST = re.compile(r"/(\S*)\s*(.*)", re.DOTALL)


class CommandRegistry:
    """Commands by name, in the order in which help shows them."""

    def __init__(self, commands: Iterable[Command] = ()) -> None:
        self._commands: dict[str, Command] = {}
        self._names: dict[str, Command] = {}
        self._unusable: dict[str, str] = {}
        for command in commands:
            self.register(command)

    def __iter__(self) -> Iterator[Command]:
        return iter(self._commands.values())

    def register(self, command: Command) -> None:
        """Add a command. Raises `ValueError` where its name or an alias is taken: nothing is ever replaced."""
        names = (command.name, *command.aliases)
        for name in names:
            if name in self._names:
                raise ValueError(f"there is a command /{name} already")
        self._commands[command.name] = command
        self._names |= dict.fromkeys(names, command)

    def explain_absence(self, reasons: Mapping[str, str]) -> None:
        """Say why there is no command of these names, where a person types one: its file cannot be used."""
        self._unusable |= reasons

    @property
    def names(self) -> frozenset[str]:
        """Every name that is taken, aliases too."""
        return frozenset(self._names)

    def find(self, name: str) -> Command | None:
        """The command called `name`, or one of whose aliases it is."""
        return self._names.get(name)

    def is_command(self, line: str) -> bool:
        """Whether `line` begins with what could be the name of a command, which a path such as `/etc/hosts` is not."""
        return line == "/" or _split(line)[0] is not None

    async def execute(self, line: str, context: CommandContext, *, beside: str = "") -> Outcome:
        """Do what a typed line says.

        `/name …` is a command and `!command` a shell line; `\\/…`, `\\!…`, a path such as `/etc/hosts is wrong`, and
        anything else is a prompt to be sent. `beside` names what the front end runs meanwhile: commands that need the
        agent for themselves are refused then. Never raises but for cancellation: what is wrong is in `Outcome.error`.
        """
        line = line.strip()
        if line.startswith("!"):
            return await run_shell_line(line, context)
        if line == "/":
            return Outcome(error="unknown command /; /help lists them")
        name, text = _split(line)
        if name is None:
            return Outcome(action=Send(line[1:] if line.startswith(_LITERAL) else line)) if line else Outcome()
        command = self.find(name)
        if command is None:
            return Outcome(error=self._unknown(name))
        return await self._run(command, text, context, beside)

    async def _run(self, command: Command, text: str, context: CommandContext, beside: str) -> Outcome:
        try:
            args = () if command.raw else _words(text)
            if text in _HELP or (not command.raw and args[-1:] in ((_HELP[0],), (_HELP[1],))):
                named = command.sub(args[0]) if args else None
                return Outcome(text=(named or command).explain())
            running = beside or context.agent.running
            if running and not command.while_busy:
                return Outcome(error=f"/{command.name} has to wait: {running} is running")
            return await self._told(Call(command, context, self, text, args))
        except (XunError, ValueError) as error:
            return Outcome(error=str(error))
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            return Outcome(error=f"{where}{error.strerror or error}")
        except Exception as error:  # noqa: BLE001 - a fault of a command must not take the screen down with it
            _log.exception("the command /%s failed", command.name)
            return Outcome(error=f"/{command.name} failed ({type(error).__name__}: {error}); please report it")

    async def _told(self, call: Call) -> Outcome:
        """Run a command, with the hooks told before and after."""
        agent, given = call.context.agent, {"command": call.command.name, "arguments": call.args or (call.text,)}
        await agent.hooks.fire("before_command", agent, **given)
        outcome = await call.command.run(call)
        await agent.hooks.fire("after_command", agent, **given)
        return outcome

    def complete(self, prefix: str, context: CommandContext | None = None) -> list[Completion]:
        """What the last word of `prefix`, the line up to the cursor, may become. Empty for anything but a command.

        Without a context nothing is found that depends on the agent, such as names of models.
        """
        head, blank, rest = prefix.partition(" ")
        if not head.startswith("/"):
            return []
        if not blank:
            named = sorted(self._names.items(), key=lambda item: (item[0] != item[1].name, item[0]))
            return [Completion(f"/{name}", command.help) for name, command in named if name.startswith(head[1:])]
        command = self.find(head[1:])
        if command is None:
            return []
        *before, last = rest.split(" ")
        found = command.completions(context, tuple(word for word in before if word))
        typed = last.lstrip(_QUOTES)
        return [completion for completion in found if completion.text.lstrip(_QUOTES).startswith(typed)]

    def _unknown(self, name: str) -> str:
        from difflib import get_close_matches

        if name in self._unusable:
            return f"/{name} cannot be used: {self._unusable[name]}"
        near = get_close_matches(name, self._names, 1, 0.6)
        meant = f"did you mean /{near[0]}?" if near else "/help lists them"
        return f"unknown command /{name}; {meant} (\\/{name} sends it as text)"


def _split(line: str) -> tuple[str | None, str]:
    """The name of a command and what follows it; no name where the line is none."""
    match = _FIRST.fullmatch(line)
    if match is None or not is_name(match[1].lower()):
        return None, ""
    return match[1].lower(), match[2]


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError:
        raise CommandError("a quote is not closed; write \\' or \\\" for one that stands for itself") from None

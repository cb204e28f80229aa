"""`/policy`: both allowlists of the running agent, looked at and changed, beside what stands in files of their own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from xun.commands.command import Call, Command, CommandError, run_subcommand
from xun.commands.context import CommandContext
from xun.commands.grants import SUBCOMMANDS as GRANTING
from xun.commands.outcome import Completion, Outcome
from xun.commands.sandbox import SANDBOX
from xun.commands.why import WHY
from xun.gate.gate import Gate
from xun.policy.entries import PolicyError, words_of
from xun.policy.paths import protected, special, within, within_any
from xun.policy.rules import Rule, RuleKind

PARENT = "policy"


def _allowing(gate: Gate, kind: RuleKind) -> list[Rule]:
    """The rules of the agent's policy that allow, apart from its own lists."""
    return [rule for rule in gate.policy.rules if rule.kind == kind and rule.effect == "allow"]


def command_entries(gate: Gate) -> list[str]:
    """Every command prefix that is allowed, the default list too, sorted."""
    return sorted({*gate.allowlists.commands, *(rule.pattern for rule in _allowing(gate, "command"))})


def path_entries(gate: Gate) -> list[str]:
    """Every path that may be written, for people: relative to the workspace where inside, a folder with `/`."""
    root = str(gate.workspace.root)
    folders = gate.allowlists.folders
    granted = (f"{path}/" if path in folders else path for path in gate.allowlists.write_paths)
    return sorted({_shown(path, root) for path in (*granted, *(rule.pattern for rule in _allowing(gate, "write")))})


def _shown(path: str, root: str) -> str:
    whole = os.path.normpath(os.path.join(root, path))  # noqa: PTH118 - a pattern is no path of this system yet
    name = os.path.relpath(whole, root) if within(whole, root) else whole
    there = Path(whole)
    folder = there.is_dir() or (path.endswith("/") and not there.exists())  # what is to be made is what it was called
    return f"{name}/" if folder and not name.endswith("/") else name


async def _list_commands(call: Call) -> Outcome:
    call.no_arguments()
    return Outcome(text=_listed("Command Allowlist:", command_entries(call.context.agent.gate)))


async def _add_command(call: Call) -> Outcome:
    gate = call.context.agent.gate
    gate.allowlists.add_command(call.argument())
    gate.rules_changed()
    return Outcome()


async def _remove_command(call: Call) -> Outcome:
    gate = call.context.agent.gate
    words = _words(call.argument())
    if words is None:
        return Outcome()  # no entry can be spelled like that
    for text in gate.allowlists.commands:
        if _words(text) == words:
            gate.allowlists.remove_command(text)
    _drop(gate, (rule for rule in _allowing(gate, "command") if _words(rule.pattern) == words))
    return Outcome()


async def _list_paths(call: Call) -> Outcome:
    call.no_arguments()
    return Outcome(text=_listed("Write Allowlist:", path_entries(call.context.agent.gate)))


async def _add_path(call: Call) -> Outcome:
    gate = call.context.agent.gate
    path = call.argument()
    gate.workspace.absolute(path)  # refuses what cannot be a path
    _check_path(gate, path)
    gate.allowlists.add_path(path, gate.workspace.root)
    gate.rules_changed()
    return Outcome()


async def _remove_path(call: Call) -> Outcome:
    gate = call.context.agent.gate
    real = _real(gate, call.argument())
    gate.allowlists.remove_path(real)
    _drop(gate, (rule for rule in _allowing(gate, "write") if _real(gate, rule.pattern) == real))
    return Outcome()


def _drop(gate: Gate, rules: Iterable[Rule]) -> None:
    if found := tuple(rules):
        gate.policy = gate.policy.without(*found)


def _words(text: str) -> tuple[str, ...] | None:
    try:
        return words_of(text.strip())
    except PolicyError:
        return None


def _real(gate: Gate, path: str) -> str:
    return os.path.realpath(gate.workspace.absolute(path))


def _check_path(gate: Gate, path: str) -> None:
    """Raises `CommandError` for an entry that would allow nothing: such writes always ask."""
    real = _real(gate, path)
    root = next((str(root) for root in gate.workspace.roots if within(real, str(root))), None)
    if special(real):
        raise CommandError(f"{path} leads into /proc, /sys or /dev, where writes always ask")
    if root is None:
        why = "holds the workspace; name . or a path in it" if within_any(str(gate.workspace.root), [real]) else (
            f"is outside the workspace {gate.workspace.root}, where writes always ask"
        )  # fmt: skip
        raise CommandError(f"{path} {why}")
    if protected(real[len(root) :]):
        raise CommandError(f"{path} is run or trusted later: writes there always ask")


def _listed(title: str, entries: list[str]) -> str:
    return "\n".join([title, *(f"  {entry}" for entry in entries)])


def _known_commands(context: CommandContext, before: tuple[str, ...]) -> Iterable[Completion]:
    return [] if before else [Completion(_quoted(text)) for text in command_entries(context.agent.gate)]


def _known_paths(context: CommandContext, before: tuple[str, ...]) -> Iterable[Completion]:
    return [] if before else [Completion(_quoted(text)) for text in path_entries(context.agent.gate)]


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)


_SUBCOMMANDS = (
    Command("cmd_allowlist", "The commands that run without asking.", _list_commands, parent=PARENT, while_busy=True),
    Command(
        "cmd_allowlist_add", "Allow what begins with these words; quote several.", _add_command, "<command>",
        parent=PARENT, while_busy=True,
    ),
    Command(
        "cmd_allowlist_remove", "Ask again for what begins with these words.", _remove_command, "<command>",
        parent=PARENT, while_busy=True, complete=_known_commands,
    ),
    Command("path_allowlist", "The paths that are written without asking.", _list_paths, parent=PARENT,
            while_busy=True),
    Command(
        "path_allowlist_add", "Allow writes to a file, or to a folder with all below it.", _add_path, "<path>",
        parent=PARENT, while_busy=True,
    ),
    Command(
        "path_allowlist_remove", "Ask again before writing there.", _remove_path, "<path>",
        parent=PARENT, while_busy=True, complete=_known_paths,
    ),
    *GRANTING,
    WHY,
    SANDBOX,
)  # fmt: skip

COMMANDS = (
    Command(
        PARENT,
        "What runs and is written without asking in this session.",
        run_subcommand,
        "<subcommand> [arguments]",
        'Example: /policy cmd_allowlist_add "npm test"',
        while_busy=True,
        subcommands=_SUBCOMMANDS,
    ),
)

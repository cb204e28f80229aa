"""`/policy grants`, `save`, `project` and `mode`: what the person has allowed here, for how long, and keeping it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from glob import escape

from xun.commands.command import Call, Command, CommandError, UsageError
from xun.commands.context import CommandContext
from xun.commands.mode import known_modes, set_mode
from xun.commands.outcome import Completion, Outcome
from xun.config.policy_edit import append_rules
from xun.config.policy_target import PolicyTarget
from xun.config.project.command import ProjectCommand
from xun.config.project.grants import ProjectGrants
from xun.gate.gate import Gate
from xun.policy.decision import RuleKind
from xun.policy.paths import within
from xun.policy.rules import Rule

_PARENT = "policy"
_ENDS = "ends with the session"


@dataclass(frozen=True, slots=True)
class _Grant:
    """One grant in force: what it allows, how long, and how it is taken back."""

    kind: RuleKind
    what: str
    ends: str
    take_back: Callable[[], object]


def _grants(context: CommandContext) -> list[_Grant]:
    gate = context.agent.gate
    lists = gate.allowlists
    found = [_Grant("command", text, _ENDS, partial(lists.remove_command, text)) for text in lists.commands]
    found += [_Grant("write", path, _ENDS, partial(lists.remove_path, path)) for path in lists.write_paths]
    found += [_Grant(rule.kind, rule.pattern, _end_of(rule), partial(_drop, gate, rule)) for rule in gate.grants]
    own = context.grants
    for command in _granted(own):
        assert own is not None
        where = own.shown_folder(command) or "this folder"
        ends = f"kept for {where}, until what it runs changes"
        found.append(_Grant("command", command.command, ends, partial(own.decide, (), [command])))
    return found


def _granted(own: ProjectGrants | None) -> list[ProjectCommand]:
    return [command for command, state in own.found() if state == "granted"] if own is not None else []


def _drop(gate: Gate, rule: Rule) -> None:
    gate.grants[:] = [one for one in gate.grants if one is not rule]


def _end_of(rule: Rule) -> str:
    if rule.uses is not None:
        return "ends after its next use" if rule.uses == 1 else f"ends after {rule.uses} more uses"
    return f"ends at {rule.until:%H:%M %Z}" if rule.until is not None else _ENDS


async def _list(call: Call) -> Outcome:
    if call.args[:1] == ("remove",):
        return await _remove(call)
    call.no_arguments()
    found = await asyncio.to_thread(_grants, call.context)
    if not found:
        return Outcome(text="Nothing is granted. /policy project shows the commands of this project that could be.")
    width = min(max(len(grant.what) for grant in found), 40)
    rows = [f"{number:3}  {grant.kind:7}  {grant.what:{width}}  {grant.ends}" for number, grant in enumerate(found, 1)]
    return Outcome(text="\n".join(["Granted:", *rows, "/policy grants remove NUMBER takes one back."]))


async def _remove(call: Call) -> Outcome:
    if len(call.args) != 2:
        raise UsageError(call.command.usage)
    what = call.args[1]
    found = await asyncio.to_thread(_grants, call.context)
    number = int(what) if what.isascii() and what.isdecimal() else 0
    meant = found[number - 1 : number] if number else [grant for grant in found if grant.what == what]
    if len(meant) != 1:
        raise CommandError(f"{what} is {'more than one' if meant else 'no'} grant; /policy grants lists them")
    meant[0].take_back()
    return Outcome(text=f"Taken back: {meant[0].kind} {meant[0].what}. It asks again.")


def _known_grants(context: CommandContext, before: tuple[str, ...]) -> Iterable[Completion]:
    if not before:
        return [Completion("remove", "take one back")]
    return [Completion(str(n), grant.what) for n, grant in enumerate(_grants(context), 1)] if len(before) == 1 else []


async def _save(call: Call) -> Outcome:
    word = call.optional_argument() or "user"
    if word not in ("user", "project"):
        raise UsageError(call.command.usage)
    paths, gate = call.context.paths, call.context.agent.gate
    if paths is None:
        raise CommandError("there is no configuration here to save to")
    target = PolicyTarget(paths, gate.workspace.root, in_project=word == "project")
    rules, left = _to_save(gate, target)
    if not rules:
        return Outcome(text="\n".join(["There is nothing to save: no grant of this session can be kept.", *left]))
    saved = await asyncio.to_thread(append_rules, target.path, rules, project=target.project)
    if not saved:
        return Outcome(text="\n".join([f"Nothing added: {target.path} says all of it already.", *left]))
    lines = [f"  allow {rule.kind} {rule.pattern}" for rule in saved]
    after = target.agree()
    return Outcome(text="\n".join([f"Saved to {target.path}:", *lines, *([after] if after else []), *left]))


def _to_save(gate: Gate, target: PolicyTarget) -> tuple[list[Rule], list[str]]:
    """The grants of the session as allow rules, and what of them cannot be kept."""
    rules = [Rule(effect="allow", kind="command", pattern=text) for text in gate.allowlists.commands]
    left: list[str] = []
    root = str(gate.workspace.root)
    for path in gate.allowlists.write_paths:
        inside = within(path, root) and path != root
        if target.in_project and not inside:
            left.append(f"not saved: write {path}, which is no path in the project")
        else:
            pattern = escape(os.path.relpath(path, root) if target.in_project else path)
            rules.append(Rule(effect="allow", kind="write", pattern=pattern))
    for rule in gate.grants:
        if rule.uses is not None or rule.until is not None:
            left.append(f"not saved: {rule.kind} {rule.pattern}, which {_end_of(rule)}")
        elif target.in_project and rule.kind == "read":
            left.append(f"not saved: read {rule.pattern}: a project allows nothing outside its own folder")
        else:
            rules.append(Rule(effect="allow", kind=rule.kind, pattern=rule.pattern))
    return rules, left


async def _project(call: Call) -> Outcome:
    own = call.context.grants
    if own is None:
        raise CommandError("the commands of this project are not known here")
    if not call.args or not own.shown:
        shown = await asyncio.to_thread(own.show)
        note = "" if not call.args else "They are shown first: type it again to take what you see."
        return Outcome(text="\n".join(filter(None, [_listed(own, shown), note])))
    taken = _chosen(call, own.shown)
    rest = [command for command in own.shown if command not in taken]
    try:
        await asyncio.to_thread(own.decide, taken, rest)
    except OSError as error:
        raise CommandError(f"that cannot be kept: {error.strerror or error}") from error
    call.context.agent.gate.rules_changed()
    names = ", ".join(command.command for command in taken) or "none"
    return Outcome(text=f"These run without asking here, until what they run changes: {names}.")


def _listed(own: ProjectGrants, shown: Sequence[tuple[ProjectCommand, str]]) -> str:
    if not shown:
        return "No test, build or lint commands of this project were found."
    lines = ["This project's own commands, and what each would run:"]
    for number, (command, state) in enumerate(shown, 1):
        where = f"  in {folder}" if (folder := own.shown_folder(command)) else ""
        said = {"granted": "  runs without asking", "changed": "  CHANGED since you agreed to it: asks"}.get(state, "")
        lines += [f"{number:3} {command.command}{where}{said}", *(f"      {line}" for line in command.runs)]
    return "\n".join([*lines, "/policy project all, none or NUMBERS says which of them run without asking."])


def _chosen(call: Call, shown: Sequence[ProjectCommand]) -> list[ProjectCommand]:
    if call.args in (("all",), ("none",)):
        return list(shown) if call.args == ("all",) else []
    words = [word.rstrip(",") for word in call.args]
    if not all(word.isascii() and word.isdecimal() and 1 <= int(word) <= len(shown) for word in words):
        raise CommandError(f"give all, none, or numbers from 1 to {len(shown)}")
    numbers = {int(word) for word in words}
    return [command for number, command in enumerate(shown, 1) if number in numbers]


SUBCOMMANDS = (
    Command(
        "grants", "What you have allowed, and until when.", _list, "[remove NUMBER]",
        parent=_PARENT, while_busy=True, complete=_known_grants,
    ),
    Command(
        "project", "The project's own commands; grant them.", _project,
        "[all|none|NUMBERS]", parent=_PARENT, while_busy=True,
    ),
    Command(
        "save", "Keep this session's grants in a policy file.", _save, "[user|project]",
        parent=_PARENT, while_busy=True,
    ),
    Command(
        "mode", "Show, choose or set the mode.", set_mode, "[NAME]",
        parent=_PARENT, while_busy=True, complete=known_modes,
    ),
)  # fmt: skip

"""`/policy grants`, `save`, `project` and `mode`: what the person has allowed here, for how long, and keeping it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from glob import escape

from xun.commands.command import Call, Command, CommandError, UsageError
from xun.commands.context import CommandContext
from xun.commands.kept import KeptRule, allowed_by, kept_rules, place, same
from xun.commands.mode import known_modes, set_mode
from xun.commands.numbers import numbers_of
from xun.commands.outcome import Completion, Outcome
from xun.config.policy_edit import append_rules
from xun.config.policy_target import PolicyTarget
from xun.config.project.command import ProjectCommand
from xun.config.project.grants import ProjectGrants
from xun.gate.gate import Gate
from xun.policy.paths import within
from xun.policy.rules import Rule

_PARENT = "policy"
_ENDS = "ends with the session"


@dataclass(frozen=True, slots=True)
class _Grant:
    """One grant in force: what it allows, and how long.

    It is taken back by `forget` for this session, and out of its file where it is `kept` in one.
    """

    rule: Rule
    what: str
    ends: str
    forget: Callable[[], object]
    kept: KeptRule | None = None


def _grants(context: CommandContext) -> tuple[list[_Grant], list[str]]:
    """What is granted, and what is wrong with a file in which more may be."""
    gate = context.agent.gate
    kept, wrong = kept_rules(context.paths, gate)
    found: list[_Grant] = []
    for grant in _of_session(gate):
        lasts = grant.rule.uses is None and grant.rule.until is None
        file = next((one for one in kept if lasts and same(one.rule, grant.rule, gate)), None)
        if file is not None:  # a yes for good: one grant, in force and in a file
            kept.remove(file)
            grant = replace(grant, ends=file.ends(gate), kept=file)
        found.append(grant)
    found += [_Grant(one.rule, one.rule.shown, one.ends(gate), _nothing, one) for one in kept]
    own = context.grants
    for command in _granted(own):
        assert own is not None
        where = own.shown_folder(command) or "this folder"
        ends = f"kept for {where}, until what it runs changes"
        rule = Rule(effect="allow", kind="command", pattern=command.command)
        found.append(_Grant(rule, command.command, ends, partial(own.decide, (), [command])))
    return found, wrong


def _of_session(gate: Gate) -> Iterator[_Grant]:
    lists = gate.allowlists
    for rule, text in zip(lists.rules(), (*lists.commands, *lists.write_paths), strict=True):
        drop = lists.remove_command if rule.kind == "command" else lists.remove_path
        yield _Grant(rule, text, _ENDS, partial(drop, text))
    for rule in gate.granted:
        yield _Grant(rule, rule.shown, _end_of(rule), partial(_drop, gate, rule))


def _nothing() -> None:
    """Nothing of this session stands for what is in a file alone."""


def _granted(own: ProjectGrants | None) -> list[ProjectCommand]:
    return [command for command, state in own.found() if state == "granted"] if own is not None else []


def _drop(gate: Gate, rule: Rule) -> None:
    for rules in (gate.grants, gate.kept):
        rules[:] = [one for one in rules if one is not rule]


def _end_of(rule: Rule) -> str:
    if rule.uses is not None:
        return "ends after its next use" if rule.uses == 1 else f"ends after {rule.uses} more uses"
    return f"ends at {rule.until:%H:%M %Z}" if rule.until is not None else _ENDS


async def _list(call: Call) -> Outcome:
    if call.args[:1] == ("remove",):
        return await _remove(call)
    call.no_arguments()
    found, wrong = await asyncio.to_thread(_grants, call.context)
    if not found:
        nothing = "Nothing is granted. /policy project shows the commands of this project that could be."
        return Outcome(text="\n".join([nothing, *wrong]))
    width = min(max(len(grant.what) for grant in found), 40)
    rows = [f"{n:3}  {grant.rule.kind:7}  {grant.what:{width}}  {grant.ends}" for n, grant in enumerate(found, 1)]
    return Outcome(text="\n".join(["Granted:", *rows, *wrong, "/policy grants remove NUMBER takes one back."]))


async def _remove(call: Call) -> Outcome:
    if len(call.args) != 2:
        raise UsageError(call.command.usage)
    what, gate = call.args[1], call.context.agent.gate
    found, _ = await asyncio.to_thread(_grants, call.context)
    number = int(what) if what.isascii() and what.isdecimal() else 0
    meant = found[number - 1 : number] if number else [grant for grant in found if grant.what == what]
    if len(meant) != 1:
        raise CommandError(f"{what} is {'more than one' if meant else 'no'} grant; /policy grants lists them")
    grant = meant[0]
    left = await asyncio.to_thread(grant.kept.take_out) if grant.kept is not None else ""
    grant.forget()
    if grant.kept is not None:
        grant.kept.forget(gate)
    own = call.context.grants
    still = allowed_by(grant.rule, await asyncio.to_thread(own.rules) if own is not None else (), gate)
    file = f", and out of {place(str(grant.kept.target.path), gate)}" if grant.kept is not None else ""
    then = f"It does not ask: {still} allows it too." if still else "It asks again."
    said = f"Taken back: {grant.rule.kind} {grant.what}{file}. {then}"
    return Outcome(text=f"{said}\n{left}" if left else said)


def _known_grants(context: CommandContext, before: tuple[str, ...]) -> Iterable[Completion]:
    if not before:
        return [Completion("remove", "take one back")]
    return (
        [Completion(str(n), grant.what) for n, grant in enumerate(_grants(context)[0], 1)] if len(before) == 1 else []
    )


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
        waiting = [target.waiting] if target.waiting else []
        return Outcome(text="\n".join([f"Nothing added: {target.path} says all of it already.", *waiting, *left]))
    lines = [f"  allow {rule.kind} {rule.shown}" for rule in saved]
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
    for rule in gate.granted:
        if rule.uses is not None or rule.until is not None:
            left.append(f"not saved: {rule.kind} {rule.shown}, which {_end_of(rule)}")
        elif target.in_project and rule.kind == "read":
            left.append(f"not saved: read {rule.shown}: a project allows nothing outside its own folder")
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
    numbers = numbers_of([word.rstrip(",") for word in call.args], len(shown))
    if numbers is None:
        raise CommandError(f"give all, none, or numbers from 1 to {len(shown)}")
    return [shown[number - 1] for number in numbers]


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

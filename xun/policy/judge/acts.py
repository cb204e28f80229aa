"""The hard reasons against what a shell command changes, removes or runs: what no rule, grant or model settles."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property

from xun.policy.commands.spec import Use
from xun.policy.decision import Reason
from xun.policy.judge.leaving import with_way_out
from xun.policy.judge.places import Places
from xun.policy.paths import joined, protected
from xun.policy.reach.links import made_links, makes_links, through_link
from xun.policy.reach.needs import Command, Reading
from xun.policy.reach.operands import (
    MODES,
    as_shell,
    changed,
    changes_through,
    passes_on,
    prints_all,
    prints_files,
    removes_all,
    removes_input,
    starts,
)
from xun.policy.reach.rewritten import in_place, rewriting
from xun.policy.rules import Rule
from xun.policy.script.folders import is_lost, told
from xun.policy.tables.programs import DESTROYERS, MACHINE, PRIVILEGED, RUNS_OTHERS, base_name
from xun.policy.text.words import Arg

ANYTHING = "*\0"
_MARKS = frozenset("*?[")
_EXPANSION = re.compile(r"\$\(.*?\)|`.*?`|\$\{[^}]*\}|\$\w*|[\ue000-\uf8ff]")
_EVERY_PROCESS = ("-1", "--", "-9", "-KILL", "-TERM", "-15", "-HUP")


@dataclass(frozen=True)
class Acts:
    """What speaks against the changes of a shell text that starts in `cwd`."""

    cwd: str
    reading: Reading
    places: Places

    def redirects(self) -> Iterator[Reason]:
        """The hard reasons against where the redirections of a text lead."""
        for operator, target in self.reading.script.redirects:
            if target.text == "/dev/null" or (operator in (">&", "<&") and target.text.isdigit()):
                continue
            for folder in self.reading.script.anywhere(self.cwd):
                key = joined(folder, target.pattern)
                if operator == "<":
                    if self.places.is_secret(Use(target, "read"), key):
                        yield Reason(code="secret", text=f"{target.text} names a file that holds secrets", hard=True)
                elif not target.known or is_lost(key):
                    yield Reason(code="redirect", text=f"where it writes ({target.text}) cannot be told", hard=True)
                else:
                    yield from self.leads(Use(target, "write"), key)

    def leads(self, use: Use, key: str, by: Command | None = None, *, final: bool = True) -> Iterator[Reason]:
        """The hard reasons against changing what is at `key`. `final` says that a link of that name is followed."""
        shown = told(use.arg.text)
        if is_lost(key):
            text = f"where {shown} is cannot be told, as the folder is changed in a way that is not followed"
            yield Reason(code="unknown-path", text=text, hard=True)
            return
        if link := through_link(key, self.links(by), final=final):
            text = f"where {shown} leads cannot be told: the same text makes the link {posixpath.basename(link)}"
            yield Reason(code="unknown-path", text=text, hard=True)
        yield from self.places.change(key, shown, sandboxed=True)
        spared = by is not None and all(base_name(view[0].text) == "mkdir" for view in by.acting)
        spared = spared or self.places.denied("write", key) is not None  # which says more
        if rule := self.may_be_denied(use, key) or (None if spared else self.places.denied_in_folder(key)):
            text = f"it may change what a rule denies: {rule.pattern}"
            yield Reason(code="may-be-ruled", text=text, hard=True, rule=rule.source)

    def may_be_denied(self, use: Use, key: str) -> Rule | None:
        """The deny rule on writing that may cover what a pattern of the shell gives, there or yet to be made."""
        text = Arg(key).text if use.arg.known else _EXPANSION.sub(ANYTHING, Arg(key).text)
        if not Arg(key).glob and (use.arg.known or _MARKS.isdisjoint(text)):
            return None
        return next((rule for rule in self.denying if may_meet(text, rule.pattern, self.places.facts.roots)), None)

    @property
    def denying(self) -> list[Rule]:
        """The deny rules on writing that are in force."""
        return [rule for rule in self.places.policy.own("write", "deny") if rule.in_force(self.places.facts.at)]

    @cached_property
    def made(self) -> Sequence[tuple[Command, str]]:
        return tuple(made_links(self.reading, self.cwd, self.places.facts))

    def links(self, command: Command | None) -> Set[str]:
        """The links that the text makes, without those that are all that `command` is for."""
        own = command if command and makes_links(command.segment.args) else None
        return {path for maker, path in self.made if maker is not own}

    def against(self, command: Command) -> Iterator[Reason]:
        """The hard reasons against a command that no table judges, for what it runs and changes."""
        for reason in (*self.running(command), *self.changing(command)):
            yield reason.model_copy(update={"segment": command.segment.text})

    def running(self, command: Command) -> Iterator[Reason]:
        if command.cut:
            yield Reason(code="too-long", text="it may run more commands in turn than are looked at", hard=True)
        names = [base_name(view[0].text) for view in command.acting]
        if name := next((name for name in names if name in PRIVILEGED), None):
            yield Reason(code="privilege", text=f"{name} acts with other rights", hard=True)
        if name := next((name for name in names if name in MACHINE), None):
            yield Reason(code="machine", text=f"{name} acts on the whole machine", hard=True)
        if any(_ends_all(view) for view in command.acting):
            yield Reason(code="machine", text="it would end every process there is", hard=True)
        if rule := self.rewritten(command) if self.denying else None:
            text = f"it may write {'below ' if rule.pattern.endswith('/') else ''}{rule.pattern}, which a rule denies"
            yield Reason(code="may-be-ruled", text=text, hard=True, rule=rule.source)

    def rewritten(self, command: Command) -> Rule | None:
        """The deny rule on writing that may cover a file which the command changes without naming it."""
        found: list[str] = []
        for view in command.acting:
            name = base_name(view[0].text)
            if told := rewriting(view):
                found += self.places.facts.roots if told.whole else self.real(command, told.places)
            elif name in MODES and changes_through(view):
                found += self.real(command, tuple(use.arg for use in changed(view)))
            elif name in ("xargs", "parallel") and any(map(in_place, command.acting)):
                found += self.fed_from(command)
            elif name == "find" and any(map(in_place, command.acting)):
                found += self.real(command, tuple(starts(view)))
        return self.places.denied_below(*found, kind="write") if found else None

    def real(self, command: Command, places: Sequence[Arg]) -> Iterator[str]:
        """Where the folders among `places` are, resolved, and what nobody has looked up."""
        for folder in self.reading.script.starts(self.cwd, command.segment):
            for arg in places:
                key = command.keys(folder, Use(arg, "meta"))
                fact = self.places.facts.paths.get(key)
                if fact is None or fact.kind in ("folder", "missing"):
                    yield fact.real if fact else posixpath.normpath(key)

    def fed_from(self, command: Command) -> Iterable[str]:
        """The folders whose files may be handed to a command: those that the one before names, else all there are."""
        before = self.feeder(command)
        if before is None:
            return self.places.facts.roots
        folders = self.reading.script.starts(self.cwd, before.segment)
        keys = [before.keys(folder, use) for folder in folders for use in (*before.uses, *before.words)]
        facts = (self.places.facts.paths.get(key) for key in keys)
        return [fact.real for fact in facts if fact and fact.kind == "folder"] or self.places.facts.roots

    def changing(self, command: Command) -> Iterator[Reason]:
        names = {base_name(as_shell(view)[0].text) for view in command.acting}
        removes = not names.isdisjoint(DESTROYERS) or any(map(removes_all, command.acting))
        destroys = removes or "dd" in names or "find" in names
        followed = not names <= {"rm", "rmdir", "unlink"}
        for use in command.changed:
            if destroys and not use.arg.known:
                text = f"what it removes or overwrites ({told(use.arg.text)}) cannot be told"
                yield Reason(code="unknown-path", text=text, hard=True)
                continue
            for folder in self.reading.script.starts(self.cwd, command.segment):
                yield from self.leads(use, command.keys(folder, use), command, final=followed)
        yield from self.fed(command)
        keys = {key for use, key in self.wholly(command) if use.mode == "moved" and not use.only}
        if removes and any(map(self.places.holds_root, keys)):
            yield Reason(code="root", text="it would remove the workspace itself", hard=True)

    def fed(self, command: Command) -> Iterator[Reason]:
        """The hard reason against removing what another command puts out, unless that is names of some files."""
        if not removes_input(command.acting):
            return
        before = self.feeder(command)
        feeder = before.segment.args if before else None
        told = feeder is not None and prints_files(feeder)
        if feeder is not None and told and not prints_all(feeder):
            return
        text = (
            "it would remove the workspace itself" if told else "what it removes cannot be told: other commands name it"
        )
        yield Reason(code="root" if told else "unknown-path", text=text, hard=True)

    def feeder(self, command: Command) -> Command | None:
        """The command whose output comes to this one, if any does, through those that only pass it on."""
        before = self.reading.commands[: self.reading.commands.index(command)]
        return next((one for one in reversed(before) if not passes_on(one.segment.args)), None)

    def wholly(self, command: Command) -> Iterator[tuple[Use, str]]:
        """What the command takes with all that is in it, and where."""
        for folder in self.reading.script.starts(self.cwd, command.segment):
            yield from ((use, command.keys(folder, use)) for use in command.whole)

    def wholes(self, command: Command) -> Iterator[Reason]:
        """The hard reasons against what is moved, removed or copied with all that is in it."""
        for use, key in self.wholly(command):
            for reason in self.along(use, key):
                yield with_way_out(reason.model_copy(update={"segment": command.segment.text}), command)

    def along(self, use: Use, key: str) -> Iterator[Reason]:
        if use.mode != "moved":
            reason = self.places.handed(use, key) if use.mode == "named" else self.places.through(use, key)
            yield from [reason] if reason and reason.hard else []
        elif not use.only:
            yield from self.places.goes_along(key)
        else:
            # Of what is swept by name, no more can be told than which names these are.
            found = self.places.facts.kept.get(key) or ()
            kept = (one for one, real in found if protected(one) or self.places.guard.kept(real))
            hit = next((one for one in kept if _named(one, use.only)), None)
            if hit:
                yield Reason(code="protected", text=f"{hit} would go too, which is run or trusted later", hard=True)
            if rule := self.places.denied_along(key):
                text = f"it may remove what a rule denies: {rule.pattern}"
                yield Reason(code="may-be-ruled", text=text, hard=True, rule=rule.source)

    def exposures(self, command: Command) -> Iterator[Reason]:
        """The hard reasons against the words that the program may write to, as far as anybody knows."""
        runs = base_name(command.segment.args[0].text) in RUNS_OTHERS
        certain = {use.arg for use in command.changed}  # what is written for certain is judged as that
        for folder in self.reading.script.starts(self.cwd, command.segment):
            for use in command.exposed:
                key, shown = command.keys(folder, use), told(use.arg.text)
                for reason in self.written(key, shown, command, runs=runs):
                    if use.arg in certain and reason.code in ("outside", "protected", "special-file"):
                        continue
                    yield reason.model_copy(update={"segment": command.segment.text})

    def written(self, key: str, shown: str, by: Command, *, runs: bool) -> Iterator[Reason]:
        if reason := self.places.exposes(key, shown, runs=runs):
            yield reason
        if through_link(key, self.links(by), final=True):
            text = f"it may write {shown}, and the same text makes a link of that name"
            yield Reason(code="unknown-path", text=text, hard=True)
        if rule := self.places.denied("write", key):
            text = f"it may write {shown}, which a rule denies"
            yield Reason(code="may-be-ruled", text=text, hard=True, rule=rule.source)


def _named(path: str, patterns: Sequence[str]) -> bool:
    return any(pattern != "*" and fnmatchcase(posixpath.basename(path), pattern) for pattern in patterns)


def may_meet(glob: str, pattern: str, roots: Sequence[str]) -> bool:
    """May a path that a pattern of the shell gives be one that the pattern of a rule covers?"""
    anywhere = pattern.startswith(("/", "**"))
    for root in roots if not anywhere else ("",):
        ruled = posixpath.normpath(joined(root, pattern)).strip("/").split("/")
        given = posixpath.normpath(glob).strip("/").split("/")
        if told := next((at for at, part in enumerate(given) if ANYTHING in part), None):
            ruled, given = ruled[: told + 1], given[: told + 1]  # behind it, anything may follow
        if "**" in pattern:
            return _may_equal(given[-1], ruled[-1])
        if len(given) >= len(ruled) and all(map(_may_equal, given, ruled)):
            return True
    return False


def _may_equal(one: str, other: str) -> bool:
    """May a name fit both of two patterns?"""
    one = one.replace(ANYTHING, "*")
    either = fnmatchcase(one, other) or fnmatchcase(other, one)
    return either or (any(mark in one for mark in "*?[") and any(mark in other for mark in "*?["))


def _ends_all(view: Sequence[Arg]) -> bool:
    """`kill -1`, with a signal or without, ends all processes; with a signal alone before a number it does not."""
    if base_name(view[0].text) != "kill":
        return False
    words = [arg.text for arg in view[1:]]
    return len(words) > 1 and words[-1] == "-1" and all(word in _EVERY_PROCESS for word in words)

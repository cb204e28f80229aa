"""What speaks against the names that come to stand in the folders that a command is given."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from xun.policy.commands.spec import Use
from xun.policy.decision import Reason
from xun.policy.judge.places import Places
from xun.policy.paths import tool, within_any
from xun.policy.reach.needs import Command, Reading
from xun.policy.reach.placing import Placing
from xun.policy.reach.unpacked import unpacks
from xun.policy.rules import Rule
from xun.policy.script.folders import is_lost, told
from xun.policy.text.words import Arg


@dataclass(frozen=True, slots=True)
class _Spot:
    """A path that is written, or with `open` what nobody knows below it. `key` is what the facts hold it under."""

    path: str
    key: str = ""
    open: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """The new paths of a shell text that starts in `cwd`."""

    cwd: str
    reading: Reading
    places: Places

    def rule(self, command: Command) -> tuple[Rule, str] | None:
        """The deny rule on writing that surely covers a path which the command makes or replaces, and that path."""
        for spot in self.spots(command):
            rule = (
                self.places.denied_new(spot.path) if spot.open else self.places.denied("write", spot.key or spot.path)
            )
            if rule:
                return rule, spot.path
        return None

    def against(self, command: Command) -> Iterator[Reason]:
        """The hard reasons against what comes to stand somewhere by the command."""
        for spot in self.spots(command):
            for reason in self.may_be_ruled(spot) if spot.open else self.written(spot):
                yield reason.model_copy(update={"segment": command.segment.text})

    def may_be_ruled(self, spot: _Spot) -> Iterator[Reason]:
        if rule := self.places.denied_below(spot.path, kind="write"):
            text = f"it may write in {self.shown(spot.path)} what a rule denies: {rule.pattern}"
            yield Reason(code="may-be-ruled", text=text, hard=True, rule=rule.source)

    def written(self, spot: _Spot) -> Iterator[Reason]:
        facts, guard = self.places.facts, self.places.guard
        fact = facts.paths.get(spot.key)
        if within_any(spot.path, facts.roots) and (guard.protected(spot.path) or tool(guard.inside(spot.path))):
            text = f"it would write {self.shown(spot.path)}, which is run or trusted later"
            yield Reason(code="protected", text=text, hard=True)
        elif fact is not None and fact.is_symlink:
            yield from (one for one in self.places.change(spot.key, self.shown(spot.path)) if one.hard)

    def shown(self, path: str) -> str:
        return told(self.places.inside(path).lstrip("/") or path)

    def spots(self, command: Command) -> Iterator[_Spot]:
        for folder in self.reading.script.starts(self.cwd, command.segment):
            for placing in command.placed:
                key = command.keys(folder, placing.target)
                if not is_lost(key):
                    yield from self._of(placing, key, folder, command)
            for step in (one for view in command.acting for one in unpacks(view)):
                key = command.keys(folder, Use(Arg(step), "write"))
                if not is_lost(key):
                    yield _Spot(self.real(key), open=True)

    def real(self, key: str) -> str:
        fact = self.places.facts.paths.get(key)
        return fact.real if fact else posixpath.normpath(key)

    def _of(self, placing: Placing, key: str, folder: str, command: Command) -> Iterator[_Spot]:
        base = self.real(key)
        if not placing.names:
            yield _Spot(base, open=True)
        is_folder = placing.folder or self._is_folder(key, command)
        for name in placing.names if is_folder or placing.whole else ():
            source = command.keys(folder, name)
            ends = self._ends(placing, name, source)
            if ends is None:
                yield _Spot(base, open=True)
            for end in ends or ():
                path = posixpath.join(base, end) if is_folder and end else base
                if end and is_folder:
                    yield _Spot(path, posixpath.join(key, end))
                if placing.whole:
                    yield from self._inside(source, path)

    def _is_folder(self, key: str, command: Command) -> bool:
        """Is it a folder, or made one by the same text?"""
        fact = self.places.facts.paths.get(key)
        if fact is None or fact.kind == "folder":
            return True
        others = [one for one in self.reading.commands if one is not command and one.changed]
        folders = self.reading.script.anywhere(self.cwd)
        made = (posixpath.normpath(other.keys(at, use)) for other in others for at in folders for use in other.changed)
        return fact.kind == "missing" and posixpath.normpath(key) in made

    def _ends(self, placing: Placing, name: Use, key: str) -> list[str] | None:
        """The names under which a source comes to stand; None where nothing tells them."""
        if not name.arg.known:
            return None
        if not name.arg.glob:
            return [placing.end(name.arg.pattern)]
        fact = self.places.facts.paths.get(key)
        if placing.parents or fact is None or fact.matches is None:
            return None
        return [posixpath.basename(one) for one in fact.matches]

    def _inside(self, source: str, path: str) -> Iterator[_Spot]:
        """What comes to stand below `path` where a folder is taken with all that is in it."""
        facts = self.places.facts
        fact = facts.paths.get(source)
        if fact is not None and fact.kind == "file":
            return
        yield _Spot(path, open=True)
        tops = (
            fact.matches if fact is not None and Arg(source).glob else (posixpath.normpath(source), self.real(source))
        )
        for found, _ in facts.kept.get(source) or ():
            found = posixpath.normpath(found)
            if top := next((one for one in tops or () if found.startswith(f"{one}/")), None):
                yield _Spot(path + found[len(top) :])

"""The project's own commands that the person lets run: each in its own folder, and only as it was shown."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from xun.config.paths import Paths
from xun.config.trust_store import changing, read_store
from xun.policy.rules import Rule, Scope

# A folder in which nothing was granted, as most are, needs none of the search.
if TYPE_CHECKING:
    from xun.config.project.command import ProjectCommand

SOURCE = "the project's command"
_GONE = "it was granted, and the files of the project define it no more"
_WIDE = 100  # characters of a line that is shown of what has changed
_OTHER = "it was granted to another folder, which stood here before"
State = Literal["granted", "changed", "declined", "new"]
"""Of a command that was found: let run, let run but with another text, shown and not taken, never shown."""


class ProjectGrants:
    """What the person said about the commands of the project in `folder`. It is kept with trust, not as rules.

    `shown` are the commands as the person has seen them last: a yes is to these. Not thread-safe, but for `rules`.
    """

    def __init__(self, folder: Path, paths: Paths) -> None:
        self.folder = Path(os.path.realpath(folder))
        self._store = paths.trust_file
        self.shown: tuple[ProjectCommand, ...] = ()
        self._load()

    def _load(self) -> None:
        store = read_store(self._store)
        places = {place for place in (*store.commands, *store.declined) if self._mine(place)}
        here = {place for place in places if store.is_of(place)}
        self._granted = {place: pins for place, pins in store.commands.items() if place in here and pins}
        self._texts = {place: texts for place, texts in store.texts.items() if place in here}
        self._declined = {place: pins for place, pins in store.declined.items() if place in here and pins}
        self._of_others = {place: pins for place, pins in store.commands.items() if place in places - here}

    def _mine(self, place: str) -> bool:
        return Path(place).is_relative_to(self.folder)

    def rules(self, command: str | None = None) -> tuple[Rule, ...]:
        """The rules that hold now: for each granted command whose text is still what was agreed to.

        `command` is the shell text to be judged: what it cannot be about is not looked at.
        """
        return tuple(rule for rule in self._rules(command) if rule.lapsed is None)

    def standing(self, command: str | None = None) -> tuple[Rule, ...]:
        """The same, and for each granted command whose text is another now a rule that has lapsed and says why."""
        return tuple(self._rules(command))

    def _rules(self, text: str | None) -> Iterator[Rule]:
        for place, pins in self._of_others.items():
            yield from (_lapsed(place, name, _OTHER) for name in pins)
        for place, pins in tuple(self._granted.items()):
            asked = {name for name in pins if text is None or name.split()[0] in text}
            if not asked:
                continue
            from xun.config.project.search import search

            found = search(Path(place), self.folder, asked)
            for one in found.commands:
                if (pin := pins.get(one.command)) is not None:
                    why = None if pin == one.pin else _changed(self._texts.get(place, {}).get(one.command), one.runs)
                    yield from (rule.model_copy(update={"lapsed": why}) for rule in rules_of(one))
            for name in asked - {one.command for one in found.commands}:
                why = found.why_not(name)
                lapsed = f"it was granted, and what it would run cannot be told now: {why}" if why else _GONE
                yield _lapsed(place, name, lapsed)

    def found(self) -> tuple[tuple[ProjectCommand, State], ...]:
        """Every command of the project, as it is now, with what the person said about it."""
        from xun.config.project.search import project_commands

        return tuple((command, self._state(command)) for command in project_commands(self.folder))

    def show(self) -> tuple[tuple[ProjectCommand, State], ...]:
        """The same for the person to see; they are `shown` then."""
        found = self.found()
        self.shown = tuple(command for command, _ in found)
        return found

    def _state(self, command: ProjectCommand) -> State:
        pin = self._granted.get(command.folder, {}).get(command.command)
        if pin is not None:
            return "granted" if pin == command.pin else "changed"
        return "declined" if command.command in self._declined.get(command.folder, {}) else "new"

    def to_offer(self) -> tuple[tuple[ProjectCommand, bool], ...]:
        """What is to be offered without being asked for, each with whether it has changed.

        All of them where the person has never decided here; afterwards those they let run and whose text has changed.
        """
        found = self.found()
        first = not self._granted and not self._declined
        return tuple((one, state == "changed") for one, state in found if state == "changed" or first)

    def decide(self, granted: Iterable[ProjectCommand], declined: Iterable[ProjectCommand]) -> None:
        """Let `granted` run as they are, `declined` not. Raises `OSError` where that cannot be kept."""
        with changing(self._store) as store:
            for commands, table, other in (
                (granted, store.commands, store.declined),
                (declined, store.declined, store.commands),
            ):
                for command in commands:
                    store.settle(command.folder)
                    table.setdefault(command.folder, {})[command.command] = command.pin
                    other.get(command.folder, {}).pop(command.command, None)
                    store.texts.setdefault(command.folder, {})[command.command] = "\n".join(command.runs)
        self._load()

    def shown_folder(self, command: ProjectCommand) -> str:
        """The folder of a command from the project's own, empty for that one."""
        relative = os.path.relpath(command.folder, self.folder)
        return "" if relative == "." else relative


def _lapsed(place: str, name: str, why: str) -> Rule:
    return Rule(effect="allow", kind="command", pattern=name, source=SOURCE, scope=Scope(folder=place), lapsed=why)


def _changed(before: str | None, runs: Sequence[str]) -> str:
    """What has become of a command that was shown as the lines of `before`, and runs `runs` now."""
    if before is None:
        return "its text changed since it was granted"
    shown = before.splitlines()
    was = next((line for line in shown if line not in runs), "")
    now = next((line for line in runs if line not in shown), "")
    if not was and not now:
        return "what it uses changed since it was granted: a file that it names, or that configures it"
    was, now = (_shortened(line) if line else "nothing" for line in (was, now))
    return f"its text changed since it was granted: was {was}, is {now}"


def _shortened(line: str) -> str:
    return f"`{line if len(line) <= _WIDE else f'{line[:_WIDE]}…'}`"


def rules_of(command: ProjectCommand) -> Iterator[Rule]:
    """The rules that let `command` run, one for each way to type it."""
    scope = Scope(folder=command.folder, arguments=command.arguments)
    for spelling in command.spellings:
        yield Rule(effect="allow", kind="command", pattern=spelling, source=SOURCE, scope=scope)

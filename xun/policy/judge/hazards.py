"""The hard reasons against a shell command, by what it reads: what a rule, a grant or a model cannot settle."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xun.policy.commands.spec import Use
from xun.policy.decision import Reason
from xun.policy.facts import PathFact
from xun.policy.judge.places import Places
from xun.policy.paths import joined, within_any
from xun.policy.reach.elsewhere import folders_by_variable, git_folders, loading, scripts
from xun.policy.reach.fetched import runs_fetched
from xun.policy.reach.history import Shown, objects_in, plain_words, shown
from xun.policy.reach.keyrings import prints_secret
from xun.policy.reach.needs import HERE, Command, Reading, spoken_with
from xun.policy.reach.settings_shown import PERSON
from xun.policy.reach.sources import brought, sends
from xun.policy.reach.through import folders_read
from xun.policy.rules import Rule
from xun.policy.script.folders import is_lost, told
from xun.policy.tables.environment import harmless, obeyed
from xun.policy.tables.programs import STATE, base_name
from xun.policy.text.words import Arg

ENVIRONMENT = "environment"
"""The code of a reason against a variable that is set."""
_PASSING = ("/tmp", "/var/tmp", "/dev")  # noqa: S108 - names


@dataclass(frozen=True, slots=True)
class Hazards:
    """What speaks against a shell text that starts in `cwd`, and against each command in it."""

    cwd: str
    reading: Reading
    places: Places

    def around(self, command: str, env: Mapping[str, str]) -> Iterator[Reason]:
        """Reasons that lie in no single segment: added variables, words handed on, fetched text that is run."""
        inner = self.places.policy.settings.substitution == "inner"
        for name, value in env.items():
            told = f"{name}={value}"
            if not harmless(told, inner=inner):
                yield Reason(code=ENVIRONMENT, text=f"it would run with {name} set", hard=obeyed(name))
                yield from (reason for reason in self.by_variables(told) if reason.code != ENVIRONMENT)
        for use in self.reading.loose:
            keys = (joined(folder, use.arg.pattern) for folder in self.reading.script.anywhere(self.cwd))
            if any(self.places.is_secret(use, key) for key in keys):
                yield Reason(code="secret", text=f"{use.arg.text} names a file that holds secrets", hard=True)
        if not self.reading.script.clear:
            yield from self.by_variables(command)
        if self.changes_shell():
            yield Reason(code="shell-state", text="it changes what the commands behind it mean")
        if runs_fetched(self.reading, command):
            yield Reason(code="fetched-code", text="what is fetched from the network is run", hard=True)

    def by_variables(self, text: str) -> Iterator[Reason]:
        """The hard reasons against what a text sets: other folders for git, and what every program then loads."""
        for arg in folders_by_variable(text):
            if found := next(filter(None, (self.places.foreign(key) for key in self.keys(arg))), None):
                yield Reason(code="outside", text=f"it has git work outside the workspace ({found})", hard=True)
        if name := loading(text):
            yield Reason(code=ENVIRONMENT, text=f"it sets {name}: what it names is run by other programs", hard=True)

    def keys(self, arg: Arg) -> Iterator[str]:
        return (joined(folder, arg.pattern) for folder in self.reading.script.anywhere(self.cwd))

    def elsewhere(self, command: Command) -> Iterator[Reason]:
        """The hard reasons against running a file outside the workspace, or git on a repository there."""
        for view in command.acting:
            for arg in (*scripts(view), *git_folders(view)):
                for folder in self.reading.script.starts(self.cwd, command.segment):
                    key = joined(folder, arg.pattern)
                    found = None if is_lost(key) else self.places.foreign(key)
                    if found:
                        text = f"it would run {told(arg.text)}, outside the workspace ({found})"
                        yield Reason(code="outside", text=text, hard=True, segment=command.segment.text)

    def others(self, command: Command) -> Iterator[Reason]:
        """The reasons against git speaking with another repository that may start programs here."""
        facts, text = self.places.facts.others, command.segment.text
        yield from self.moved_to(command)
        for folder, named in spoken_with(command, self.reading.script.starts(self.cwd, command.segment)):
            for path in dict.fromkeys((folder, *named)):
                found = facts.get(path)
                if found is None:
                    said = "what another repository would start that git is to speak with could not be looked up"
                    yield Reason(code="no-facts", text=said, hard=True, segment=text)
                elif found:
                    where = "its remotes" if path == folder else told(posixpath.normpath(path))
                    said = f"git would speak with {where}, which may run programs: {', '.join(found[:3])}"
                    yield Reason(code="other-repository", text=said, segment=text)

    def moved_to(self, command: Command) -> Iterator[Reason]:
        """The reason against a git command that a rule covers, in another repository than the one the text starts in.

        A rule speaks of that one, whatever programs its configuration names.
        """
        if command.program.name[0] != "git" or command.judged:
            return
        for folder in self.reading.script.starts(self.cwd, command.segment):
            found = self.places.facts.inner.get(command.keys(folder, HERE), ())
            if found is None or found:
                what = f" ({', '.join(found[:3])})" if found else ""
                said = f"the repository there is another one, which may run programs of its own{what}"
                yield Reason(code="other-repository", text=said, segment=command.segment.text)
                return

    def denied_around(self) -> Rule | None:
        """The deny rule that covers a path outside all segments: the target of a redirection, a word handed on."""
        found = [
            ("read" if operator == "<" else "write", target.pattern)
            for operator, target in self.reading.script.redirects
        ]
        found += [("read", use.arg.pattern) for use in self.reading.loose]
        folders = self.reading.script.anywhere(self.cwd) if found else ()
        keys = ((kind, joined(folder, path)) for kind, path in found for folder in folders)
        return next((rule for kind, key in keys if (rule := self.places.denied(kind, key))), None)

    def changes_shell(self) -> bool:
        """Is there, among other commands, one that no table judges and that changes the shell they run in?"""
        if len(self.reading.commands) < 2:
            return False
        return any(not c.judged and c.segment.argv[0] in STATE for c in self.reading.commands)

    def secrets(self, command: Command) -> Iterator[Reason]:
        """The hard reasons against the words of a command, no matter which, that name files with secrets."""
        for use in (*command.words, *command.fed):
            folders = self.reading.script.starts(self.cwd, command.segment)
            if any(self.places.is_secret(use, command.keys(folder, use)) for folder in folders):
                text = f"{told(use.arg.text)} names a file that holds secrets"
                yield Reason(code="secret", text=text, hard=True, segment=command.segment.text)

        if view := next(filter(prints_secret, command.acting), None):
            text = f"{base_name(view[0].text)} would print a password, token or key"
            yield Reason(code="secret", text=text, hard=True, segment=command.segment.text)

    def brings(self, command: Command, covered: int) -> Iterator[Reason]:
        """The reasons against a copy of what no reader may read unasked, but for the first `covered` words of a rule.

        In the workspace its content could be read by anything, and what is sent away by others.
        """
        spelled = {arg.text for arg in command.segment.args[1:covered]}
        views = [] if command.judged else [*filter(None, command.acting)]
        named = {arg.text for view in views for arg in brought(view)} - spelled
        sent = any(map(sends, views))
        for folder in self.reading.script.starts(self.cwd, command.segment) if named or sent else ():
            for word in command.words:
                key = command.keys(folder, word)
                going = word.arg.text in named or (sent and word.arg.text not in spelled and self._is_file(key))
                if not going or is_lost(key):
                    continue
                found = self.places.problem(word._replace(mode="read"), key)
                if found is not None and found.code == "outside":
                    yield found.model_copy(update={"segment": command.segment.text})

    def _is_file(self, key: str) -> bool:
        """Is there a file, other than one that is kept for a while: the text of a pull request in /tmp?"""
        fact = self.places.facts.paths.get(key)
        return fact is not None and fact.kind == "file" and not within_any(fact.real, _PASSING)

    def tracked(self, command: Command) -> Iterator[Reason]:
        """The hard reason against a git command that shows a secret file which its repository keeps."""
        told = shown(command)
        if told is None:
            return
        text = command.segment.text
        for folder in self.reading.script.starts(self.cwd, command.segment):
            kept = self.places.facts.tracked.get(command.keys(folder, HERE), ())
            if kept is None:
                said = "which secrets the repository keeps could not be looked up"
                yield Reason(code="no-facts", text=said, hard=True, segment=text)
                continue
            limits = self.limits(command, told, folder)
            disk = told.disk and len(self.limiting(command, told, folder)) == len(told.paths) + len(told.words)
            shows = [path for path, unchanged in kept if not (disk and unchanged)]
            if found := next((path for path in shows if limits is None or within_any(path, limits)), None):
                said = f"it may show {found}, which holds secrets, unless it is limited to other paths behind --"
                yield Reason(code="secret", text=said, hard=True, segment=text)

    def settings(self, command: Command) -> Iterator[Reason]:
        """The hard reason against a git command that shows a setting which holds a password or token."""
        credentials = self.places.facts.credentials
        for one in command.settings if credentials else ():
            folders = self.reading.script.starts(self.cwd, command.segment)
            places = [posixpath.join(folder, *one.steps) for folder in folders] + ([PERSON] if one.person else [])
            if name := next(filter(None, (one.among(credentials.get(place, ())) for place in places)), None):
                text = f"it would show {name} of git's configuration, which holds a password or token"
                yield Reason(code="secret", text=text, hard=True, segment=command.segment.text)

    def limits(self, command: Command, told: Shown, folder: str) -> list[str] | None:
        """The paths in which all lies that a git command shows, or None where that may be the whole repository."""
        here = command.keys(folder, HERE)
        paths, commits = self.places.facts.paths, self.places.facts.commits.get(here, ())
        if told.whole or (told.words and ".git" in _real(paths.get(here), here).split("/")):
            return None
        limiting = self.limiting(command, told, folder)
        named = (*told.revisions, *(arg.text for arg in told.words if arg not in limiting))
        needed = [objects_in(text) for text in named]
        if not all(one is not None and set(one) <= set(commits) for one in needed):
            return None
        keys = [command.keys(folder, Use(arg, "git")) for arg in limiting]
        # git takes a path by its spelling, and what is kept is known by where it is.
        limits = [path for key in keys for path in (posixpath.normpath(key), _real(paths.get(key), key))]
        return limits if limits or not told.content else None

    def limiting(self, command: Command, told: Shown, folder: str) -> list[Arg]:
        """The words of a git command that are paths: those behind `--`, or those of the disk."""
        facts = self.places.facts.paths
        standing = (arg for arg in plain_words(told.words) if _exists(facts.get(command.keys(folder, Use(arg, "git")))))
        return [*told.paths, *standing]

    def denied_inside(self, command: Command) -> Iterator[Reason]:
        """A deny rule on reading that covers something in a folder which the command may read through."""
        for folder in self.reading.script.starts(self.cwd, command.segment):
            told = shown(command)
            limits = self.limits(command, told, folder) if told else []
            if told is None:
                found = [(use.arg.text, command.keys(folder, use)) for use in folders_read(command)]
            else:
                limiting = self.limiting(command, told, folder)
                found = [(arg.text, command.keys(folder, Use(arg, "git"))) for arg in limiting]
            rules = [(name, self.places.denied_in(key)) for name, key in found]
            if limits is None:
                rules = [("the repository", self.places.denied_below(*self.places.facts.roots))]
            for name, rule in rules:
                if rule:
                    text = f"it may read in {name} what a rule denies: {rule.pattern}"
                    segment = command.segment.text
                    yield Reason(code="may-be-ruled", text=text, hard=True, segment=segment, rule=rule.source)
                    return


def _real(fact: PathFact | None, key: str) -> str:
    return fact.real if fact else posixpath.normpath(key)


def _exists(fact: PathFact | None) -> bool:
    return fact is not None and fact.exists

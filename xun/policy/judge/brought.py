"""What an earlier part of a text may have changed by the time that a later one runs: its answer is known to nobody.

All facts are of the time before. Where an earlier command brings files, links or repositories (`arrivals`), or changes
files that others obey, a later look at these asks; sent as a command by itself, it is judged by what is there then.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from xun.policy.commands.spec import Use
from xun.policy.decision import Reason
from xun.policy.judge.arrivals import Arrival, arrivals
from xun.policy.judge.loadable import always_loaded
from xun.policy.judge.places import Places
from xun.policy.paths import fold, joined, within
from xun.policy.reach.history import shown
from xun.policy.reach.needs import Command, Reading, spoken_with
from xun.policy.reach.unpacked import unpacks
from xun.policy.script.folders import told
from xun.policy.tables.programs import CHANGERS, DESTROYERS, FETCHERS, INTERPRETERS, SHELLS, base_name, word_set
from xun.policy.text.words import Arg

APART = "send it as a command by itself"
"""What reasons of this kind advise."""

# Problems of a text whose commands may run more than once, at the same time, or later than they stand.
_LOOSE = word_set("compound function syntax disagreement nesting background operator too-long")
_AGAIN = re.compile(r"\b(?:for|while|until|select)\b")
_READS = frozenset({"read", "tree", "searched", "compared"})
_THROUGH = frozenset({"tree", "links", "searched", "compared", "named"})
# Their words are files, whatever they look like; of other programs without a table those that look like paths are.
_TAKES_FILES = (
    CHANGERS
    | DESTROYERS
    | FETCHERS
    | INTERPRETERS
    | word_set("less more most bat batcat zless open xdg-open eval source .")
)
_PATH_LIKE = re.compile(r".*[/*?\[\ue000-\ue004].*|.*[^.]\.[A-Za-z]\w*", re.DOTALL)
_NO_FILES = word_set("cd pushd popd echo printf export set test [ mkdir")
_TAKES_AWAY = word_set("rm rmdir unlink")
_RUNS_TEXT = SHELLS | {"eval"}
_IGNORING = word_set(".gitignore .ignore .rgignore .fdignore")
# Files that may be part of what a project's command was shown to run, by their endings and names.
_DEFINING = re.compile(
    r".*\.(?:sh|bash|zsh|mk|ps1|cmd|bat|json|jsonc|toml|ya?ml|cfg|ini|gradle|kts|xml|just|rake|exs|properties|work|mod)"
    r"|(?:just|rake|gem|task|jake)file|\..*"
)


@dataclass(frozen=True, slots=True)
class _Brought:
    """What the command of this `number` brings, when it starts in `folder`."""

    number: int
    folder: str
    arrival: Arrival


@dataclass(frozen=True)
class Brought:
    """What speaks against the commands of a text that starts in `cwd`, for what others of it bring or change before."""

    cwd: str
    text: str
    reading: Reading
    places: Places

    @cached_property
    def all(self) -> Sequence[_Brought]:
        """What the commands bring, of a text of several."""
        commands = self.reading.commands
        if len(commands) < 2 and not (commands and base_name(commands[0].segment.args[0].text) in _RUNS_TEXT):
            return ()
        return [
            _Brought(number, folder, arrival)
            for number, command in enumerate(commands)
            if not command.judged
            for folder in self.reading.script.starts(self.cwd, command.segment)
            for arrival in dict.fromkeys(arrivals(command, folder, self.places))
        ]

    @cached_property
    def ordered(self) -> bool:
        """Do the commands run one after another, as they stand?"""
        grouped = "|" in self.text and not {"(", "{"}.isdisjoint(self.text)
        return (
            not grouped
            and not _AGAIN.search(self.text)
            and not any(problem.code in _LOOSE for problem in self.reading.script.problems)
        )

    def before(self, command: Command) -> Sequence[_Brought]:
        """What may have been brought when a command runs."""
        if not self.all:
            return ()
        number = max(at for at, one in enumerate(self.reading.commands) if one == command)
        runs_text = base_name(command.segment.args[0].text) in _RUNS_TEXT
        return [
            one
            for one in self.all
            if one.number < number or (one.number > number and not self.ordered) or (one.number == number and runs_text)
        ]

    def against(self, command: Command) -> Iterator[Reason]:
        """The hard reason against what a command reads or changes, where nobody knows what that is by then."""
        before = self.before(command)
        if not before:
            return
        segment = command.segment.text
        taken = base_name(command.segment.args[0].text) in _TAKES_AWAY
        runs_code = _runs_code(command)
        for folder in self.reading.script.starts(self.cwd, command.segment):
            for use in _touched(command):
                key = command.keys(folder, use)
                names = self.places.names(posixpath.dirname(key) if taken else key)
                if found := next((one for one in before if meets(use, names, one.arrival, code=runs_code)), None):
                    name = told(use.arg.text)
                    what = f"what is in {name}" if use.mode in _THROUGH else f"what {name} is"
                    yield _unknown(what, found.arrival, segment)
                    return
        if found := self.showing(command, before):
            yield _unknown("which secrets the repository keeps by then", found.arrival, segment)

    def showing(self, command: Command, before: Sequence[_Brought]) -> _Brought | None:
        """What of `before` changes the files whose content a git command shows, unless it shows plain files alone."""
        kept = [one for one in before if one.arrival.kept]
        told = shown(command) if kept else None
        if told is None or (told.paths and not told.whole and all(map(_file_like, told.paths))):
            return None
        return kept[0] if told.whole or told.content else None

    def redirects(self) -> Iterator[Reason]:
        """The hard reasons against where the redirections of a text of several commands lead."""
        targets = [target for _, target in self.reading.script.redirects if not target.text.isdigit()]
        for folder in self.reading.script.anywhere(self.cwd) if targets and self.all else ():
            for target in targets:
                names = self.places.names(joined(folder, target.pattern))
                use = Use(target, "write")
                if found := next((one for one in self.all if meets(use, names, one.arrival, code=False)), None):
                    yield _unknown(f"where {target.text} leads", found.arrival, None)

    def repository(self, command: Command, key: str) -> Iterator[Reason]:
        """The reason against running git in the folder at `key`, where that is in another repository by then."""
        names = self.places.names(key)
        for one in self.before(command):
            if any(_other_repository(name, one) for name in names):
                what, segment = "which programs the repository's configuration names", command.segment.text
                found = _unknown(what, one.arrival, segment)
                yield found.model_copy(update={"code": "unknown-repository", "hard": False})
                return

    def others(self, command: Command) -> Iterator[Reason]:
        """The reason against git speaking with another repository that may have come, or become another, by then."""
        folders = self.reading.script.starts(self.cwd, command.segment)
        before = self.before(command)
        for _, named in spoken_with(command, folders) if before else ():
            names = [(name, path) for path in named for name in self.places.names(path)]
            if found := next((one for one in before if any(_may_become(*name, one) for name in names)), None):
                what = "which programs the other repository would start"
                yield _unknown(what, found.arrival, command.segment.text).model_copy(update={"hard": False})
                return

    def defines(self, command: Command, folder: str) -> str | None:
        """What speaks against a command that was granted as its text was shown, in `folder`: that this may change."""
        for one in self.before(command):
            arrival = one.arrival
            near = within(arrival.path, folder) or within(folder, arrival.path)
            if (arrival.below and near and arrival.merges) or (not arrival.below and _defining(arrival.path)):
                how = arrival.how.removesuffix(" there").removesuffix(" it")
                return f"it was granted as it was shown, and the same text {how} before: {APART}"
        return None


def meets(use: Use, names: Sequence[str], arrival: Arrival, *, code: bool) -> bool:
    """May what a command comes upon at `names` be other than was looked up, once there is `arrival`?

    What runs `code` of the workspace may do by itself what could be done by it; but an archive is none of that.
    """
    if code and "archive" not in arrival.how:
        return False
    path = arrival.path
    if arrival.links and any(within(name, path) and (name != path or arrival.top) for name in names):
        return True
    through = use.mode in _THROUGH and (use.mode != "named" or use.links)
    if arrival.links and use.mode in ("links", "named", "compared") and through and path in names:
        return True
    if use.mode not in _THROUGH:
        return False
    if not arrival.below:
        ignores = use.mode == "searched" and fold(posixpath.basename(path)) in _IGNORING
        return ignores and any(_near(name, posixpath.dirname(path)) for name in names)
    return _spoils(use, arrival) and any(_near(name, path) for name in names)


def _spoils(use: Use, arrival: Arrival) -> bool:
    """Does what comes into a folder change what a look through all of it comes upon?"""
    match use.mode:
        case "searched":
            return arrival.merges or arrival.secrets
        case "named":
            return True  # names that are taken for something else
        case "links" | "compared":
            return arrival.links or arrival.secrets
        case _:
            return arrival.secrets


def _other_repository(name: str, one: _Brought) -> bool:
    arrival = one.arrival
    if not arrival.below:
        return False
    inside = within(name, arrival.path)
    if arrival.repository and (inside or (arrival.repository == "known" and within(arrival.path, name))):
        return True
    # A link may lead to a repository elsewhere, but not where the shell already is.
    led = arrival.links and inside and (name != arrival.path or arrival.top)
    return led and not within(posixpath.normpath(one.folder), name)


def _may_become(name: str, path: str, one: _Brought) -> bool:
    """May what stands at `name` be another repository by then? A plain word is that of a remote, if there is one."""
    if posixpath.dirname(path) == posixpath.normpath(one.folder) and "." not in posixpath.basename(path):
        return within(one.arrival.path, name)
    return _near(name, one.arrival.path)


def _near(one: str, other: str) -> bool:
    return within(one, other) or within(other, one)


def _unknown(what: str, arrival: Arrival, segment: str | None) -> Reason:
    text = f"{what} cannot be told: the same text {arrival.how}; {APART}"
    return Reason(code="unknown-path", text=text, hard=True, segment=segment)


def _defining(path: str) -> bool:
    return always_loaded(path) or _DEFINING.fullmatch(fold(posixpath.basename(path))) is not None


def _file_like(arg: Arg) -> bool:
    return re.fullmatch(r"[\w./+-]*[\w-]\.[A-Za-z]\w*", arg.text) is not None


def _runs_code(command: Command) -> bool:
    """Is it none of the programs that are known to do with its words what they say?"""
    if command.judged:
        return False
    name = base_name(command.segment.args[0].text)
    return command.program.judge is None and name not in CHANGERS | DESTROYERS | FETCHERS


def _touched(command: Command) -> Iterator[Use]:
    """The paths that a command reads or changes, as far as its words tell."""
    if command.judged:
        yield from (use for use in command.uses if use.mode in _READS or use.mode == "links")
        yield from (use for use in command.handed if use.mode == "named")
        return
    name = base_name(command.segment.args[0].text)
    if name in _NO_FILES:
        return
    if steps := list(unpacks(command.segment.args)):
        yield from (Use(Arg(step), "write") for step in steps)
        return
    yield from command.changed
    files = command.program.judge is not None or name in _TAKES_FILES
    yield from (use for use in command.words if files or _PATH_LIKE.fullmatch(use.arg.pattern))

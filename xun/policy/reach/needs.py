"""What a shell command touches, as far as its text tells: the paths and repositories to look up before it is judged.

`gather` and `decide` both start here, so that they speak of the same paths.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from xun.policy.commands import Program, find_program
from xun.policy.commands.spec import Refused, Use
from xun.policy.paths import joined
from xun.policy.reach.exposed import exposed
from xun.policy.reach.operands import changed, handed_on, parts, passes_on, whole, words
from xun.policy.reach.placing import Placing, placings
from xun.policy.reach.repositories import other_repositories
from xun.policy.reach.runs import Behind
from xun.policy.reach.settings_shown import Settings, settings_shown
from xun.policy.reach.sources import looked_through
from xun.policy.reach.untabled import handed_to_change, listed, read_through, reads_handed, takes_names
from xun.policy.reach.written import written
from xun.policy.script.folders import Steps, entered, placed
from xun.policy.script.given import Given, read_given
from xun.policy.script.guessed import judge_args
from xun.policy.script.shell import Script, Seg, read_script
from xun.policy.script.unfold import Stages, Step, unfold
from xun.policy.tables.programs import FILTERS, base_name
from xun.policy.text.constructs import ASK, Constructs
from xun.policy.text.prescreen import Problem
from xun.policy.text.words import Arg

HERE = Use(Arg("."), "dir")
_INTO = ("$(", "`", "<(")


@dataclass(frozen=True, slots=True)
class Command:
    """A segment with what is known of its program. `uses` are the paths its table found, when `refused` is None.

    `words` are the arguments of a program that may be paths, for the programs and forms that no table judges.
    `exposed` are those of them that it may write to for all that is known of it, `changed` those that it would change
    or remove, `whole` those that it takes with all that is in them, and `views` the commands that it may run in turn,
    `guessed` those that it runs if it runs any; `cut` says that there are more of these than are looked at. `fed` are
    the files from which those may read. Of a wrapper that is `opened` nothing is left to judge: the commands that it
    runs are the next ones. `handed` are the folders whose files it is given by name, and `by_setting` says that the
    policy's `wrappers` setting is what lets the commands be judged that it runs. `placed` is what it puts into folders.
    """

    segment: Seg
    program: Program
    uses: tuple[Use, ...]
    refused: Refused | None
    words: tuple[Use, ...]
    changed: tuple[Use, ...]
    views: tuple[tuple[Arg, ...], ...]
    exposed: tuple[Use, ...] = ()
    cut: bool = False
    whole: tuple[Use, ...] = ()
    fed: tuple[Use, ...] = ()
    opened: bool = False
    handed: tuple[Use, ...] = ()
    by_setting: bool = False
    guessed: tuple[tuple[Arg, ...], ...] = ()
    placed: tuple[Placing, ...] = ()

    @property
    def acting(self) -> tuple[tuple[Arg, ...], ...]:
        """The command, and all that it may run in turn, surely or not."""
        return (self.segment.args, *self.views, *self.guessed)

    @property
    def judged(self) -> bool:
        """Did a table find its arguments harmless, or is it a wrapper that only runs the command after it?"""
        return self.opened or (self.program.judge is not None and self.refused is None)

    @property
    def touched(self) -> tuple[Use, ...]:
        """Every path that is to be looked up for it."""
        return (*self.uses, *self.words, *self.changed, *self.exposed, *self.whole, *self.fed, *self.handed)

    @property
    def settings(self) -> tuple[Settings, ...]:
        """The settings of git that it shows, or what it may run in turn."""
        return tuple(told for view in self.acting if view and (told := settings_shown(view)))

    @property
    def shut(self) -> Refused | None:
        """Why a wrapper could not be looked through, where that is so."""
        return self.refused if self.program.judge is None else None

    @property
    def told(self) -> bool:
        """Does the text itself tell every argument?"""
        return all(arg.known for arg in self.segment.args)

    def keys(self, folder: str, use: Use) -> str:
        """The name under which the facts hold `use`, when the command starts in `folder`."""
        if not self.program.steps:
            return joined(folder, use.arg.pattern)
        steps = [step.arg.pattern for step in self.program.steps]
        return posixpath.join(folder, *steps, use.arg.pattern)


@dataclass(frozen=True, slots=True)
class Reading:
    """A shell command, read.

    `loose` are words that may name a file and come to a command by another way than its arguments: by a variable,
    loop, pipe or substitution.
    """

    script: Script
    commands: tuple[Command, ...]
    loose: tuple[Use, ...] = ()


# Problems of what is put into words.
_PUT_IN = frozenset({"substitution", "process-substitution", "expansion"})


@lru_cache(maxsize=512)
def read_command(text: str, home: str, constructs: Constructs = ASK) -> Reading:
    """Read a shell command: its segments, programs and the paths they touch."""
    script = read_script(text, home, constructs)
    commands = _commands(script, text, home, constructs)
    unfit = next((command for command in commands if not command.judged and not command.told), None)
    if script.clear and (unfit or not _may_read(text, commands)):
        # What a run alone tells may stand nowhere but where it is harmless: else it is read as if that were not judged.
        script = read_script(text, home, Constructs(constructs.newlines))
        script = replace(script, problems=_taken(script.problems, unfit)) if unfit else script
        commands = _commands(script, text, home, constructs)
    if not script.clear:
        script = replace(script, redirects=read_given(text, script).targets(script.redirects))
    loose = [Use(part, "meta") for arg in script.others for part in parts(arg)]
    # Where each command is known by its table, no word goes from one to another unseen.
    unseen = (not script.clear or "|" in text) and not all(command.judged for command in commands)
    if unseen or any(command.handed for command in commands):
        loose += [use for command in commands if command.judged for use in handed_on(command.segment.args)]
    return Reading(script, commands, tuple(dict.fromkeys(loose)))


def _taken(problems: Sequence[Problem], unfit: Command) -> tuple[Problem, ...]:
    """The problems of a text, of which what a run alone tells stands in `unfit`: that is what is wrong with it."""
    first = unfit.segment.args[0]
    name = first.text if first.known else "a command"
    text = f"{name} takes a word that only a run tells; only echo, printf and [ … ] may, in quotes"
    told = [Problem(one.code, text) if one.code in _PUT_IN and not one.hard else one for one in problems]
    return tuple(dict.fromkeys(told))


def _may_read(text: str, commands: Sequence[Command]) -> bool:
    """Is each file that is put into a command one that it reads and no more, and none of names for others?"""
    reading = [command for command in commands if command.segment.reads]
    fit = all(c.judged and not c.opened and c.program.name[0] in FILTERS for c in reading)
    return not reading or (fit and "xargs" not in text)


def needed(reading: Reading, cwd: str) -> tuple[set[tuple[str, Use]], set[str]]:
    """The paths to look up (by key, with their use) and the folders whose git repository to look up."""
    paths: set[tuple[str, Use]] = set()
    repositories: set[str] = set()
    for command in reading.commands:
        for folder in reading.script.starts(cwd, command.segment):
            paths.add((joined(folder, "."), HERE))
            for at, step in enumerate(command.program.steps):
                inner = [one.arg.pattern for one in command.program.steps[: at + 1]]
                paths.add((posixpath.join(folder, *inner), step))
            for use in (
                *command.uses,
                *command.words,
                *command.changed,
                *command.exposed,
                *command.handed,
                *command.whole,
            ):
                paths.add((command.keys(folder, use), use))
            paths.update((command.keys(folder, use), use) for use in _of_placed(command))
            if command.program.name[0] == "git" or base_name(command.segment.argv[0]) == "gh":
                repositories.update((command.keys(folder, HERE), posixpath.join(cwd, ".")))
            # What is copied or moved stands elsewhere by the time that the commands behind look at it.
            for view in command.acting if len(reading.commands) > 1 and not command.judged else ():
                paths.update((command.keys(folder, use), use) for use in looked_through(view))
    for folder in reading.script.anywhere(cwd):
        paths.update((joined(folder, use.arg.pattern), use) for use in reading.loose)
        for operator, target in reading.script.redirects:
            paths.add((joined(folder, target.pattern), Use(target, "read" if operator == "<" else "write")))
    return paths, repositories


def moved_to(reading: Reading, cwd: str) -> Iterator[str]:
    """The folders other than `cwd` in which a git command that no table judges would run."""
    for command in reading.commands:
        if command.program.name[0] == "git" and not command.judged:
            keys = (command.keys(folder, HERE) for folder in reading.script.starts(cwd, command.segment))
            yield from (key for key in keys if posixpath.normpath(key) != posixpath.normpath(cwd))


def spoken_with(command: Command, folders: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Where git, run in one of `folders`, speaks with other repositories: that place, and the paths that are named."""
    for view in command.acting:
        others = other_repositories(view) if view else None
        for folder in folders if others is not None else ():
            named = (command.keys(folder, Use(arg, "dir")) for arg in others or () if arg.known)
            yield command.keys(folder, HERE), tuple(named)


def _of_placed(command: Command) -> Iterator[Use]:
    for placing in command.placed:
        yield from (placing.target, *placing.joined, *placing.names)
        if placing.whole:
            yield from (Use(name.arg, "moved") for name in placing.names)


def _commands(script: Script, text: str, home: str, constructs: Constructs) -> tuple[Command, ...]:
    """The commands of a text, those behind wrappers among them."""
    found: list[Command] = []
    at: list[int] = []
    stages = Stages(text, script)
    given = read_given(text, script)
    for index, segment in enumerate(script.segments):
        at.append(len(found))
        # What a segment stands in is counted by segments, of which there are more now.
        inside = tuple(at[outer] for outer in segment.inside if outer < len(at))
        segment = replace(segment, inside=inside) if segment.inside else segment
        steps = unfold(segment, lambda index=index: stages.before(index), home, constructs)
        found += [_stepped(step, home, given) for step in steps]
        if segment.args[0].text == "rg" and stages.feeds(index):
            found[-1] = _fed(found[-1])
    found = _handed(found, script, text) if len(found) > 1 else found
    if not all(command.judged or base_name(command.segment.argv[0]) in FILTERS for command in found):
        found = list(map(_of_any, found))
    if found and script.others:
        found[0] = _obeying(found[0], script.others, home)
    return tuple(found)


def _passes(command: Command, text: str) -> bool:
    """Does what it prints go to another command of `text`, which has problems, or into a word or list of it?"""
    segment = command.segment
    return segment.pipeline != 0 or bool(segment.inside) or any(f"{one}{segment.text}" in text for one in _INTO)


def _handed(commands: Sequence[Command], script: Script, text: str) -> list[Command]:
    """Commands with the names, that others among them print, which those that no table judges may read or change."""
    found = list(commands)
    names: tuple[Use, ...] | None = None
    feeder: Command | None = None
    for index, command in enumerate(commands):
        if not command.judged:
            views = command.acting
            whole: tuple[Use, ...] = ()
            if reads_handed(views):
                if names is None:
                    names = listed([c.segment.args for c in commands if script.clear or _passes(c, text)])
                whole = names
            changes = tuple(handed_to_change(views, feeder.segment.args)) if feeder and takes_names(views) else ()
            written = tuple(use for use in changes if use.mode == "write")
            whole += tuple(use for use in changes if use.mode != "write")
            if whole:
                added = {"whole": _joined(command.whole, whole), "changed": _joined(command.changed, written)}
                found[index] = replace(command, **added)
        if not passes_on(command.segment.args):
            feeder = command
    return found


def _of_any(command: Command) -> Command:
    """A command of a text that may change what git keeps: what is handed to it may be of any file."""
    if not any(use.kept for use in (*command.handed, *command.whole)):
        return command
    handed, whole = ([use._replace(kept=False) for use in uses] for uses in (command.handed, command.whole))
    return replace(command, handed=tuple(handed), whole=tuple(whole))


def _joined(uses: Sequence[Use], more: Sequence[Use]) -> tuple[Use, ...]:
    return tuple(dict.fromkeys((*uses, *more)))


def _obeying(command: Command, values: Sequence[Arg], home: str) -> Command:
    """A command with what the values of variables may have it run, such as that of GIT_PAGER."""
    behind = Behind(home)
    for value in values:
        behind.sentence(value.text, 0)
    return replace(command, guessed=(*command.guessed, *behind.guessed)) if behind.guessed else command


def _fed(command: Command) -> Command:
    """A search that is fed and names no place looks through what it is fed, and through no folder."""
    words = [arg.text for arg in command.segment.args]
    if "--files" in words or HERE.arg.text in words[1:]:
        return command
    through = (use.mode in ("searched", "tree") and use.arg == HERE.arg for use in command.uses)
    return replace(command, uses=tuple(use for use, one in zip(command.uses, through, strict=True) if not one))


def _stepped(step: Step, home: str, given: Given) -> Command:
    segment = step.segment
    if step.uses is not None:
        program = find_program(segment.args)
        return Command(segment, program, step.uses, None, (), (), (), opened=step.opened, by_setting=step.by_setting)
    command = _command(segment, home, given)
    if step.shut is not None:
        return replace(command, refused=step.shut)
    if step.token:
        command = replace(command, uses=tuple(use for use in command.uses if use.arg.text != step.token))
    return replace(command, handed=step.handed) if step.handed else command


def _command(segment: Seg, home: str, given: Given) -> Command:
    program = find_program(segment.args)
    uses: tuple[Use, ...] = ()
    refused = program.problem
    if program.judge and refused is None:
        try:
            uses = tuple(judge_args(program, segment.args))
            if program.name[0] == "git":
                uses += tuple(_in_revisions(uses))
        except Refused as problem:
            refused = problem.kept()
    if program.judge and refused is None:
        uses += tuple(Use(arg, "read") for arg in segment.reads)
        return Command(segment, program, uses, None, (), (), ())
    args = (*given.to(segment.args), *given.printed(segment.args))
    behind = Behind(home)
    behind.open(args)
    if alias := given.aliases.get(args[0].text):
        behind.text(" ".join((alias, *segment.argv[1:])), 0, sure=False)
    here = entered(args)
    # Wrappers in each other give the same view by many ways: each is looked at once.
    views = tuple(dict.fromkeys(behind.views))
    inner = list(dict.fromkeys([(args, here), *behind.inner]))
    acting = list(dict.fromkeys([*inner, *((view, here) for view in behind.tails)]))
    writing = list(dict.fromkeys([*inner, *((view, here) for view in views)]))
    told = ((use, at) for view, at in writing for use in written(view, home, (*at, *segment.folders)))
    return Command(
        segment,
        program,
        (),
        refused,
        _all(words, inner),
        tuple(dict.fromkeys((*_all(changed, acting), *_placed(told), *_placed(behind.written)))),
        views,
        _all(exposed, inner),
        behind.cut,
        _joined(_all(whole, acting), _all(read_through, writing)),
        _placed(behind.read),
        guessed=tuple(dict.fromkeys(behind.guessed)),
        placed=tuple(dict.fromkeys(one.seen(at) for view, ats in writing for one in placings(view) for at in ats)),
    )


_Views = Sequence[tuple[Sequence[Arg], Sequence[Steps]]]


def _all(find: Callable[[Sequence[Arg]], Iterable[Use]], views: _Views) -> tuple[Use, ...]:
    """What `find` makes of each of `views`, as seen from the folders that it may run in."""
    return _placed((use, folders) for view, folders in views for use in find(view))


def _placed(uses: Iterable[tuple[Use, Sequence[Steps]]]) -> tuple[Use, ...]:
    return tuple(dict.fromkeys(one for use, folders in uses for one in placed(use, folders)))


def _in_revisions(uses: Sequence[Use]) -> Iterator[Use]:
    """The paths in revisions, as paths of the folder: rules on reading bind `HEAD:x` as they bind `x`."""
    for use in uses:
        revision, colon, path = use.arg.pattern.rpartition(":")
        if use.mode in ("git", "gitname") and colon and revision and path:
            yield Use(Arg(path, use.arg.known), "gitname")

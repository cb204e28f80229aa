"""What one command of a text runs in turn, where that can be told: step by step, each to be judged by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from xun.policy.commands.spec import Refused, Use
from xun.policy.script.handing import by_find, by_xargs
from xun.policy.script.shell import Script, Seg, read_script
from xun.policy.script.wrappers import inner_begins, opens, shown
from xun.policy.text.constructs import Constructs
from xun.policy.text.prescreen import Problem, join_lines, strip_end
from xun.policy.text.syntax import read_tree
from xun.policy.text.words import Arg

_MAX_NESTED = 3
_SHELLS = frozenset({"bash", "sh"})
# Options of a shell that do not change what its text means.
_SHELL_OPTIONS = re.compile(r"-[eux]*c")
# What bash and the smaller shells read differently, of all that may stand in a clear text.
_BASH_ALONE = re.compile(r"[{}]|&>|>&\D|\btime\b")

Before = Callable[[], Sequence[Sequence[Arg]]]


@dataclass(frozen=True, slots=True)
class Step:
    """One command to be judged.

    `uses` are the paths that it touches where they are known here already: None leaves it to its table. `opened` says
    that it only runs the steps behind it, `by_setting` that a person must want it to be looked through. `shut` says why
    it could not be. `handed` are the folders whose files it is given by name, `token` what stands for such a name.
    """

    segment: Seg
    uses: tuple[Use, ...] | None = None
    opened: bool = False
    by_setting: bool = False
    shut: Refused | None = None
    handed: tuple[Use, ...] = ()
    token: str = ""


def unfold(segment: Seg, before: Before, home: str, constructs: Constructs, depth: int = 0) -> list[Step]:
    """The steps of a command: itself, and behind it what it runs. `before` gives the earlier stages of its pipeline."""
    opener = _OPENERS.get(segment.args[0].text) or (_transparent if opens(segment.args) else None)
    if opener is None:
        return [Step(segment)]
    try:
        if depth >= _MAX_NESTED:
            raise Refused("wrapper", "more wrappers stand in one another than are looked through")
        steps = opener(segment, before, home, constructs)
    except Refused as shut:
        return [Step(segment, shut=shut.kept())]
    if steps is None:
        return [Step(segment)]
    first, *others = steps
    found = [first]
    for step in others:
        # What is handed names is a reader, and runs nothing.
        found += [step] if step.handed or step.token else unfold(step.segment, before, home, constructs, depth + 1)
    return found


def _inner(segment: Seg, args: Sequence[Arg]) -> Seg:
    return replace(segment, text=shown(args), args=tuple(args), literal_name=True)


def _transparent(segment: Seg, before: Before, home: str, constructs: Constructs) -> list[Step]:
    inner = _inner(segment, segment.args[inner_begins(segment.args) :])
    return [Step(segment, uses=(), opened=True), Step(inner)]


def _xargs(segment: Seg, before: Before, home: str, constructs: Constructs) -> list[Step]:
    try:
        handed = by_xargs(segment.args, before())
    except Refused as refused:
        problem = refused.problem
        raise refused if problem.code == "wrapper" or problem.hard else Refused("wrapper", problem.text) from refused
    inner = _inner(segment, handed.args)
    return [Step(segment, uses=(), opened=True), Step(inner, handed=handed.uses, token=handed.token or "\0")]


def _find(segment: Seg, before: Before, home: str, constructs: Constructs) -> list[Step] | None:
    if not any(arg.text == "-exec" for arg in segment.args):
        return None
    if not all(arg.known for arg in segment.args):
        raise Refused("expansion", "it holds a word that only the shell can tell")
    uses, commands = by_find(segment.args)
    inner = [Step(_inner(segment, one.args), handed=one.uses, token=one.token) for one in commands]
    return [Step(segment, uses=tuple(uses), by_setting=True), *inner]


def _shell(segment: Seg, before: Before, home: str, constructs: Constructs) -> list[Step] | None:
    """`bash -c TEXT`, with a text that is clear by itself."""
    args = segment.args
    if len(args) != 3 or not _SHELL_OPTIONS.fullmatch(args[1].text) or not all(arg.known for arg in args):
        return None
    text = args[2].text
    script = read_script(text, home, Constructs(constructs.newlines))
    if args[2].glob or not script.clear or (args[0].text != "bash" and _BASH_ALONE.search(text)):
        return None
    inner = [replace(one, folders=_joined(segment, one), pipeline=0, inside=segment.inside) for one in script.segments]
    return [Step(segment, uses=(), opened=True, by_setting=True), *map(Step, inner)]


def _joined(outer: Seg, inner: Seg) -> tuple[tuple[str, ...], ...]:
    """The folders of a segment of a text that itself runs in those of `outer`."""
    joined = ((*start, *steps) for start in outer.folders for steps in inner.folders)
    return tuple(dict.fromkeys(joined))


_OPENERS: dict[str, Callable[[Seg, Before, str, Constructs], list[Step] | None]] = {
    "xargs": _xargs, "find": _find, **dict.fromkeys(_SHELLS, _shell)
}  # fmt: skip


def _opened(args: tuple[Arg, ...]) -> tuple[Arg, ...]:
    """The command behind wrappers, as far as these open."""
    try:
        while opens(args):
            args = args[inner_begins(args) :]
    except Refused:
        pass  # the wrapper stands for itself: it is none of those whose output is known
    return args


class Stages:
    """Which commands of a clear text feed one another, read off the grammar's tree when it is asked for."""

    def __init__(self, text: str, script: Script) -> None:
        self.text = text
        self.script = script

    def before(self, index: int) -> list[tuple[Arg, ...]]:
        """The stages of its pipeline before a segment, first to last; none where that cannot be told."""
        found: list[tuple[Arg, ...]] = []
        while index > 0 and self.fed[index - 1 : index] == [True]:
            index -= 1
            found.insert(0, _opened(self.script.segments[index].args))
        return found

    def feeds(self, index: int) -> bool:
        """Does the command before a segment surely feed it?"""
        return index > 0 and self.fed[index - 1 : index] == [True]

    @cached_property
    def fed(self) -> list[bool]:
        """Of each command but the first: does the one before it feed it, by its standard output alone?"""
        text = join_lines(strip_end(self.text))
        if isinstance(text, Problem) or not self.script.clear:
            return []
        tree = read_tree(text)
        found: list[bool] = []
        between: list[str] = []
        for kind, spans in tree.items:
            raw = text[spans[0][0] : spans[-1][1]]
            if kind != "command":
                between.append(raw)
                continue
            found.append([one for one in between if not one.endswith("/dev/null")] == ["|"])
            between = []
        return found[1:] if len(found) == len(self.script.segments) else []

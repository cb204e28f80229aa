"""Follows a clear text: which commands does it run, with which arguments, and in which folders?

A state is one way in which things may stand: the folder, and the variables that the text itself has set. A command that
may succeed or fail leaves two sets of states, and `&&`, `||` and `;` choose between them. A subshell or a stage of a
pipeline leaves them as they were.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xun.policy.commands.builtins import MAX_SLEEP
from xun.policy.script.folders import MAX_FOLDERS, Steps, beyond, step_of
from xun.policy.text.outputs import most_words
from xun.policy.text.prescreen import MAX_SEGMENTS
from xun.policy.text.statements import Chain, Choice, Group, Loop, Pipeline, Simple, Statement, parse
from xun.policy.text.values import Value, argument, assigned, here, looped, output
from xun.policy.text.words import Arg, Substitution, Unclear, Word

_MAX_STATES = 32
_MAX_VISITS = 2000  # of commands, in all states: nested loops multiply
_MAX_TEXT = 1 << 18  # characters of the commands, with what stands for their variables
_MAX_ROUNDS = 3
_MAX_ROUNDS_IN_ALL = 10_000  # of all loops in one another
_SLEEP = re.compile(r"\bsleep\s+(\d+(?:\.\d+)?)([sm]?)")


_NAME = re.compile(r"[A-Za-z][\w.+-]*", re.ASCII)


class State(NamedTuple):
    folder: Steps = ()
    variables: tuple[tuple[str, Value], ...] = ()

    def get(self, name: str) -> Value | None:
        if name == "PWD":  # a name that no text sets
            return here(self.folder)
        return next((value.seen_from(self.folder) for known, value in self.variables if known == name), None)

    def setting(self, name: str, value: Value | None) -> State:
        """This state with another value, or none, of one variable."""
        others = [pair for pair in self.variables if pair[0] != name]
        found = others if value is None else [*others, (name, value)]
        return State(self.folder, tuple(sorted(found, key=lambda pair: pair[0])))


class Step(NamedTuple):
    """A simple command that is run: its span, its arguments, and the folders it may run in."""

    start: int
    end: int
    args: tuple[Arg, ...]
    folders: tuple[Steps, ...]


States = tuple[State, ...]


def follow(chain: Chain, text: str, home: str = "") -> list[Step]:
    """The commands that `chain` runs; `home` is where a bare `cd` leads. Raises `Unclear` where that cannot be told."""
    follower = _Follower(text, home)
    follower.chain(chain, (State(),))
    steps = [Step(*key, tuple(folders)) for key, folders in follower.found.items()]
    if not steps:
        raise Unclear("assignment", "it sets variables and runs no command")
    return steps


class _Follower:
    def __init__(self, text: str, home: str) -> None:
        self.text = text
        self.home = home
        self.found: dict[tuple[int, int, tuple[Arg, ...]], dict[Steps, None]] = {}
        self.inner: dict[int, Chain] = {}
        self.visits = 0
        self.size = 0
        self.times = 1
        self.slept: dict[int, float] = {}

    def chain(self, chain: Chain, start: States) -> tuple[States, States]:
        succeeded, failed, last = start, (), start
        for joined, pipeline in chain.parts:
            before = {"&&": succeeded, "||": failed}.get(joined, _union(succeeded, failed))
            last = before or last
            after, otherwise = self.reached(self.pipeline(pipeline, last), before)
            if joined == "&&":
                succeeded, failed = after, _union(failed, otherwise)
            elif joined == "||":
                succeeded, failed = _union(succeeded, after), otherwise
            else:
                succeeded, failed = after, otherwise
        return succeeded, failed

    def reached(self, after: tuple[States, States], before: States) -> tuple[States, States]:
        """What stands behind an `exit` is judged as if it ran, and leads nowhere."""
        return after if before else ((), ())

    def pipeline(self, pipeline: Pipeline, start: States) -> tuple[States, States]:
        if len(pipeline.stages) == 1:
            succeeded, failed = self.statement(pipeline.stages[0], start)
            return (failed, succeeded) if pipeline.negated else (succeeded, failed)
        for stage in pipeline.stages:
            self.statement(stage, start)
        return start, start

    def statement(self, statement: Statement, start: States) -> tuple[States, States]:
        match statement:
            case Simple():
                return self.simple(statement, start)
            case Group(subshell=subshell, body=body):
                after = self.chain(body, start)
                return (start, start) if subshell else after
            case Loop():
                after = self.loop(statement, start)
            case Choice():
                after = self.choice(statement, start)
        return after, after

    def simple(self, command: Simple, start: States) -> tuple[States, States]:
        self.visits += len(start)
        if self.visits > _MAX_VISITS:
            raise Unclear("compound", "its loops run more commands than are looked at")
        self.substitutions(command.words, start)
        if command.words[0].assigns:
            after = _union([self.assigned(command.words, state) for state in start])
            return after, after
        entered: list[State] = []
        ends = False
        for state in start:
            args = self.args(command.words, state)
            self.size += sum(len(arg.pattern) for arg in args)
            if command.words[0].pieces and not (args[0].known and _NAME.fullmatch(args[0].pattern)):
                raise Unclear("substitution", "which program it runs cannot be told", hard=True)
            self.found.setdefault((command.start, command.end, args), {})[state.folder] = None
            step = step_of(args, self.home)
            entered.append(state if step is None else state._replace(folder=beyond(state.folder, step)))
            self.waits(command, args)
            ends = _exits(args)
        if len(self.found) > MAX_SEGMENTS:
            raise Unclear("compound", f"it runs more than {MAX_SEGMENTS} commands")
        if self.size > _MAX_TEXT:
            raise Unclear("expansion", "what its variables stand for is longer than is looked at")
        return ((), ()) if ends else (_union(entered), start)

    def waits(self, command: Simple, args: Sequence[Arg]) -> None:
        """Add up how long the commands of loops sleep."""
        if self.times > 1:
            found = _SLEEP.findall(" ".join(arg.text for arg in args))
            seconds = self.times * sum(float(number) * (60 if unit == "m" else 1) for number, unit in found)
            self.slept[command.start] = max(seconds, self.slept.get(command.start, 0))
        if sum(self.slept.values()) > MAX_SLEEP:
            raise Unclear("compound", f"its loops may sleep longer than {MAX_SLEEP:.0f} seconds")

    def args(self, words: Sequence[Word], state: State) -> tuple[Arg, ...]:
        return tuple(arg for word in words for arg in self.word(word, state))

    def word(self, word: Word, state: State) -> tuple[Arg, ...]:
        if not word.pieces:
            return word.args
        values = self.values(word, state)
        return tuple(argument(arg, word, values) for arg in word.args)

    def values(self, word: Word, state: State) -> list[Value | None]:
        return [
            output(self.inner[piece.start], self.text, state.folder)
            if isinstance(piece, Substitution)
            else state.get(piece.name)
            for piece in word.pieces
        ]

    def assigned(self, words: Sequence[Word], state: State) -> State:
        for word in words:
            state = state.setting(word.assigns, assigned(word, self.values(word, state)))
        return state

    def substitutions(self, words: Sequence[Word], start: States) -> None:
        """Follow what runs inside words, in shells of its own."""
        for word in words:
            for piece in word.pieces:
                if isinstance(piece, Substitution):
                    if piece.start not in self.inner:
                        self.inner[piece.start] = parse(piece.tokens)
                    self.chain(self.inner[piece.start], start)

    def loop(self, loop: Loop, start: States) -> States:
        self.substitutions(loop.words, start)
        outside, self.times = self.times, self.times * self.most_rounds(loop)
        if self.times > _MAX_ROUNDS_IN_ALL:
            raise Unclear("compound", f"its loops may go round more than {_MAX_ROUNDS_IN_ALL} times")
        left: list[State] = []
        for state in start:
            values = looped(self.args(loop.words, state), state.folder)
            left += self.rounds(loop, state, values)
        self.times = outside
        return _union(state.setting(loop.name, None) for state in left)

    def most_rounds(self, loop: Loop) -> int:
        """How often a loop goes round, where files and unknown words are not counted one by one."""
        inner = [self.inner[p.start] for word in loop.words for p in word.pieces if isinstance(p, Substitution)]
        return max(1, sum(len(word.args) for word in loop.words) + sum(most_words(one, self.text) - 1 for one in inner))

    def rounds(self, loop: Loop, entry: State, values: Sequence[Value]) -> States:
        """The states after any number of rounds of a loop that begins in `entry`."""
        known: States = (entry,)
        for _ in range(_MAX_ROUNDS):
            left: States = ()
            for value in values:
                after = self.chain(loop.body, tuple(state.setting(loop.name, value) for state in known))
                left = _union(left, *((s.setting(loop.name, entry.get(loop.name)) for s in one) for one in after))
            if len({state.folder for state in left} | {entry.folder}) > 1:
                raise Unclear("compound", "where its loop leads depends on how often it runs")
            grown = _union(known, left)
            if grown == known:
                return known
            known = grown
        raise Unclear("compound", "what its loop does depends on how often it runs")

    def choice(self, choice: Choice, start: States) -> States:
        left: States = ()
        reached = last = start
        for condition, body in choice.branches:
            last = reached or last
            succeeded, failed = self.reached(self.chain(condition, last), reached)
            left = _union(left, *self.reached(self.chain(body, succeeded or last), succeeded))
            reached = failed
        if choice.otherwise:
            return _union(left, *self.reached(self.chain(choice.otherwise, reached or last), reached))
        return _union(left, reached)


def _exits(args: Sequence[Arg]) -> bool:
    """Does the shell surely end? With two words or no number, `exit` may stay."""
    if args[0].text != "exit":
        return False
    return len(args) == 1 or (len(args) == 2 and args[1].known and args[1].text.isdecimal())


def _union(*sets: Iterable[State]) -> States:
    every = tuple(dict.fromkeys(state for states in sets for state in states))
    if len(every) > MAX_FOLDERS and len({state.folder for state in every}) > MAX_FOLDERS:
        raise Unclear("folder", "it may run in too many folders to follow", hard=True)
    if len(every) > _MAX_STATES:
        raise Unclear("compound", "its variables may have too many values to follow")
    return every

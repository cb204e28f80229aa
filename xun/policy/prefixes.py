"""Matching command rules: strictly by prefix where a rule allows, generously where it denies or asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xun.policy.commands import Program
from xun.policy.entries import PolicyError, check_allowed, words_of
from xun.policy.needs import Command
from xun.policy.programs import ENDERS, FETCHERS, INTERPRETERS, MANY, PRIVILEGED, STATE, WRAPPERS, base_name
from xun.policy.rules import Rule
from xun.policy.words import Arg

_GIT_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"})


def plain_words(program: Program, args: Sequence[Arg]) -> tuple[str, ...]:
    """The words of a command without what stands between its names: `git -C sub log` as `git log`."""
    return (*program.name, *(arg.text for arg in args[program.length :]))


def matched_length(rule: Rule, command: Command) -> int:
    """How many arguments of `command` an allow rule covers as a prefix; 0 when it does not match."""
    try:
        words = words_of(rule.pattern)
    except PolicyError:
        return 0  # a grant may name a whole command instead of a prefix
    args = command.segment.args
    if len(words) <= len(args) and all(word == arg.text for word, arg in zip(words, args, strict=False)):
        covered = len(words)
        return 0 if any(arg.glob or not arg.known for arg in args[:covered]) else covered
    if command.program.problem is not None or command.program.length == len(command.program.name):
        return 0
    if args[0].text != words[0] or plain_words(command.program, args)[: len(words)] != words:
        return 0
    return command.program.length + len(words) - len(command.program.name)


def caught(rule: Rule, command: Command) -> bool:
    """Does a deny or ask rule match `command`, or anything that it may run in turn?"""
    try:
        words = words_of(rule.pattern)
    except PolicyError:
        words = tuple(rule.pattern.split())
    return any(_catches(words, seen) for seen in _seen(command))


def _seen(command: Command) -> Iterator[list[str]]:
    for view in (command.segment.args, *command.views):
        texts = [arg.text for arg in view]
        yield texts
        yield [texts[0].rpartition("/")[2], *texts[1:]]
        yield [base_name(texts[0]), *texts[1:]]
    if command.program.name[0] == "git":
        yield list(plain_words(command.program, command.segment.args))
        yield [arg.text for arg in without_globals(command.segment.args)]


def without_globals(args: Sequence[Arg]) -> tuple[Arg, ...]:
    """A git command without git's own options, also those that are not judged."""
    rest = list(args[1:])
    while rest and rest[0].text.startswith("-"):
        takes_value = rest[0].text in _GIT_VALUED
        del rest[: 2 if takes_value else 1]
    return (args[0], *rest)


def _catches(words: Sequence[str], seen: Sequence[str]) -> bool:
    """Do the leading words agree, and do the rule's other words and options occur, in whatever order or cluster?"""
    lead = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    if lead and list(seen[:lead]) != list(words[:lead]):
        return False
    rest = seen[lead:]
    return all(_occurs(word, rest) for word in words[lead:])


def _occurs(word: str, rest: Sequence[str]) -> bool:
    if word in rest:
        return True
    if word.startswith("--"):
        return any(other.startswith(word + "=") for other in rest)
    if word.startswith("-") and len(word) > 1:
        letters = "".join(other[1:] for other in rest if other.startswith("-") and not other.startswith("--"))
        return all(letter in letters for letter in word[1:])
    return False


def suggestion(command: Command) -> str | None:
    """The prefix that *always* would save for an unlisted command: never one that could run anything."""
    import shlex

    words = command.segment.argv
    name = base_name(words[0])
    if name in WRAPPERS | INTERPRETERS | PRIVILEGED | STATE | ENDERS | FETCHERS or not command.segment.literal_name:
        return None
    count = 1
    if name in MANY:
        if len(words) < 2 or words[1].startswith("-"):
            return None
        scripts = words[1] in ("run", "compose", "exec", "run-script", "stash", "remote", "submodule", "worktree")
        count = 3 if scripts else 2
        if words[1] in ("exec", "x", "dlx") or len(words) < count:
            return None
    taken = command.segment.args[:count]
    if any(arg.glob or not arg.known for arg in taken):
        return None
    prefix = shlex.join(words[:count])
    try:
        check_allowed(prefix)
    except PolicyError:
        return None
    return prefix

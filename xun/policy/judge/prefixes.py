"""Matching command rules: strictly by prefix where a rule allows, generously where it denies or asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from xun.policy.commands import Program
from xun.policy.entries import PolicyError, words_of
from xun.policy.reach.needs import Command
from xun.policy.reach.runs import tails
from xun.policy.rules import Rule
from xun.policy.tables.programs import base_name, git_command_at
from xun.policy.text.words import Arg

# Other names of one option, and of one program.
_SAME_OPTION = {"--staged": "--cached", "--silent": "--quiet", "--colour": "--color"}
_SAME_PROGRAM = {"py.test": "pytest", "egrep": "grep", "fgrep": "grep", "[": "test"}


def plain_args(program: Program, args: Sequence[Arg]) -> tuple[Arg, ...]:
    """The arguments of a command without what stands between its names."""
    return (*map(Arg, program.name), *args[program.length :])


def plain_words(program: Program, args: Sequence[Arg]) -> tuple[str, ...]:
    """The words of a command without what stands between its names: `git -C sub log` as `git log`."""
    return tuple(arg.text for arg in plain_args(program, args))


def matched_length(rule: Rule, command: Command) -> int:
    """How many arguments of `command` an allow rule covers as a prefix; 0 when it does not match."""
    try:
        words = words_of(rule.pattern)
    except PolicyError:
        return 0  # a grant may name a whole command instead of a prefix
    args = command.segment.args
    covered = len(words)
    if command.segment.argv[:covered] == words:
        return 0 if any(arg.glob or not arg.known for arg in args[:covered]) else covered
    if command.program.problem is not None or command.program.length == len(command.program.name):
        return 0
    if args[0].text != words[0] or plain_words(command.program, args)[:covered] != words:
        return 0
    return command.program.length + covered - len(command.program.name)


def caught(rule: Rule, command: Command) -> bool:
    """Does a deny or ask rule match `command`, or anything that it may run in turn?"""
    return any(_catches(words, seen) for words in _spellings(_words(rule)) for seen in _seen(command))


def may_catch(rule: Rule, command: Command) -> bool:
    """Could it match a command that it does not visibly match, under another name of a program or option?

    `python` may be python3, `-f` may be `--force`, and a pattern of the shell any word.
    """
    words = [(base_name(spelled[0]), *spelled[1:]) for spelled in _spellings(_words(rule))]
    if any(_catches(one, seen, loosely=True) for one in words for seen in _seen(command)):
        return True
    if command.judged and not command.guessed:
        return False
    unsure = [*(tail for one in words for tail in tails(command.segment.args, one[0])), *command.guessed]
    return any(_catches(one, seen, loosely=True) for one in words for view in unsure for seen in _named(view))


def _words(rule: Rule) -> tuple[str, ...]:
    try:
        return words_of(rule.pattern)
    except PolicyError:
        return tuple(rule.pattern.split())


def _spellings(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """`words` as written, and by the other names of the program they begin with."""
    yield tuple(words)
    name = words[0].rpartition("/")[2]
    yield (_SAME_PROGRAM.get(name, name), *words[1:])
    if base_name(name) == "python" and len(words) > 2 and words[1] == "-m":
        yield (_SAME_PROGRAM.get(words[2], words[2]), *words[3:])


def _seen(command: Command) -> Iterator[Sequence[Arg]]:
    """The command and those it may run, each under every name of its program."""
    git = command.program.name[0] == "git"
    views = [command.segment.args, *command.views]
    if git:
        views += [plain_args(command.program, command.segment.args), without_globals(command.segment.args)]
    for view in views:
        yield from _named(view)


def _named(view: Sequence[Arg]) -> Iterator[Sequence[Arg]]:
    """A command under every name of its program."""
    rest = view[1:]
    name = view[0].text.rpartition("/")[2]
    for known in dict.fromkeys((view[0].text, name, base_name(name), _SAME_PROGRAM.get(name, name))):
        yield (Arg(known, view[0].known), *rest)
    if base_name(name) == "python" and len(rest) > 1 and rest[0].text == "-m":
        yield (Arg(_SAME_PROGRAM.get(rest[1].text, rest[1].text)), *rest[2:])
    if name.startswith("git-"):
        yield (Arg("git"), Arg(name.removeprefix("git-")), *rest)
    if name == "git" and rest and rest[0].text.startswith("-"):
        yield without_globals(view)


def without_globals(args: Sequence[Arg]) -> tuple[Arg, ...]:
    """A git command without git's own options, also those that are not judged."""
    rest = args[1:]
    return (args[0], *rest[git_command_at([arg.text for arg in rest]) :])


def _catches(words: Sequence[str], seen: Sequence[Arg], *, loosely: bool = False) -> bool:
    """Do the leading words agree, and do the rule's other words and options occur, in whatever order or cluster?"""
    if not _is(words[0], seen[0], loosely):
        return False
    lead = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    plain = [arg for arg in seen if not arg.text.startswith("-")]
    for shown in (list(seen), plain):
        agree = all(_is(word, arg, loosely) for word, arg in zip(words[:lead], shown, strict=False))
        if agree and len(shown) >= lead:
            rest = [arg for arg in seen if all(arg is not one for one in shown[:lead])]
            return all(_occurs(word, rest, loosely) for word in words[lead:])
    return False


def _is(word: str, arg: Arg, loosely: bool) -> bool:
    if arg.glob and arg.known:
        return loosely and fnmatchcase(word, arg.text.replace("[^", "[!"))
    return word == arg.text or (loosely and not arg.known)


def _occurs(word: str, rest: Sequence[Arg], loosely: bool) -> bool:
    word = _SAME_OPTION.get(word, word)
    rest = [Arg(_SAME_OPTION.get(arg.text, arg.pattern), arg.known) for arg in rest]
    if any(_is(word, arg, loosely) for arg in rest):
        return True
    options = [arg.text for arg in rest if arg.text.startswith("-")]
    letters = "".join(option[1:] for option in options if not option.startswith("--"))
    if word.startswith("--"):
        # An abbreviation is the same option; a short one may be.
        names = [option.partition("=")[0] for option in options if len(option) > 2]
        return any(name.startswith("--") and word.startswith(name) for name in names) or (loosely and bool(letters))
    if word.startswith("-") and len(word) > 1:
        long = any(option.startswith("--") and len(option) > 2 for option in options)
        return all(letter in letters for letter in word[1:]) or (loosely and long)
    return any(option.endswith(("=" + word, word)) and len(word) < len(option) for option in options)
